"""Links and styles in formats that have them: words are marked, then the marks written.

A link is a place on the page, a style one in a line. Their words are found in a block's text
letter by letter, since rows were joined and hyphens undone; where the text is not that of the
lines, as after a model that writes blocks itself, there is neither in it.
"""

from __future__ import annotations

import re
import string
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from unicodedata import category

from msgspec.structs import replace

from pagetide.document import Block, BlockKind, Cell, Document, Page, StyleKind
from pagetide.exports import linked
from pagetide.exports.inline_marks import Piece, Sign, Token, has_marks, put, tokens
from pagetide.geometry import Box, box_of, center, contains

_PLAIN: frozenset[BlockKind] = frozenset({"code", "formula"})
_HEADS: frozenset[BlockKind] = frozenset({"title", "heading"})
_NONE: frozenset[StyleKind] = frozenset()
_TAGS: dict[StyleKind, str] = {
    "bold": "strong",
    "italic": "em",
    "code": "code",
    "superscript": "sup",
    "subscript": "sub",
}
_SIGNS: dict[StyleKind, str] = {"bold": "**", "italic": "*"}
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_NOT_IN_CODE = re.compile(r"[`|]")


def marked(document: Document, without: frozenset[BlockKind] = frozenset()) -> Document:
    """The document with marks around text that is styled, or linked to what may be followed.

    A heading, or a head of a table, that is all in one style has none of it.

    Args:
        document: As it is told, rows joined or not. Pages whose text has such marks by itself
            lose their links and styles.
        without: Kinds of blocks whose text holds neither in the format.
    """
    numbers = {page.number for page in document.pages}
    pages = (_page(page, numbers, without | _PLAIN) for page in document.pages)
    return replace(document, pages=tuple(pages))


def html_of(parts: Iterable[str], page: Page) -> Iterator[str]:
    """Parts of HTML with their marks written.

    Args:
        parts: Of the page, made safe for HTML.
        page: As `marked` gave it.
    """
    return _written(parts, page, _html)


def markdown_of(parts: Iterable[str], page: Page) -> Iterator[str]:
    """Parts of Markdown with their marks written: as tags where Markdown's signs would not do.

    Args:
        parts: Of the page, made safe for Markdown; a table may be HTML.
        page: As `marked` gave it.
    """

    def write(found: Sequence[Token], page: Page) -> str:
        return (_html if found[0].text.startswith("<table>") else _markdown)(found, page)

    return _written(parts, page, write)


def _written(
    parts: Iterable[str], page: Page, write: Callable[[Sequence[Token], Page], str]
) -> Iterator[str]:
    if not page.links and not any(line.styles for line in page.lines):
        yield from parts  # whatever looks like a mark in it is none
        return
    for part in parts:
        found = tokens(part)
        yield write(found, page) if len(found) > 1 else part


def _html(found: Sequence[Token], page: Page) -> str:
    return "".join(
        token.text if token.sign is None else _tags(token.sign, page)[not token.opens]
        for token in found
    )


def _markdown(found: Sequence[Token], page: Page) -> str:
    written: list[str] = []
    ends: list[str] = []
    is_code = False
    for at, token in enumerate(found):
        if token.sign is None:
            written.append(_ESCAPED.sub(r"\1", token.text) if is_code else token.text)
        elif token.opens:
            opening, closing = _signs(found, at, token.sign, page)
            if opening == "[" and at and found[at - 1].text.endswith("!"):
                written[-1] = written[-1][:-1] + "\\!"  # else it would be a picture
            written.append(opening)
            ends.append(closing)
            is_code = opening == "`"
        else:
            written.append(ends.pop())
            is_code = False
    return "".join(written)


def _tags(sign: Sign, page: Page) -> tuple[str, str]:
    if isinstance(sign, int):
        note = _note_of(sign, page)
        if note is None:
            return linked.in_html(linked.target(page.links[sign]))
        return (f'<a id="{note[0]}">', "</a>") if note[1] else linked.in_html(f"#{note[0]}")
    return f"<{_TAGS[sign]}>", f"</{_TAGS[sign]}>"


def _signs(found: Sequence[Token], at: int, sign: Sign, page: Page) -> tuple[str, str]:
    """What opens and closes in Markdown what begins at a place among tokens."""
    if isinstance(sign, int):
        note = _note_of(sign, page)
        if note is None:
            return linked.in_markdown(linked.target(page.links[sign]))
        return _tags(sign, page) if note[1] else linked.in_markdown(f"#{note[0]}")
    if sign == "code" and _is_plain_code(found, at):
        return "`", "`"
    sides = ((at, -1), (_end(found, at), 1))
    if sign in _SIGNS and all(_stands_free(found, *side) for side in sides):
        return _SIGNS[sign], _SIGNS[sign]
    return _tags(sign, page)


def _is_plain_code(found: Sequence[Token], at: int) -> bool:
    """Whether what begins at a place is text without marks, and not right behind other code."""
    is_apart = not at or found[at - 1] != Token("", "code", False)
    is_text = found[at + 1].sign is None and found[at + 2].sign == "code"
    return is_apart and is_text and not _NOT_IN_CODE.search(found[at + 1].text)


