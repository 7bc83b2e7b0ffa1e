"""A model that sees is shown pages beside their text, and what it says is held to the text."""

from __future__ import annotations

import io
import json
from base64 import b64decode
from pathlib import Path

import pytest
from msgspec.structs import replace
from PIL import Image

import pagetide
from bench.fake_vl_server import Asked, FakeVlServer, Reply
from pagetide.document import Document
from pagetide.document.extraction import Extraction
from pagetide.errors import BadOption
from pagetide.reading import extraction
from pagetide.reading.extraction import ModelServer
from pagetide.reading.extraction.asking.sight import MOST_PICTURES, picture_of
from tests.serving import pdf
from tests.unit.api_fake import JPEG, Desk, Site, play
from tests.written_pdf import text, written_pdf

# A page that says what it is about, and shows in what colour.
PDF = written_pdf(b"1 0 0 rg 144 304 300 300 re f 0 g\n" + text(b"Total: 5.00"))
SCHEMA = {"type": "object", "properties": {"total": {"type": "number"}, "colour": {}}}


def shown(asked: Asked) -> list[bytes]:
    """The pictures that came with a question."""
    _, *pictures = asked.body["messages"][1]["content"]
    urls = [part["image_url"]["url"] for part in pictures]
    assert all(url.startswith("data:image/jpeg;base64,") for url in urls)
    return [b64decode(url.partition(",")[2]) for url in urls]


def sees(asked: Asked) -> Reply:
    """The total that is written, and the colour that only the picture has."""
    [picture] = shown(asked)
    red, green, _ = Image.open(io.BytesIO(picture)).convert("RGB").getpixel((600, 700))  # type: ignore[misc]
    colour = "red" if red > 200 and green < 60 else "none"
    assert "[p1l0] Total: 5.00" in asked.body["messages"][1]["content"][0]["text"]
    lines = ["p1l0"]
    found = {"total": 5.0, "colour": colour}
    return Reply(text=json.dumps({k: {"value": v, "lines": lines} for k, v in found.items()}))


def extract(model: FakeVlServer, document: Document, **how: object) -> Extraction:
    server = ModelServer(url=model.url, sees=True)
    return pagetide.extract(document, SCHEMA, server=server, **how)  # type: ignore[arg-type]


def test_the_picture_goes_along_and_proves_nothing() -> None:
    with FakeVlServer(sees) as model:
        found = extract(model, pagetide.read(PDF))
    assert found.value == {"total": 5.0, "colour": None}
    total, colour = found.leaves
    assert (total.standing, colour.standing, colour.refused) == (
        "grounded",
        "ungrounded",
        "red",
    )
    assert [each.code for each in found.warnings] == ["ungrounded"]


def test_who_has_only_the_result_gives_the_source() -> None:
    document = Document.from_json(pagetide.read(PDF).to_json())
    with FakeVlServer(sees) as model:
        assert extract(model, document, source=PDF).leaves[1].refused == "red"
        with pytest.raises(BadOption):
            extract(model, document, source=pdf(1))
        model.answer = lambda asked: Reply(text="{}")
        found = extract(model, document)
    assert isinstance(model.asked[-1].body["messages"][1]["content"], str)
    [told] = found.warnings
    assert (told.code, told.message) == (
        "pages_unseen",
        "Pages whose picture was not sent: 1.",
    )


def test_more_pages_than_a_request_may_show_are_told() -> None:
    read = pagetide.read(PDF)
    [page] = read.pages
    many = replace(read, pages=tuple(replace(page, number=n) for n in range(1, 11)))
    pictures = list[int]()

    def answer(asked: Asked) -> Reply:
        pictures.append(len(shown(asked)))
        return Reply(text="{}")

    with FakeVlServer(answer) as model:
        found = asked_of_all(many, model)
    assert pictures == [MOST_PICTURES]
    [told] = [each for each in found.warnings if each.code == "pages_unseen"]
    assert told.message.endswith(": 9-10.")


def asked_of_all(document: Document, model: FakeVlServer) -> Extraction:
    """With the one page's picture for all."""
    with picture_of(pagetide.read(PDF), None, None) as picture:
        assert picture
        one = picture(1)
    server = ModelServer(url=model.url, sees=True)
    return extraction.extract(document, SCHEMA, server, picture=lambda number: one)


def test_a_server_shows_its_jobs_pages(tmp_path: Path) -> None:
    with FakeVlServer(lambda asked: Reply(text="{}")) as model:
        desk = Desk(tmp_path, extract_url=model.url, extract_sees=True)
        job = desk.finish(desk.submit().id)

        async def steps(site: Site) -> None:
            body = {"job": job.id, "schema": SCHEMA}
            assert (await site.post_json("/v1/extract", body)).status == 200

        play(desk, steps)
        [asked] = model.asked
    assert shown(asked) == [JPEG]
