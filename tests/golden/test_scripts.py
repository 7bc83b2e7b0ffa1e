"""Pages in scripts that the bundled networks do not know say so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from pagetide.document import UNREAD_SCRIPT
from pagetide.reading import Reader
from pagetide.reading.opening import open_reader
from tests.drawing import page_of
from tests.golden.drawn_scripts import FOLDER, LETTERS

# Of the Russian letter two thirds of the lines are told rightly: too few to say so.
LOOKS = {
    "russian": "Set its language, such as ru, ko or ar,",
    "korean": "It looks like Hangul. Set its language, ko,",
    "hebrew": "It looks like Hebrew. None of the known models reads it.",
}


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    with open_reader("pp-ocrv6") as opened:
        yield opened


@pytest.mark.parametrize("name", LETTERS)
def test_a_script_that_is_not_read_is_said(reader: Reader, name: str) -> None:
    (page,) = reader.read(FOLDER / f"{name}.png").pages
    assert [notice.code for notice in page.warnings] == [UNREAD_SCRIPT]
    assert page.is_in_part and page.orientation == 0
    assert page.lines == () and page.lines_unread == len(LETTERS[name])
    assert LOOKS[name] in page.warnings[0].message
    assert page.warnings[0].message.count("looks like") == (name != "russian")


@pytest.mark.parametrize(("shaken", "says"), [(0.0, []), (8.0, ["read_badly"])])
def test_a_page_that_is_read_badly_says_so(
    reader: Reader, tmp_path: Path, shaken: float, says: list[str]
) -> None:
    """As handwriting is: letters of which none is like another."""
    lines = ["Kindly send the second anchor", "chain by Thursday, else the", "boat will drift"]
    places = [((60, 60 + 140 * i), text) for i, text in enumerate(lines)]
    page = page_of(places, width=1200, height=500, size=48)
    ys, xs = np.mgrid[: page.pixels.shape[0], : page.pixels.shape[1]].astype(np.float32)
    down = shaken * (np.sin(xs / 17) + 0.7 * np.sin(xs / 7.3 + ys / 31))
    along = 0.8 * shaken * np.sin(xs / 11 + ys / 9)
    drawn = cv2.remap(
        page.pixels, xs + along, ys + down, cv2.INTER_LINEAR, borderValue=(255,) * 3
    )
    cv2.imwrite(str(tmp_path / "page.png"), drawn)
    (found,) = reader.read(tmp_path / "page.png").pages
    assert [notice.code for notice in found.warnings] == says


def test_latin_letters_far_apart_are_read(reader: Reader, tmp_path: Path) -> None:
    lines = [
        ((60, 60), "T  I  D  E   T  A  B  L  E  S"),
        ((60, 140), "Landing fee ....... 12.50"),
    ]
    picture = tmp_path / "spread.png"
    cv2.imwrite(str(picture), page_of(lines, width=900, height=260).pixels)
    (page,) = reader.read(picture).pages
    assert page.lines_unread == 0 and UNREAD_SCRIPT not in {n.code for n in page.warnings}
    assert "12.50" in page.text


@pytest.mark.parametrize(
    "lines",
    [
        [((240, 160), "Harbour office")],
        [((706, 495), "Annual report"), ((812, 1155), "Tide tables 2024")],
    ],
)
def test_lines_alone_on_a_large_page_are_found(
    reader: Reader, tmp_path: Path, lines: list[tuple[tuple[int, int], str]]
) -> None:
    picture = tmp_path / "alone.png"
    cv2.imwrite(str(picture), page_of(lines, width=1654, height=2339, size=22).pixels)
    (found,) = reader.read(picture).pages
    assert [line.text for line in found.lines] == [text for _, text in lines]
    assert not found.warnings


@pytest.mark.parametrize(("ink", "says"), [(0, []), (200, ["no_text_found"])])
def test_a_page_on_which_nothing_is_found_says_so_unless_it_is_empty(
    reader: Reader, tmp_path: Path, ink: int, says: list[str]
) -> None:
    pixels = np.full((900, 700, 3), 255, np.uint8)
    cv2.rectangle(pixels, (350, 0), (360, 899), (255 - ink,) * 3, -1)
    cv2.imwrite(str(tmp_path / "page.png"), pixels)
    (found,) = reader.read(tmp_path / "page.png").pages
    assert [notice.code for notice in found.warnings] == says and found.lines == ()
