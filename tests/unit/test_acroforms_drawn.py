"""Twenty drawn forms: names, types, values and states are those that pypdf finds."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import pypdf
import pytest
from pypdf.generic import ArrayObject, DictionaryObject

from pagetide.document import Page
from pagetide.inputs import Sandbox, open_input
from pagetide.reading.pages_in_work import Work, prepare
from tests.drawn.forms import HIDDEN, NO_VIEW, PUSH, RADIO, SEEDS, form_pdf


class Field(NamedTuple):
    kind: str
    value: str
    states: frozenset[str]
    places: int


def pages_of(pdf: bytes) -> Iterator[Page]:
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as opened:
        work = Work()
        for number in work.open(opened, None):
            page = prepare(work, opened, number, dpi=72, text_layer="only").page()
            assert page and not page.error
            yield page


def told(pdf: bytes) -> dict[str, Field]:
    """The fields of a document as it tells them, each with the number of its places."""
    found: dict[str, Field] = {}
    for page in pages_of(pdf):
        for field in page.form_fields:
            before = found.get(field.name)
            places = before.places + 1 if before else 1
            assert before is None or before.value == field.value
            found[field.name] = Field(field.kind, field.value, frozenset(), places)
        for mark in page.selection_marks:
            kind, value, states, places = found.get(
                mark.name, Field(mark.kind, "Off", frozenset(), 0)
            )
            value = mark.value if mark.selected else value
            found[mark.name] = Field(kind, value, states | {mark.value}, places + 1)
    return found


def inherited(field: Any, key: str, default: Any = None) -> Any:
    while key not in field and "/Parent" in field:
        field = field["/Parent"].get_object()
    return field.get(key, default)


def known(pdf: bytes) -> dict[str, Field]:
    """The same as pypdf finds them, but for those that do not show and push buttons."""
    reader = pypdf.PdfReader(io.BytesIO(pdf))
    fields = reader.get_fields() or {}
    found: dict[str, Field] = {}
    for name, field in fields.items():
        whole = field.indirect_reference.get_object()
        kids = [kid.get_object() for kid in whole.get("/Kids", [])]
        widgets = [kid for kid in kids or [whole] if "/T" not in kid or kid is whole]
        shown = [w for w in widgets if "/Rect" in w and not w["/F"] & (HIDDEN | NO_VIEW)]
        if shown and not inherited(whole, "/Ff", 0) & PUSH:
            found[name] = field_of(whole, shown)
    return found


def shown_of(whole: DictionaryObject, values: ArrayObject) -> str:
    """Several values, as a reader is shown them."""
    given = cast("list[Any]", whole["/Opt"])
    options = [each if isinstance(each, ArrayObject) else [each, each] for each in given]
    return "\n".join(str(shown) for value, shown in options if value in values)


def field_of(whole: DictionaryObject, widgets: list[Any]) -> Field:
    value = inherited(whole, "/V", "")
    said = shown_of(whole, value) if isinstance(value, ArrayObject) else str(value)
    kind = inherited(whole, "/FT")
    if kind != "/Btn":
        names = {"/Tx": "text", "/Ch": "choice", "/Sig": "signature"}
        return Field(names[kind], said, frozenset(), len(widgets))
    states = {state[1:] for widget in widgets for state in widget["/AP"]["/N"]} - {"Off"}
    is_radio = inherited(whole, "/Ff", 0) & RADIO
    return Field("radio" if is_radio else "checkbox", said[1:], frozenset(states), len(widgets))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_form_is_told_as_pypdf_finds_it(seed: int) -> None:
    pdf = form_pdf(seed)
    fields = known(pdf)
    assert len(fields) > 10 and {"radio", "checkbox", "choice", "text", "signature"} <= {
        field.kind for field in fields.values()
    }
    assert told(pdf) == fields
