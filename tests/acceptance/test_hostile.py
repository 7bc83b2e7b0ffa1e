"""Every hostile file ends as it must: in time, in bounds, the caller alive."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from pagetide.errors import PagetideError, PasswordWrong
from pagetide.inputs import Limits, Sandbox, open_input
from tests.drawn.hostile_pdfs import ENDLESS, OPENS_WITH, PDFS
from tests.drawn.hostile_pictures import ON_ITS_SIDE, PICTURES, UPRIGHT, UPSIDE_DOWN, turned
from tests.outcomes import MOST_GROWTH, ending, pages_of, resident_bytes
from tests.written_pdf import written_pdf

FILES = PDFS | PICTURES
MOST_BYTES = 1.5 * 1024**3


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as box:
        yield box


def made(name: str, folder: Path) -> Path:
    path = folder / name
    path.write_bytes(FILES[name][0]())
    return path


@pytest.mark.parametrize("name", FILES)
def test_it_ends_as_it_must(sandbox: Sandbox, tmp_path: Path, name: str) -> None:
    outcome, pages = ending(made(name, tmp_path), sandbox)
    expected = FILES[name][1]
    assert expected in (outcome, "either")
    for page in pages:
        if page.text_layer.reason == "trusted":
            assert [line.text for line in page.lines] == ["Hello"]


@pytest.mark.parametrize("name", ENDLESS)
def test_what_has_no_end_is_ended(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(ENDLESS[name]())
    with Sandbox(Limits(page_timeout_s=1)) as hurried:
        assert ending(path, hurried) == ("PageTimeout", [])


def test_the_child_cannot_grow_too_large(sandbox: Sandbox) -> None:
    with open_input(written_pdf(b""), sandbox=sandbox):
        limit, _ = resource.prlimit(sandbox.child_pid or 0, resource.RLIMIT_AS)
    assert limit < MOST_BYTES


def test_the_caller_does_not_grow(sandbox: Sandbox, tmp_path: Path) -> None:
    paths = [made(name, tmp_path) for name in FILES if FILES[name][1] in ("ok", "either")]
    before = resident_bytes()
    for path in paths:
        with suppress(PagetideError):
            pages_of(path, sandbox)
    assert resident_bytes() - before < MOST_GROWTH


@pytest.mark.parametrize("name", [name for name in PDFS if PDFS[name][1] == "PasswordNeeded"])
def test_the_right_password_opens_and_a_wrong_one_is_not_repeated(
    sandbox: Sandbox, tmp_path: Path, name: str
) -> None:
    path = made(name, tmp_path)
    with pytest.raises(PasswordWrong) as caught:
        pages_of(path, sandbox, "open sesame")
    assert "sesame" not in caught.value.message
    (page,) = pages_of(path, sandbox, OPENS_WITH)
    assert [line.text for line in page.lines] == ["Hello"]


def test_pictures_turned_by_exif_come_out_upright(sandbox: Sandbox, tmp_path: Path) -> None:
    pages = []
    for orientation in (UPRIGHT, UPSIDE_DOWN, ON_ITS_SIDE):
        path = tmp_path / f"{orientation}.jpg"
        path.write_bytes(turned(orientation))
        pages += pages_of(path, sandbox)
    assert [page.rotation for page in pages] == [0, 180, 90]
    upright, *others = [page.image.pixels.astype(int) for page in pages if page.image]
    assert len(others) == 2
    for pixels in others:
        assert np.abs(pixels - upright).mean() < 2


def test_black_text_in_an_alpha_channel_is_seen(sandbox: Sandbox, tmp_path: Path) -> None:
    (page,) = pages_of(made("black_in_alpha.png", tmp_path), sandbox)
    assert page.image
    assert page.image.pixels.mean() > 200
    assert page.image.pixels.min() < 30


def test_nothing_of_this_machine_comes_into_a_page(sandbox: Sandbox, tmp_path: Path) -> None:
    (page,) = pages_of(made("picture_from_a_file.pdf", tmp_path), sandbox)
    assert page.image
    assert page.image.pixels.min() == 255
