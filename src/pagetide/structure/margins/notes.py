"""Links footnotes to their marks: raised in the text, and at the start of the note."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from pagetide.document import Block, BlockKind, Footnote, Line, TextPlace

_MARK = r"[*∗†‡§¶‖#]{1,3}|\d{1,3}|[a-z]"
_MARKS = re.compile(rf"[(\[]?(?:{_MARK})(?:[,;\s]+(?:{_MARK}))*[)\]]?")
_ONE = re.compile(_MARK)
_NOTE = re.compile(rf"\s*[(\[]?({_MARK})[)\].]?\s*\S")
# What may precede the mark of a number or a letter: not `10` or `km`, which have powers.
_MARKABLE = re.compile(r"(?:[^\W\d_]{3}|[^\w\s+=*/^−-]|\s|^)$")
_NO_NOTES: frozenset[BlockKind] = frozenset({"formula", "code", "table", "page_number"})


def footnotes(lines: Sequence[Line], blocks: Sequence[Block]) -> tuple[Footnote, ...]:
    """The page's notes whose marks are raised in the text above, in reading order.

    A note starts with its mark, raised or at the start of a footnote. Of two notes with one
    mark, the first gets the marks before it.

    Args:
        lines: Of the page.
        blocks: In reading order.
    """
    if not any(style.kind == "superscript" for line in lines for style in line.styles):
        return ()
    waiting: dict[str, list[TextPlace]] = defaultdict(list)
    found: list[Footnote] = []
    for block in blocks:
        notes = dict(_notes(block, lines))
        for index in block.line_indexes:
            if note := notes.get(index):
                mark = lines[index].text[note.start : note.end]
                if marks := waiting.pop(mark, ()):
                    found.append(Footnote(mark=mark, place=note, marked=tuple(marks)))
            for place in _marks(index, lines[index], notes.get(index)):
                waiting[lines[index].text[place.start : place.end]].append(place)
    return tuple(found)


def _notes(block: Block, lines: Sequence[Line]) -> Iterator[tuple[int, TextPlace]]:
    """The lines of a block that start notes, with the place of the mark."""
    if block.kind in _NO_NOTES:
        return
    last = ""
    for index in block.line_indexes:
        match = _NOTE.match(lines[index].text)
        is_first = index == block.line_indexes[0]
        if not match or not (is_first or last):
            continue
        place = TextPlace(line=index, start=match.start(1), end=match.end(1))
        counts_up = last.isdigit() and match[1].isdigit() and int(match[1]) == int(last) + 1
        if _is_raised(lines[index], place) or (
            block.kind == "footnote" and (is_first or counts_up)
        ):
            last = match[1]
            yield index, place


def _is_raised(line: Line, place: TextPlace) -> bool:
    return any(
        style.kind == "superscript" and style.start <= place.start and place.end <= style.end
        for style in line.styles
    )


def _marks(index: int, line: Line, note: TextPlace | None) -> Iterator[TextPlace]:
    """The raised marks in a line, except the one that a note starts with."""
    for style in line.styles:
        raised = line.text[style.start : style.end]
        if style.kind != "superscript" or not _MARKS.fullmatch(raised):
            continue
        before = line.text[max(0, style.start - 3) : style.start]
        for mark in _ONE.finditer(raised):
            start, end = style.start + mark.start(), style.start + mark.end()
            is_note = note is not None and (start, end) == (note.start, note.end)
            is_sign = not mark[0].isalnum()
            if not is_note and (is_sign or _MARKABLE.search(before)):
                yield TextPlace(line=index, start=start, end=end)
