"""The result types: JSON there and back, and the published schema."""

import json
from typing import Any, get_args

import jsonschema
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pagetide.document import (
    Block,
    BlockKind,
    Cell,
    Document,
    Failure,
    Line,
    Table,
    TextLayerDecision,
    Word,
)
from pagetide.document.schema import document_schema
from pagetide.geometry import polygon_of
from tests.conftest import CHECKOUT
from tests.documents import document_of, page_of

_SCHEMA: dict[str, Any] = json.loads(document_schema())
# JSON knows no infinities; text is what UTF-8 can carry.
_numbers = st.floats(-1e6, 1e6)
_text = st.text(st.characters(codec="utf-8"), max_size=12)
_shares = st.none() | st.floats(0, 1)
_polygons = st.lists(st.tuples(_numbers, _numbers), min_size=4, max_size=6).map(tuple)
_indexes = st.lists(st.integers(0, 99), max_size=3).map(tuple)
_words = st.builds(Word, text=_text, polygon=_polygons, confidence=_shares)
_lines = st.builds(
    Line,
    text=_text,
    polygon=_polygons,
    confidence=_shares,
    words=st.lists(_words, max_size=2).map(tuple),
    source=st.sampled_from(["ocr", "text_layer"]),
)
_cells = st.builds(
    Cell,
    row=st.integers(0, 9),
    column=st.integers(0, 9),
    text=_text,
    polygon=st.none() | _polygons,
    line_indexes=_indexes,
)
_tables = st.builds(
    Table,
    rows=st.integers(1, 10),
    columns=st.integers(1, 10),
    cells=st.lists(_cells, max_size=2).map(tuple),
)
_blocks = st.builds(
    Block,
    kind=st.sampled_from(get_args(BlockKind)),
    polygon=_polygons,
    order=st.integers(0, 99),
    text=_text,
    label=st.none() | _text,
    line_indexes=_indexes,
    table=st.none() | _tables,
)
_pages = st.builds(
    page_of,
    st.lists(_lines, max_size=2),
    number=st.integers(1, 9999),
    blocks=st.lists(_blocks, max_size=2).map(tuple),
)
_documents = st.lists(_pages, max_size=3).map(lambda pages: document_of(*pages))
_slow = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)


@given(_documents)
@_slow
def test_a_document_comes_back_from_its_json(document: Document) -> None:
    assert Document.from_json(document.to_json()) == document
    assert Document.from_json(document.to_json(indent=2)) == document


@given(_documents)
@_slow
def test_every_document_is_of_the_published_schema(document: Document) -> None:
    jsonschema.Draft202012Validator(_SCHEMA).validate(json.loads(document.to_json()))


def test_the_published_schema_is_current() -> None:
    published = CHECKOUT / "docs" / "reference" / "document.schema.json"
    assert published.read_text() == document_schema(), (
        "run: python -m pagetide.document.schema > docs/reference/document.schema.json"
    )


def test_the_schema_refuses_what_is_no_document() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"pages": []}, _SCHEMA)


def test_json_of_another_form_is_refused_with_its_place() -> None:
    broken = document_of(page_of([])).to_json().replace('"number":1', '"number":"one"')
    with pytest.raises(msgspec.ValidationError, match=r"\$\.pages\[0\]\.number"):
        Document.from_json(broken)


def test_a_pages_text_is_its_blocks_then_the_lines_of_none() -> None:
    lines = [Line(text=text, polygon=polygon_of((0, 0, 9, 9))) for text in ("a", "b", "c")]
    block = Block(
        kind="text", polygon=polygon_of((0, 0, 9, 9)), order=0, text="a\nb", line_indexes=(0, 1)
    )
    page = page_of(lines, blocks=(block,))
    assert page.text == "a\nb\n\nc"
    assert page.lines_of(block) == (lines[0], lines[1])
    assert document_of(page, page).text == "a\nb\n\nc\fa\nb\n\nc"


def test_a_document_names_the_pages_that_failed() -> None:
    bad = msgspec.structs.replace(page_of([], number=2), error=Failure(code="x", message="No."))
    assert document_of(page_of([]), bad).failed_pages == (bad,)


def test_results_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        page_of([]).number = 2  # type: ignore[misc]
    assert TextLayerDecision(used=True, reason="trusted") == TextLayerDecision(
        used=True, reason="trusted"
    )
