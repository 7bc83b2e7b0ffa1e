"""Figures described by a model server that sees their pictures, cut from the document."""

from __future__ import annotations

import io
from base64 import b64decode

import pytest
from msgspec.structs import replace
from PIL import Image

import pagetide
from bench.fake_vl_server import Asked, FakeVlServer, Reply
from pagetide.document import Block, Document
from pagetide.errors import BadOption, ModelUnavailable
from pagetide.geometry import polygon_of
from tests.written_pdf import text, written_pdf

# A red square of an inch, 2 inches from the left and 3 from the top; a blue one beside it.
PDF = written_pdf(b"1 0 0 rg 144 504 72 72 re f 0 0 1 rg 216 504 72 72 re f\n" + text(b"Two"))
RED, BLUE = (288, 432, 432, 576), (432, 432, 576, 576)


def sees(asked: Asked) -> Reply:
    """The colour of the picture's middle; a server that fails sees no blue."""
    [part] = asked.body["messages"][1]["content"]
    png = b64decode(part["image_url"]["url"].partition(",")[2])
    colour = Image.open(io.BytesIO(png)).convert("RGB").getpixel((20, 20))
    return (
        Reply(text="<think>hm</think> A red square.")
        if colour == (255, 0, 0)
        else Reply(status=422)
    )


def read() -> Document:
    document = pagetide.read(PDF)
    [page] = document.pages
    figures = [
        Block(kind="figure", polygon=polygon_of(box), order=100 + place)
        for place, box in enumerate((RED, BLUE))
    ]
    return replace(document, pages=(replace(page, blocks=(*page.blocks, *figures)),))


def test_each_figure_is_described_or_says_why_not() -> None:
    with FakeVlServer(sees) as server:
        told = pagetide.describe_figures(read(), server=server.url, source=PDF)
    red, blue = told.figures
    assert (red.page, red.order, red.kind, red.text) == (1, 100, "figure", "A red square.")
    assert (blue.text, blue.error and blue.error.code) == ("", "answer_unusable")
    assert told.usage.calls == 2


def test_it_takes_a_server_and_the_source() -> None:
    with pytest.raises(ModelUnavailable):
        pagetide.describe_figures(read(), source=PDF)
    with pytest.raises(BadOption):
        pagetide.describe_figures(read(), server="http://127.0.0.1:1/v1")


def test_without_figures_nobody_is_asked() -> None:
    plain = replace(read(), pages=())
    assert pagetide.describe_figures(plain, server="http://127.0.0.1:1/v1").figures == ()
