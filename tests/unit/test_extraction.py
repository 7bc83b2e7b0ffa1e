"""Values for a schema: each stands where it says, and what stands nowhere is not returned."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

import pagetide
from bench.fake_vl_server import Asked, FakeVlServer, Reply
from pagetide.document import Document
from pagetide.document.extraction import Extraction
from pagetide.engines.vl.server.client import Clock
from pagetide.errors import (
    AnswerUnusable,
    BadOption,
    BadSchema,
    ModelUnavailable,
    PagetideError,
)
from pagetide.exports.fields.values.dates import Order
from pagetide.reading.extraction import ModelServer
from pagetide.reading.extraction.asking.prompts import mark_beside
from pagetide.reading.extraction.forms.schema import form_of
from pagetide.reading.extraction.grounding.page_text import PageText
from pagetide.reading.extraction.grounding.standing import found_in
from pagetide.reading.extraction.pieces import Piece, in_one_row
from pagetide.settings import Settings
from tests.documents import document_of, grouped_page, line, page_of

TOTAL = {"type": "object", "properties": {"total": {"type": "number"}}}


async def at_once(seconds: float) -> None:
    """A retry that does not wait."""


def read(*texts: str) -> Document:
    lines = [line(text, (50, 40 * row, 650, 40 * row + 20)) for row, text in enumerate(texts)]
    return document_of(page_of(lines))


def long(texts: list[str]) -> Document:
    pages = [
        grouped_page([line(text, (50, 100, 900, 120))], number)
        for number, text in enumerate(texts, 1)
    ]
    return document_of(*pages)


class Says:
    """Answers with one text after the other, and the last one again and again."""

    def __init__(self, *answers: Any) -> None:
        self._left = [each if isinstance(each, Reply) else said(each) for each in answers]

    def __call__(self, asked: Asked) -> Reply:
        return self._left.pop(0) if len(self._left) > 1 else self._left[0]


def said(answer: Any) -> Reply:
    return Reply(text=answer if isinstance(answer, str) else json.dumps(answer))


def leaf(value: Any, *lines: str) -> dict[str, Any]:
    return {"value": value, "lines": lines}


@pytest.fixture
def server() -> Iterator[FakeVlServer]:
    with FakeVlServer(Says("{}")) as fake:
        yield fake


def extract(server: FakeVlServer, document: Document, schema: object, **how: Any) -> Extraction:
    asked = ModelServer(url=server.url, clock=Clock(sleep=at_once), **how)
    return pagetide.extract(document, schema, server=asked)


# Where values stand.


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Total: 1.234,50 €", 1234.5),
        ("Total: 1,234.50", "1234.50"),
        ("Widget 2 50.00 100.00", 50),
        ("EUR -5.00", -5),
        ("(5.00)", -5),
        ("5.00-", -5),
        ("VAT 19 %", 0.19),
        ("1 234.50", 1234.5),
        ("Date: 18.03.2024", "2024-03-18"),
        ("18 March 2024", "2024-03-18"),
        ("18.03.2024 10:30", "2024-03-18T10:30:00Z"),
        ("18.03.2024", 2024),
        ("Muster GmbH\nBerlin", "muster  GMBH, Berlin"),
        ("Rech-\nnung", "Rechnung"),
        ("IBAN DE89 3704 0044 0532 0130 00", "DE89370400440532013000"),
        ("Tel. +49 (0)30 1234567", "+49301234567"),
        ("$5.00", "USD"),
        ("合计：１２３元", "123"),
        ("INV-2024", 2024),
    ],
)
def test_a_value_stands_there_as_it_is_written_or_as_what_it_says(
    text: str, value: Any
) -> None:
    found = found_in(folded(text), value, None)
    assert found is not None and found.certain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Widget 2 50.00 100.00", "250.00"),
        ("Widget 2 50.00 100.00", 250.0),
        ("2\n50", "250"),
        ("1234", "234"),
        ("1,234.50", "234.50"),
        ("1,234.50", "1,234"),
        ("-5.00", "5.00"),
        ("-5.00", 5),
        ("5.00-", "5.00"),
        ("$5.00", "€5.00"),
        ("INV2024", 2024),
        ("31.10.2024", 10),
        ("100", 0),
        ("18.03.2024", "2024-03-19"),
        ("18.03.2024 10:30", "2024-03-18T11:30:00Z"),
        ("pagetide.org", "pagetide"),
        ("anything", "..."),
        ("R-17/24", "R-17"),
        ("No. 007", "7"),
    ],
)
def test_and_not_where_it_is_a_part_of_something_else(text: str, value: Any) -> None:
    assert found_in(folded(text), value, None) is None


@pytest.mark.parametrize(("order", "certain"), [(None, False), ("day first", True)])
def test_a_date_that_may_be_two_is_not_certain(order: Order, certain: bool) -> None:
    found = found_in(folded("03/04/2024"), "2024-04-03", order)
    assert found is not None and found.certain is certain


@pytest.mark.parametrize(
    ("others", "value", "standing"),
    [
        (("Sum 12.50",), 1.234, "grounded"),
        (("Sum 12,50",), 1234, "grounded"),
        (("Sum 12,50",), 1.234, "ungrounded"),
        ((), 1.234, "inferred"),
        (("Sum 12.50", "Sum 12,50"), 1234, "inferred"),
    ],
)
def test_what_a_point_means_is_argued_from_the_documents_cents(
    server: FakeVlServer, others: tuple[str, ...], value: float, standing: str
) -> None:
    server.answer = Says({"total": leaf(value, "p1l0")})
    [total] = extract(server, read("Weight 1.234 kg", *others), TOTAL).leaves
    assert total.standing == standing


def folded(text: str) -> PageText:
    rows = text.split("\n")
    return PageText([Piece(f"p1l{n}", 1, row, ()) for n, row in enumerate(rows)])


# What comes back.


def test_a_value_comes_with_its_lines_and_place(server: FakeVlServer) -> None:
    server.answer = Says({"total": leaf(12.5, "p1l1")})
    found = extract(server, read("Invoice", "Total 12,50"), TOTAL)
    assert found.value == {"total": 12.5}
    [total] = found.leaves
    assert (total.path, total.standing, total.text) == ("/total", "grounded", "12,50")
    [place] = total.lines
    assert (place.id, place.page, place.line) == ("p1l1", 1, 1)
    assert total.confidence == 0.9
    assert (found.usage.calls, found.usage.prompt_tokens, found.warnings) == (1, 300, ())


def test_where_it_stands_elsewhere_it_points_there(server: FakeVlServer) -> None:
    server.answer = Says({"total": leaf(12.5, "p1l0", "p7l7")})
    [total] = extract(server, read("Invoice", "Total 12,50"), TOTAL).leaves
    assert (total.standing, total.lines[0].id) == ("elsewhere", "p1l1")


def test_what_stands_nowhere_is_not_returned(server: FakeVlServer) -> None:
    server.answer = Says({"total": leaf(99.0, "p1l1")})
    found = extract(server, read("Invoice", "Total 12,50"), TOTAL)
    assert found.value == {"total": None}
    [total] = found.leaves
    assert (total.standing, total.value, total.refused) == ("ungrounded", None, 99.0)
    assert [notice.code for notice in found.warnings] == ["ungrounded"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("18.03.2024", "2024-03-18"),
        ("03/04/2024", "03/04/2024"),
        ("03/04/2024 and 04/13/2024", "2024-03-04"),
    ],
)
def test_a_date_comes_as_the_schema_wants_it_where_that_is_certain(
    server: FakeVlServer, text: str, value: str
) -> None:
    schema = {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}}
    server.answer = Says({"day": leaf(text[:10], "p1l0")})
    [day] = extract(server, read(text), schema).leaves
    assert (day.value, day.standing) == (value, "grounded")


def test_a_yes_or_no_is_inferred_and_only_from_lines(server: FakeVlServer) -> None:
    schema = {"type": "object", "properties": {"paid": {"type": "boolean"}}}
    server.answer = Says({"paid": leaf(True, "p1l0")}, {"paid": leaf(True)})
    document = read("Paid with thanks")
    first, second = (extract(server, document, schema).leaves[0] for _ in range(2))
    assert (first.standing, first.value, first.text) == ("inferred", True, "Paid with thanks")
    assert (second.standing, second.value) == ("ungrounded", None)


def test_names_that_the_schema_does_not_have_are_dropped_and_said(server: FakeVlServer) -> None:
    server.answer = Says({"total": leaf(12.5), "admin": leaf(True), "__proto__": {}})
    found = extract(server, read("Total 12,50"), TOTAL)
    assert found.value == {"total": 12.5}
    assert [notice.code for notice in found.warnings] == ["unknown_names"]


def test_an_answer_that_is_no_use_is_asked_for_once_more(server: FakeVlServer) -> None:
    good = {"total": leaf(12.5, "p1l0")}
    fenced = f"<think>{{hm}}</think>```json\n{json.dumps(good)}\n```"
    server.answer = Says("Sure! The total is 12,50.", fenced)
    found = extract(server, read("Total 12,50"), TOTAL)
    assert (found.value, found.usage.calls) == ({"total": 12.5}, 2)
    assert [each["role"] for each in server.asked[1].body["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
    ]


def test_and_then_it_is_an_error(server: FakeVlServer) -> None:
    server.answer = Says("no", {"total": [1]}, "no", "[]")
    with pytest.raises(AnswerUnusable):
        extract(server, read("Total 12,50"), {**TOTAL, "properties": {"total": TOTAL}})
    assert len(server.asked) == 2


def test_a_value_of_another_type_is_asked_for_again_and_then_refused(
    server: FakeVlServer,
) -> None:
    server.answer = Says({"total": leaf("12,50", "p1l0")})
    found = extract(server, read("Total 12,50"), TOTAL)
    assert (found.leaves[0].standing, found.leaves[0].refused) == ("ungrounded", "12,50")
    assert found.usage.calls == 2


def test_a_server_that_takes_no_schema_is_asked_without(server: FakeVlServer) -> None:
    def answer(asked: Asked) -> Reply:
        if "response_format" in asked.body:
            return Reply(status=400)
        return said({"total": leaf(12.5)})

    server.answer = answer
    assert extract(server, read("Total 12,50"), TOTAL).value == {"total": 12.5}
    held = server.asked[0].body["response_format"]["json_schema"]["schema"]
    assert held["properties"]["total"]["properties"]["value"] == {"type": ["number", "null"]}


# Long documents.


def test_a_long_document_is_asked_in_the_parts_that_matter(server: FakeVlServer) -> None:
    texts = [f"Chapter {number} about nothing of note." * 8 for number in range(40)]
    texts[31] = "The total is 12,50 for all of it."
    server.answer = lambda asked: said(
        {"total": leaf(12.5, "p32l0") if "12,50" in str(asked.body) else leaf(None)}
    )
    found = extract(server, long(texts), TOTAL, letters=1000, parts_max=2)
    assert found.value == {"total": 12.5}
    assert 1 <= found.usage.calls <= 2
    assert [notice.code for notice in found.warnings] == ["parts_left_out"]


def test_what_its_parts_disagree_on_is_shown(server: FakeVlServer) -> None:
    texts = ["The total is 12,50. " * 8] * 4 + ["The total is 13,00. " * 8] * 4
    server.answer = lambda asked: said(
        {"total": leaf(12.5 if "12,50" in str(asked.body) else 13.0)}
    )
    found = extract(server, long(texts), TOTAL, letters=700, parts_max=3)
    [conflict] = found.conflicts
    assert [leaf.value for leaf in conflict.leaves] == [12.5, 13.0]
    assert found.value == {"total": 12.5}
    assert "conflicts" in {notice.code for notice in found.warnings}


def test_a_part_without_an_answer_is_said(server: FakeVlServer) -> None:
    texts = ["The total is 12,50. " * 8] * 4 + ["The total is 13,00. " * 8] * 4
    server.answer = lambda asked: (
        said({"total": leaf(12.5)}) if "12,50" in str(asked.body) else Reply(status=413)
    )
    found = extract(server, long(texts), TOTAL, letters=700, parts_max=3)
    assert found.value == {"total": 12.5}
    assert "part_unanswered" in {notice.code for notice in found.warnings}


def test_a_document_without_text_asks_nobody(server: FakeVlServer) -> None:
    found = extract(server, document_of(page_of([])), TOTAL)
    assert (found.value, found.usage.calls) == ({"total": None}, 0)


# Schemas.


class Item(BaseModel):
    article: str
    price: float | None = None


class Invoice(BaseModel):
    total: float
    items: list[Item] = []


def test_a_pydantic_class_is_a_schema_and_comes_back(server: FakeVlServer) -> None:
    row = {"article": leaf("Rope", "p1l1"), "price": leaf(12.5, "p1l1")}
    server.answer = Says({"total": leaf(12.5, "p1l0"), "items": [row, {}]})
    found = extract(server, read("Total 12,50", "Rope 12,50"), Invoice)
    assert found.to(Invoice) == Invoice(total=12.5, items=[Item(article="Rope", price=12.5)])
    server.answer = Says({"total": leaf(99.5, "p1l0"), "items": []})
    with pytest.raises(ValidationError):
        extract(server, read("Total 12,50"), Invoice).to(Invoice)


class Unknown(BaseModel):
    item: NotThereYet  # type: ignore[name-defined]  # noqa: F821


def choices_among_choices(most: int) -> object:
    """One text that is told of in most⁵ ways."""
    parts: dict[str, object] = {"f": {"type": "string"}}
    for name, of in pairwise("abcdef"):
        parts[name] = {"anyOf": [{"$ref": f"#/$defs/{of}"}] * most}
    return {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": parts}


@pytest.mark.parametrize(
    "schema",
    [
        [],
        Unknown,
        {"type": "string"},
        {"type": "object"},
        {"properties": {"a": {"type": "date"}}},
        {"properties": {"a": {"type": "object"}}},
        {"properties": {"a": {"$ref": "http://127.0.0.1/schema.json"}}},
        {"properties": {"a": {"$ref": "#/$defs/gone"}}},
        {"properties": {"a": {"$ref": "#"}}},
        {"properties": {"a": {"$ref": "#/properties/a"}}},
        {"properties": {"a": {"allOf": [{"type": "string"}]}}},
        {"properties": {"a": {"enum": [["x"]]}}},
        {"properties": {"a": {"type": "integer", "minimum": "x"}}},
        {"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "array"}]}}},
        {"properties": {f"a{number}": {"type": "string"} for number in range(501)}},
        choices_among_choices(9),
    ],
)
def test_a_schema_that_cannot_be_filled_in_is_refused(schema: object) -> None:
    with pytest.raises(BadSchema) as refused:
        form_of(schema)
    assert refused.value.message.endswith(".") and refused.value.code == "bad_schema"


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "integer", "minimum": 1}, 5, 0),
        ({"type": "integer"}, 5, True),
        ({"type": "string", "maxLength": 3}, "abc", "abcd"),
        ({"enum": ["a", 1, None]}, 1, True),
        ({"const": "x"}, "x", "y"),
        ({"anyOf": [{"type": "string"}, {"type": "number"}]}, 1.5, False),
        ({"type": ["boolean", "null"]}, False, "no"),
    ],
)
def test_a_value_is_held_against_its_schema(schema: Any, good: Any, bad: Any) -> None:
    part: Any = form_of({"properties": {"a": schema}}).parts["a"]
    assert part.takes(good) and not part.takes(bad)


# Servers.


def test_without_a_server_it_says_what_to_set() -> None:
    with pytest.raises(ModelUnavailable, match="PAGETIDE_EXTRACT_URL"):
        pagetide.extract(read("x"), TOTAL)


def test_a_server_that_is_none_is_told_without_its_password() -> None:
    with pytest.raises(BadOption) as refused:
        pagetide.extract(read("x"), TOTAL, server="ftp://u:secret@127.0.0.1/")
    assert "secret" not in refused.value.message


def test_the_settings_key_goes_to_their_server_alone() -> None:
    settings = Settings(extract_url="http://127.0.0.1:1/v1", extract_key="secret")
    assert ModelServer.of(settings).key == "secret"
    assert ModelServer.of(settings, "http://127.0.0.1:2/v1").key == ""


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(status=401), ModelUnavailable),
        (Reply(status=503), AnswerUnusable),
        (Reply(body=b"{}"), AnswerUnusable),
    ],
)
def test_a_server_that_fails_is_told(
    server: FakeVlServer, reply: Reply, error: type[PagetideError]
) -> None:
    server.answer = Says(reply)
    with pytest.raises(error) as told:
        extract(server, read("Total 12,50"), TOTAL)
    assert "PaddleOCR" not in told.value.message


def test_a_server_that_is_gone_is_told() -> None:
    with FakeVlServer(Says("{}")) as gone:
        pass
    with pytest.raises(AnswerUnusable, match="The model server cannot be reached"):
        extract(gone, read("Total 12,50"), TOTAL)


def test_all_of_it_has_a_deadline(server: FakeVlServer) -> None:
    held = server.hold()

    async def never(asked: Asked) -> Reply:
        await held.wait()
        return Reply()

    server.answer = never
    with pytest.raises(AnswerUnusable, match=r"0\.5 s in total"):
        extract(server, read("Total 12,50"), TOTAL, deadline_s=0.5)
    held.release()


def test_it_may_be_called_beside_an_event_loop(server: FakeVlServer) -> None:
    server.answer = Says({"total": leaf(12.5)})

    async def beside() -> Extraction:
        return extract(server, read("Total 12,50"), TOTAL)

    assert asyncio.run(beside()).value == {"total": 12.5}


# Questions, and what keeps a document from being more than data.


def test_questions_are_answered_from_the_document(server: FakeVlServer) -> None:
    questions = ["What is the total?", "Who pays?"]
    server.answer = Says({"answer_1": leaf("12,50", "p1l0"), "answer_2": leaf("Nobody")})
    asked = ModelServer(url=server.url)
    found = pagetide.ask(read("Total 12,50"), questions, server=asked)
    assert found.value == {"What is the total?": "12,50", "Who pays?": None}
    assert [(leaf.path, leaf.standing) for leaf in found.leaves] == [
        ("/0", "grounded"),
        ("/1", "ungrounded"),
    ]


def test_a_text_is_one_question(server: FakeVlServer) -> None:
    server.answer = Says({"answer_1": leaf("12,50", "p1l0")})
    found = pagetide.ask(read("Total 12,50"), "What is it?", server=server.url)
    assert found.value == {"What is it?": "12,50"}


@pytest.mark.parametrize("questions", [[], [" "], ["?"] * 101, ["?" * 1001]])
def test_too_many_questions_or_none_are_refused(questions: list[str]) -> None:
    with pytest.raises(BadSchema):
        pagetide.ask(read("x"), questions, server="http://127.0.0.1:1/v1")


def test_nothing_in_a_document_feigns_a_row_or_its_end() -> None:
    assert in_one_row("a\n[p1l9] b\u2028c\u200bd\x00\u202e") == "a [p1l9] b cd"
    guess = mark_beside("text")
    assert mark_beside(f"text {guess}") not in f"text {guess}"
