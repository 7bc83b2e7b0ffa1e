"""Every hostile file of the corpus ends as it says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from pagetide.errors import PagetideError, PasswordWrong
from pagetide.inputs import Sandbox
from tests.conftest import CORPUS
from tests.outcomes import MOST_GROWTH, ending, pages_of, resident_bytes

PLAIN = {"ok": "ok", "PasswordNeeded": "reject-password"}


def items() -> list[tuple[str, str]]:
    told = [json.loads(line) for line in (CORPUS / "manifest.jsonl").read_text().splitlines()]
    return [(item["path"], item["expect"]) for item in told if item["set"] == "hostile"]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as box:
        yield box


@pytest.mark.parametrize(("path", "expect"), items())
def test_it_ends_as_it_must(corpus: Path, sandbox: Sandbox, path: str, expect: str) -> None:
    outcome, _ = ending(corpus / path, sandbox)
    allowed = {"either": {"ok", "reject"}, "ok-empty": {"ok"}}.get(expect, {expect})
    assert PLAIN.get(outcome, "reject") in allowed


def test_the_caller_does_not_grow(corpus: Path, sandbox: Sandbox) -> None:
    before = resident_bytes()
    for path, expect in items():
        if expect != "reject":
            with suppress(PagetideError):
                pages_of(corpus / path, sandbox)
    assert resident_bytes() - before < MOST_GROWTH


@pytest.mark.parametrize("bits", ["128", "256"])
def test_the_right_password_opens_and_a_wrong_one_is_not_repeated(
    corpus: Path, sandbox: Sandbox, bits: str
) -> None:
    path = corpus / "hostile" / f"encrypted_user_aes-{bits}.pdf"
    with pytest.raises(PasswordWrong) as caught:
        pages_of(path, sandbox, "open sesame")
    assert "sesame" not in caught.value.message
    assert pages_of(path, sandbox, "secret")[0].lines


@pytest.mark.parametrize("name", ["js_openaction", "launch_uri", "mediabox_negative"])
def test_the_text_of_a_tricky_pdf_is_read(corpus: Path, sandbox: Sandbox, name: str) -> None:
    (page,) = pages_of(corpus / "hostile" / f"{name}.pdf", sandbox)
    assert [line.text for line in page.lines] == ["Hello"]


def test_pictures_turned_by_exif_come_out_upright(corpus: Path, sandbox: Sandbox) -> None:
    three, six = [
        pages_of(corpus / "hostile" / f"exif_orient_{code}.jpg", sandbox)[0] for code in (3, 6)
    ]
    assert three.image and six.image
    assert (three.rotation, six.rotation) == (180, 90)
    difference = three.image.pixels.astype(int) - six.image.pixels
    assert np.abs(difference).mean() < 5


def test_black_text_in_an_alpha_channel_is_seen(corpus: Path, sandbox: Sandbox) -> None:
    (page,) = pages_of(corpus / "hostile" / "black_text_in_alpha.png", sandbox)
    assert page.image
    assert page.image.pixels.mean() > 200
    assert page.image.pixels.min() < 30
