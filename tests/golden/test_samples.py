"""The project's own samples, read by the real engine and held against what was drawn."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest

from bench import exported_words
from bench.photos import photo_of
from pagetide.document import Document, Line, Page, Word
from pagetide.geometry import polygon_of
from pagetide.reading import Reader
from pagetide.reading.opening import open_reader
from samples import ink, pages

SAMPLES = Path(__file__).parents[2] / "samples"
FILES = {
    "mixed": "mixed.pdf",
    "receipt": "receipt.jpg",
    "two_columns": "two_columns.png",
    "table": "table.png",
    "chinese_english": "chinese_english.png",
}
# Of all characters without spaces, in reading order: wrong letters and wrong order count.
ERROR_BAR = 0.005


@dataclass(frozen=True, kw_only=True)
class Truth:
    kind: str
    orientation: int
    lines: tuple[str, ...]


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    with open_reader() as opened:
        yield opened


@pytest.fixture(scope="module")
def documents(reader: Reader) -> dict[str, Document]:
    results = reader.read_many([SAMPLES / file for file in FILES.values()])
    read = {}
    for name, (_, result) in zip(FILES, results, strict=True):
        assert isinstance(result, Document), result
        read[name] = result
    return read


@pytest.mark.parametrize(("name", "index"), [("mixed", 4), ("receipt", 0)])
def test_a_title_in_large_type_is_no_page_header(
    documents: dict[str, Document], name: str, index: int
) -> None:
    first = documents[name].pages[index].blocks[0]
    assert first.kind in ("title", "heading")
    assert first.text == truths(name)[index].lines[0]


@pytest.mark.parametrize("name", ["table", "two_columns"])
def test_a_photo_at_an_angle_says_what_the_page_does(
    reader: Reader, documents: dict[str, Document], name: str
) -> None:
    page = np.asarray(cv2.imread(str(SAMPLES / FILES[name])), np.uint8)
    photo, corners = photo_of(page, 1)
    _, png = cv2.imencode(".png", photo)
    (read,), (flat,) = reader.read(png.tobytes()).pages, documents[name].pages
    assert [notice.code for notice in read.warnings] == ["straightened"]
    assert (read.width, read.height) == (photo.shape[1], photo.shape[0])
    assert [block.kind for block in read.blocks] == [block.kind for block in flat.blocks]
    assert Counter(read.text.split()) == Counter(flat.text.split())
    # Polygons are those of the photo: the page's, moved as its corners are.
    moved = cv2.getPerspectiveTransform(
        np.array(polygon_of((0, 0, page.shape[1], page.shape[0])), np.float32),
        np.array(corners, np.float32),
    )
    for line, there in zip(read.lines, flat.lines, strict=True):
        places = cv2.perspectiveTransform(np.array([there.polygon], np.float64), moved)[0]
        assert np.abs(places - line.polygon).max() < 0.012 * max(photo.shape)


def truths(name: str) -> list[Truth]:
    text = (SAMPLES / "truth" / f"{name}.json").read_text(encoding="utf-8")
    return [
        Truth(kind=page["class"], orientation=page["orientation"], lines=tuple(page["lines"]))
        for page in json.loads(text)["pages"]
    ]


PAGES = [(name, i) for name in FILES for i in range(len(truths(name)))]
# An address beside a list of marks has no one reading order.
ORDERED = [page for page in PAGES if page != ("mixed", 0)]


@pytest.mark.parametrize(("name", "index"), PAGES)
def test_every_export_and_api_has_each_word_once(
    documents: dict[str, Document], name: str, index: int
) -> None:
    page = documents[name].pages[index]
    assert page.lines and exported_words.amiss(page) == {}


def characters(texts: Sequence[str]) -> str:
    return "".join("".join(text.split()) for text in texts)


def edits(a: str, b: str) -> int:
    """Levenshtein distance, a row of the table at a time."""
    letters = np.array([ord(c) for c in b])
    places = np.arange(len(b) + 1)
    row = places.copy()
    for i, x in enumerate(a, 1):
        changed = np.minimum(row[1:] + 1, row[:-1] + (letters != ord(x)))
        # An insertion costs one more for each place to the left it starts from.
        whole = np.concatenate([[i], changed])
        row = np.minimum.accumulate(whole - places) + places
    return int(row[-1])


def test_the_distance_between_texts_is_counted_right() -> None:
    assert [edits(a, b) for a, b in (("kitten", "sitting"), ("", "ab"), ("ab", "ab"))] == [
        3,
        2,
        0,
    ]


@pytest.mark.parametrize(("name", "index"), ORDERED)
def test_the_text_is_right_and_in_reading_order(
    documents: dict[str, Document], name: str, index: int
) -> None:
    wanted = characters(truths(name)[index].lines)
    got = characters([line.text for line in documents[name].pages[index].lines])
    assert edits(wanted, got) <= ERROR_BAR * len(wanted)


@pytest.mark.parametrize(("name", "index"), PAGES)
def test_almost_every_line_stands_there_as_it_was_drawn(
    documents: dict[str, Document], name: str, index: int
) -> None:
    wanted = Counter(characters([line]) for line in truths(name)[index].lines)
    got = Counter(characters([line.text]) for line in documents[name].pages[index].lines)
    # The receipt's wide gaps part three of its 37 lines in two.
    assert (wanted - got).total() <= max(1, 0.1 * wanted.total()), wanted - got


def test_digital_pages_give_their_own_text_and_scans_are_read(
    documents: dict[str, Document],
) -> None:
    kinds = [truth.kind for truth in truths("mixed")]
    pages = documents["mixed"].pages
    assert kinds == ["digital" if page.text_layer.used else "scan" for page in pages]
    for page in pages:
        sources = {line.source for line in page.lines}
        assert sources == {"text_layer" if page.text_layer.used else "ocr"}


def test_pages_scanned_askew_are_found_to_be_so(documents: dict[str, Document]) -> None:
    for name, document in documents.items():
        wanted = [truth.orientation for truth in truths(name)]
        assert wanted == [page.orientation for page in document.pages]


def test_the_lines_of_a_sideways_page_lie_sideways(documents: dict[str, Document]) -> None:
    sideways = documents["mixed"].pages[3]
    assert sideways.orientation == 90
    for line in sideways.lines:
        (x0, y0), (x1, y1) = line.polygon[:2]
        # The text's first edge runs down the page as displayed.
        assert y1 - y0 > 5 * abs(x1 - x0), line.text


def test_every_line_and_word_lies_on_its_page(documents: dict[str, Document]) -> None:
    for document in documents.values():
        for page in document.pages:
            assert not list(outside(page))


def outside(page: Page) -> Iterator[str]:
    for line in page.lines:
        parts: tuple[Line | Word, ...] = (line, *line.words)
        for part in parts:
            xs, ys = zip(*part.polygon, strict=True)
            if min(xs) < -2 or min(ys) < -2:
                yield part.text
            if max(xs) > page.width + 2 or max(ys) > page.height + 2:
                yield part.text


def test_the_words_of_a_line_hold_all_its_characters(documents: dict[str, Document]) -> None:
    for document in documents.values():
        for page in document.pages:
            for line in page.lines:
                assert characters([line.text]) == characters([w.text for w in line.words])


def test_a_second_reading_gives_the_same(
    reader: Reader, documents: dict[str, Document]
) -> None:
    again = reader.read(SAMPLES / FILES["receipt"])
    first = documents["receipt"]
    assert [line.text for line in first.pages[0].lines] == [
        line.text for line in again.pages[0].lines
    ]


def test_a_document_survives_its_json(documents: dict[str, Document]) -> None:
    for document in documents.values():
        assert document == Document.from_json(document.to_json())


def test_the_drawing_script_still_holds_the_samples_words() -> None:
    if missing := ink.missing_fonts():
        pytest.skip(f"drawing needs the fonts {', '.join(missing)} ({ink.PACKAGES})")
    drawn = {
        "receipt": pages.receipt(),
        "two_columns": pages.article(),
        "table": pages.tables(),
        "chinese_english": pages.chinese(),
    }
    for name, sheet in drawn.items():
        assert truths(name)[0].lines == tuple(sheet.lines)


def test_the_samples_stay_small() -> None:
    total = sum((SAMPLES / file).stat().st_size for file in FILES.values())
    assert total < 2_500_000