def _stands_free(found: Sequence[Token], at: int, step: int) -> bool:
    """Whether Markdown takes a sign for what it is meant: a letter beside it inside, none out.

    CommonMark calls such signs flanking. Of a sign between two of punctuation it cannot be
    sure, and not of one beside another that is not around it.
    """
    outside = _beside(found, at, step)
    if outside is None:
        return False
    if not outside.strip():
        return True
    inside = _beside(found, at, -step)
    return inside is not None and _is_punctuation(outside) and not _is_punctuation(inside)


def _beside(found: Sequence[Token], at: int, step: int) -> str | None:
    """The character that shows next to a mark in one direction; empty at the end.

    None where a sign that Markdown might take for a part of this one stands there.
    """
    opens = found[at].opens
    while 0 <= (at := at + step) < len(found):
        token = found[at]
        if token.sign is None:
            return token.text[0 if step > 0 else -1]
        if token.sign not in _SIGNS:
            return "<"  # punctuation, whatever it is: a bracket, a tag, a backtick
        if token.opens != opens:
            return None
    return ""


def _is_punctuation(letter: str) -> bool:
    return letter in string.punctuation or category(letter).startswith("P")


def _end(found: Sequence[Token], at: int) -> int:
    """Where what begins at a place ends: marks of one sign are not inside each other."""
    sign = found[at].sign
    return next(
        place for place in range(at + 1, len(found)) if found[place] == Token("", sign, False)
    )


def _page(page: Page, numbers: Collection[int], without: frozenset[BlockKind]) -> Page:
    links = linked.Links(page, numbers)
    if not links and not any(line.styles for line in page.lines):
        return replace(page, links=(), footnotes=())
    if has_marks(page):
        bare = tuple(replace(line, styles=()) for line in page.lines)
        return replace(page, links=(), footnotes=(), lines=bare)
    words = _Words(page, links)

    def block_marked(block: Block) -> Block:
        if block.kind in without:
            return block
        pieces = words.of(block.line_indexes)
        if not any(piece.link is not None or piece.styles for piece in pieces):
            return block
        table = block.table and replace(
            block.table, cells=tuple(words.cell(cell) for cell in block.table.cells)
        )
        pieces = _less(pieces) if block.kind in _HEADS else pieces
        return replace(block, text=put(block.text, pieces), table=table)

    return replace(page, blocks=tuple(map(block_marked, page.blocks)))


class _Words:
    """A page's words, cut where their style or what they lead to changes."""

    def __init__(self, page: Page, links: linked.Links) -> None:
        self._page = page
        self._links = links
        self._notes: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for number, note in enumerate(page.footnotes):
            sign = len(page.links) + 2 * number
            for place in note.marked:
                self._notes[place.line].append((place.start, place.end, sign))
            self._notes[note.place.line].append((note.place.start, note.place.end, sign + 1))

    def of(self, indexes: Iterable[int], around: Box | None = None) -> list[Piece]:
        """The pieces of lines: of words whose middle lies in a box, where one is given."""
        return [piece for index in indexes for piece in self._of_line(index, around)]

    def cell(self, cell: Cell) -> Cell:
        """A cell with its marks."""
        pieces = self.of(cell.line_indexes, box_of(cell.polygon) if cell.polygon else None)
        return replace(cell, text=put(cell.text, _less(pieces) if cell.header else pieces))

    def _of_line(self, index: int, around: Box | None) -> Iterator[Piece]:
        line, notes = self._page.lines[index], self._notes.get(index, ())
        parts = [(style.start, style.end) for style in line.styles]
        edges = sorted({at for start, end, *_ in (*parts, *notes) for at in (start, end)})
        end = 0
        for word in line.words:
            start = line.text.find(word.text, end) if edges else 0
            end = start + len(word.text)
            if around is not None and not contains(around, center(box_of(word.polygon))):
                continue
            link = self._links.under(word) if self._links else None
            if not edges:
                yield Piece(word.text, link, _NONE)
                continue
            cuts = [start, *(edge for edge in edges if start < edge < end), end]
            for begin, stop in pairwise(cuts):
                styles = (each.kind for each in line.styles if each.start <= begin < each.end)
                to_note = [sign for first, last, sign in notes if first <= begin < last]
                sign = to_note[0] if to_note else link
                yield Piece(line.text[begin:stop], sign, frozenset(styles))


def _less(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces without a style that all with letters have: it is their kind's own."""
    told = [piece.styles for piece in pieces if any(map(str.isalnum, piece.text))]
    shared = frozenset.intersection(*told) if told else _NONE
    return [piece._replace(styles=piece.styles - shared) for piece in pieces]


def _note_of(sign: int, page: Page) -> tuple[str, bool] | None:
    """The name of the note that a sign is for, and whether it is the note's own; or no note."""
    place = sign - len(page.links)
    return None if place < 0 else (f"note-{page.number}-{place // 2 + 1}", place % 2 == 1)
