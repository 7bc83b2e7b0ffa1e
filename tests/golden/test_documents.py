"""A document of every model: of the published schema, and read as it was when it was kept.

Lines that OCR reads may differ by a letter from one kind of processor to the next, and so may
boxes by a pixel; blocks, their kinds, their order and their tables' shapes may not.
"""

from __future__ import annotations

import difflib
import json
from pathlib import Path

import jsonschema
import pytest

from bench import exported_words
from pagetide.document import Document
from pagetide.engines import catalogue as models
from tests.golden.written_documents import FOLDER, MODELS, settled

SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "document.schema.json"
AGAIN = {"pp-ocrv5": "reads all documents with one more model of PP-OCR"}
ALIKE = 0.99  # of the letters


def kept(name: str) -> Document:
    return Document.from_json((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def shape(document: Document) -> list[object]:
    """What must not differ."""
    return [
        (
            page.number,
            page.error,
            block.kind,
            block.label,
            block.level,
            block.caption_of,
            block.table and (block.table.rows, block.table.columns, len(block.table.cells)),
        )
        for page in document.pages
        for block in page.blocks
    ]


def test_there_is_one_for_every_model() -> None:
    known = {name for name, entry in models.MODELS.items() if not entry.test_only}
    assert known == set(MODELS) == {path.stem for path in FOLDER.glob("*.json")}


@pytest.mark.parametrize("name", MODELS)
def test_it_is_of_the_published_schema(name: str) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    written = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.validate(written, schema)
    assert json.loads(kept(name).to_json()) == written


@pytest.mark.parametrize("name", MODELS)
def test_every_export_and_api_has_each_word_once(name: str) -> None:
    assert [found for page in kept(name).pages if (found := exported_words.amiss(page))] == []


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow(why)] if (why := AGAIN.get(name)) else [])
        for name in MODELS
    ],
)
def test_it_is_read_as_it_was(name: str) -> None:
    now, then = settled(MODELS[name]()), kept(name)
    assert shape(now) == shape(then)
    assert difflib.SequenceMatcher(None, now.text, then.text, False).ratio() >= ALIKE
    assert now.model.name == then.model.name
    assert set(now.model.weights) == set(then.model.weights)
    jsonschema.validate(json.loads(now.to_json()), json.loads(SCHEMA.read_text()))
