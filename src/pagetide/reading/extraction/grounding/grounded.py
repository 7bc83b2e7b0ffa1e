"""Finds where a server's values stand; a value that stands nowhere is not returned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from pagetide.document.extraction import ExtractedLeaf, Standing
from pagetide.exports.fields.values.dates import DATE, Order, normalised
from pagetide.reading.extraction.forms.answers_read import LeafAnswer
from pagetide.reading.extraction.forms.form import LeafForm
from pagetide.reading.extraction.grounding.figures_in import decimal_mark_in
from pagetide.reading.extraction.grounding.page_text import PageText, least, whole
from pagetide.reading.extraction.grounding.standing import TextMatch, found_in
from pagetide.reading.extraction.pieces import Piece


class Ground:
    """The pieces of a document, which values must stand in."""

    def __init__(self, pieces: Sequence[Piece], order: Order) -> None:
        """Take the pieces.

        Args:
            pieces: In reading order: what the server may have seen, or more.
            order: Of the document's dates.
        """
        self._pieces, self._order = pieces, order
        self._known = {piece.id: piece for piece in pieces}

    @cached_property
    def _all(self) -> PageText:
        return PageText(self._pieces, self._decimal_mark)

    @cached_property
    def _decimal_mark(self) -> str:
        return decimal_mark_in("\n".join(piece.text for piece in self._pieces))

    def leaf(self, form: LeafForm, answer: LeafAnswer, at: str) -> ExtractedLeaf:
        """A value with where it stands.

        Args:
            form: Its part of the schema.
            answer: As the server gave it.
            at: Its path.
        """
        named = [self._known[name] for name in answer.named if name in self._known]
        value = self._as_wanted(form, answer.value)
        if not answer.fits:
            return ExtractedLeaf(path=at, standing="ungrounded", refused=answer.value)
        if not isinstance(value, bool):
            for text, standing in self._tried(named):
                found = found_in(text, value, self._order)
                if found is not None:
                    sure: Standing = standing if found.certain else "inferred"
                    return _leaf(at, value, sure, text, found)
        if named and (form.choices is not None or isinstance(value, bool)):
            return ExtractedLeaf(
                path=at,
                value=value,
                standing="inferred",
                text=" ".join(piece.text for piece in named),
                lines=tuple(map(whole, named)),
                confidence=least(piece.confidence for piece in named),
            )
        return ExtractedLeaf(path=at, standing="ungrounded", refused=answer.value)

    def _as_wanted(self, form: LeafForm, value: Any) -> Any:
        """A value in the form that the schema wants: 5, not 5.0; 2024-03-18, not 18.03.2024."""
        if isinstance(value, float) and value.is_integer() and "number" not in form.kinds:
            return int(value)
        if isinstance(value, str) and form.says.get("format") == "date":
            date = DATE.fullmatch(value.strip())
            return (date and normalised(date, self._order)) or value
        return value

    def _tried(self, named: Sequence[Piece]) -> Iterator[tuple[PageText, Standing]]:
        """The lines that the server named, then all."""
        if named:
            in_order = sorted(named, key=lambda piece: self._places[piece.id])
            yield PageText(in_order, self._decimal_mark), "grounded"
        yield self._all, "elsewhere"

    @cached_property
    def _places(self) -> dict[str, int]:
        return {piece.id: place for place, piece in enumerate(self._pieces)}


def _leaf(
    at: str, value: Any, standing: Standing, text: PageText, found: TextMatch
) -> ExtractedLeaf:
    stands, lines, sure = text.found(found.start, found.end)
    return ExtractedLeaf(
        path=at,
        value=value,
        standing=standing,
        text=stands,
        lines=tuple(lines),
        confidence=least(sure),
    )
