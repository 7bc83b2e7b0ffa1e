"""Headings alike in form are headings together."""

from __future__ import annotations

from pagetide.document import BlockKind, Line
from pagetide.geometry import polygon_of
from pagetide.structure.draft import Draft
from pagetide.structure.headings.decided import decided
from pagetide.structure.rows import Row

PAGE = (0.0, 0.0, 1000.0, 1400.0)
PROSE = "a sentence of plain words that goes on from here to the end of its own line"


def _draft(
    *texts: str,
    top: float,
    height: float = 20.0,
    bold: bool = False,
    kind: BlockKind = "text",
) -> Draft:
    rows = []
    for place, text in enumerate(texts):
        y = top + 1.2 * height * place
        box = (100.0, y, 100 + 0.45 * height * len(text), y + height)
        line = Line(text=text, polygon=polygon_of(box), bold=bold)
        rows.append(Row.of((place,), (line,), (box,)))
    return Draft(kind=kind, rows=tuple(rows))


def _sections(names: list[tuple[str, str]]) -> list[Draft]:
    """Names of two rows above a paragraph each, as the rules name them."""
    found = []
    for place, name in enumerate(names):
        found.append(_draft(*name, top=100 + 200 * place, bold=True, kind="heading"))
        found.append(_draft(PROSE, PROSE, PROSE, top=155 + 200 * place))
    return found


def _heads(names: list[tuple[str, str]]) -> list[str]:
    drafts = _sections(names)
    found = decided(drafts, [draft.kind for draft in drafts], PAGE)
    return [each.text.partition("\n")[0] for each in found if each.kind == "heading"]


def test_names_alike_in_form_are_headings_whatever_their_words() -> None:
    known = [("Article I", "Subject"), ("Article II", "Price"), ("Article III", "Term")]
    other = ("Kapitola 4", "vady 3 4 5 6, 7 8 9 10 11 12")
    assert _heads([known[0], other, known[1]]) == ["Article I", "Article II"]
    assert len(_heads([known[0], other, *known[1:]])) == 4


Name = tuple[list[str], BlockKind, int]
"""A bold block's rows, what the rules name it, and how many rows are below it."""


def _shown(names: list[Name]) -> list[BlockKind]:
    drafts, top = [], 100.0
    for texts, kind, rows in names:
        drafts.append(_draft(*texts, top=top, bold=True, kind=kind))
        top += 24 * len(texts) + 4
        drafts.append(_draft(*[PROSE[: 60 if rows > 1 else 12]] * rows, top=top))
        top += 24 * rows + 20
    found = decided(drafts, [draft.kind for draft in drafts], PAGE)
    return [draft.kind for draft in found[::2]]


def test_a_question_on_three_rows_is_a_heading_as_its_sisters_are() -> None:
    texts = ["Much is said of scanners", "and printers in three", "dimensions. And you?"]
    one: Name = (["How does a violin begin?"], "heading", 5)
    assert _shown([one, one, (texts, "text", 5), one, one]) == ["heading"] * 5


def test_a_name_over_two_rows_is_no_heading_as_its_sisters_are_none() -> None:
    short: Name = (["Founded"], "text", 1)
    assert _shown([short, short, short, (["Owner"], "heading", 2)]) == ["text"] * 4
