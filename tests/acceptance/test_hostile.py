"""Every hostile file ends as the corpus says it must: in time, in bounds, the caller alive."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from pagetide.errors import PagetideError, PasswordNeeded, PasswordWrong
from pagetide.inputs import PageContent, Sandbox, open_input
from tests.conftest import CORPUS
from tests.written_pdf import written_pdf

MOST_SECONDS = 120  # that it ends, on a busy machine too; a page alone may take 20
MOST_BYTES = 1.5 * 1024**3


def _items() -> list[tuple[str, str]]:
    manifest = CORPUS / "manifest.jsonl"
    if not manifest.exists():
        return []
    items = [json.loads(line) for line in manifest.read_text().splitlines()]
    return [(item["path"], item["expect"]) for item in items if item["set"] == "hostile"]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as box:
        yield box


def _read(path: Path, sandbox: Sandbox, password: str | None = None) -> list[PageContent]:
    with open_input(path, sandbox=sandbox, password=password) as document:
        return [document.page(number) for number in range(1, document.info.page_count + 1)]


@pytest.mark.parametrize(("path", "expect"), _items())
def test_it_ends_as_it_must(corpus: Path, sandbox: Sandbox, path: str, expect: str) -> None:
    begun = time.monotonic()
    outcome = "ok"
    try:
        pages = _read(corpus / path, sandbox)
    except PagetideError as error:
        outcome = "reject-password" if isinstance(error, PasswordNeeded) else "reject"
        assert error.message.endswith(".")
        assert "\n" not in error.message
    else:
        assert pages
        assert all(page.image is not None or page.text_layer.used for page in pages)
    allowed = {"either": {"ok", "reject"}, "ok-empty": {"ok"}}.get(expect, {expect})
    assert outcome in allowed
    assert time.monotonic() - begun < MOST_SECONDS


def test_the_child_cannot_grow_too_large(sandbox: Sandbox) -> None:
    with open_input(written_pdf(b""), sandbox=sandbox):
        limit, _ = resource.prlimit(sandbox.child_pid or 0, resource.RLIMIT_AS)
    assert limit < MOST_BYTES


def test_the_caller_does_not_grow(corpus: Path, sandbox: Sandbox) -> None:
    before = _resident_bytes()
    for path, expect in _items():
        if expect != "reject":
            with suppress(PagetideError):
                _read(corpus / path, sandbox)
    assert _resident_bytes() - before < 100 * 1024**2


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


@pytest.mark.parametrize("bits", ["128", "256"])
def test_the_right_password_opens_and_a_wrong_one_is_not_repeated(
    corpus: Path, sandbox: Sandbox, bits: str
) -> None:
    path = corpus / "hostile" / f"encrypted_user_aes-{bits}.pdf"
    with pytest.raises(PasswordWrong) as caught:
        _read(path, sandbox, "open sesame")
    assert "sesame" not in caught.value.message
    assert _read(path, sandbox, "secret")[0].lines


@pytest.mark.parametrize("name", ["js_openaction", "launch_uri", "mediabox_negative"])
def test_the_text_of_a_tricky_pdf_is_read(corpus: Path, sandbox: Sandbox, name: str) -> None:
    (page,) = _read(corpus / "hostile" / f"{name}.pdf", sandbox)
    assert [line.text for line in page.lines] == ["Hello"]


def test_pictures_turned_by_exif_come_out_upright(corpus: Path, sandbox: Sandbox) -> None:
    three, six = [
        _read(corpus / "hostile" / f"exif_orient_{code}.jpg", sandbox)[0] for code in (3, 6)
    ]
    assert three.image and six.image
    assert (three.rotation, six.rotation) == (180, 90)
    difference = three.image.pixels.astype(int) - six.image.pixels
    assert np.abs(difference).mean() < 5


def test_black_text_in_an_alpha_channel_is_seen(corpus: Path, sandbox: Sandbox) -> None:
    (page,) = _read(corpus / "hostile" / "black_text_in_alpha.png", sandbox)
    assert page.image
    assert page.image.pixels.mean() > 200
    assert page.image.pixels.min() < 30
