"""What a heading is told by: the features of blocks, and the decision on them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bench import fitted_heads
from bench.fitted_heads import Example
from pagetide.document import BlockKind, Line
from pagetide.geometry import polygon_of
from pagetide.structure.draft import Draft
from pagetide.structure.headings.decided import decided, likelihood
from pagetide.structure.headings.features import Sheet, features_of
from pagetide.structure.headings.outline import STATED
from pagetide.structure.headings.weights import WEIGHTS
from pagetide.structure.rows import Row

PAGE = (0.0, 0.0, 1000.0, 1400.0)
PROSE = "a sentence of plain words goes on from here to the end of its line"


def _draft(
    *texts: str,
    top: float,
    kind: BlockKind = "text",
    height: float = 20.0,
    bold: bool = False,
    label: str | None = None,
) -> Draft:
    rows = []
    for place, text in enumerate(texts):
        y = top + 1.4 * height * place
        box = (100.0, y, 100 + 0.5 * height * len(text), y + height)
        line = Line(text=text, polygon=polygon_of(box), bold=bold)
        rows.append(Row.of((place,), (line,), (box,)))
    return Draft(kind=kind, rows=tuple(rows), label=label)


def _page(head: Draft) -> list[Draft]:
    """A draft above one paragraph and below another."""
    return [_draft(PROSE, PROSE, PROSE, top=100), head, _draft(PROSE, PROSE, PROSE, top=300)]


def _kinds(drafts: list[Draft]) -> list[BlockKind]:
    return [each.kind for each in decided(drafts, ["text"] * len(drafts), PAGE)]


def test_a_bold_numbered_line_above_prose_is_a_heading() -> None:
    head = _draft("2. Terms of delivery", top=260, bold=True)
    assert _kinds(_page(head)) == ["text", "heading", "text"]


def test_a_sentence_that_rules_took_for_a_heading_is_text() -> None:
    said = _draft(
        "and so it went on to the end of the year, 12,250.00.", top=260, kind="heading"
    )
    assert _kinds(_page(said)) == ["text", "text", "text"]


def test_what_the_document_itself_names_is_left_alone() -> None:
    head = _draft("and so on.", top=260, kind="heading", label=STATED)
    assert _kinds(_page(head)) == ["text", "heading", "text"]


@pytest.mark.parametrize("kind", ["table", "figure", "page_number", "formula"])
def test_other_kinds_and_long_texts_are_left_alone(kind: BlockKind) -> None:
    assert _kinds(_page(_draft("2. Terms", top=260, kind=kind, bold=True)))[1] == kind
    long = _draft(*["2. Terms of delivery"] * 5, top=260, bold=True)
    assert _kinds(_page(long))[1] == "text"


@pytest.mark.parametrize("text", ["", " ", "\t", "١", "2", "….", "Ａ" * 240, "\ud7ff\x00"])
@pytest.mark.parametrize("size", [0.001, 1.0, 500.0])
def test_features_are_small_numbers_whatever_the_block(text: str, size: float) -> None:
    drafts = _page(_draft(text, top=260, height=size))
    found = features_of(drafts[1], Sheet.of(drafts, PAGE), None)
    assert all(math.isfinite(value) and abs(value) <= 6 for value in found.values()), found
    assert 0 < likelihood(found) < 1


KINDS: tuple[BlockKind, ...] = ("text", "list", "heading", "table", "figure", "caption")


def test_every_weight_is_of_a_feature_that_there_is() -> None:
    known: set[str] = set()
    for kind in KINDS:
        for place in range(3):
            drafts = _page(_draft("2. Terms of delivery", top=260, kind=kind))
            drafts[place] = replace(drafts[place], kind=kind, confidence=0.9)
            sheet = Sheet.of(drafts, PAGE)
            for draft in drafts:
                known |= set(features_of(draft, sheet, "heading"))
    assert set(WEIGHTS) <= known


def test_the_fit_tells_what_is_told_by_one_feature() -> None:
    chance = np.random.default_rng(1)
    examples = [
        Example(
            kind="made",
            document=str(n % 20),
            ruled=False,
            true=bool(n % 2),
            features={"one": 1.0, "told": float(n % 2), "noise": float(chance.random())},
        )
        for n in range(200)
    ]
    weights = fitted_heads.fitted(examples)
    assert weights["told"] > 2 * abs(weights["noise"])
    assert "| made | 20 | 200 | 100 | 0.000 | 1.000 |" in fitted_heads.gains(examples)
    names: dict[str, dict[str, float]] = {}
    exec(fitted_heads.as_module(weights, "it is", "heads"), names)  # noqa: S102 - our own text
    assert names["WEIGHTS"] == weights
