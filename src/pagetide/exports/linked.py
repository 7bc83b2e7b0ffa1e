"""Links in formats that have them: the words that stand on one are marked, then written.

A link is a place on the page. Its words are found in a block's text letter by letter, since
rows were joined and hyphens undone; where the text is not that of the lines, as after a model
that writes blocks itself, there is no link in it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from msgspec.structs import replace

from pagetide.document import Block, BlockKind, Cell, Document, Link, Page, Word
from pagetide.exports.hyphens import HYPHENS
from pagetide.geometry import box_of, center, contains

# Characters that no text has, Unicode keeps them for such use; behind each, the link's place.
_OPEN, _CLOSE = "\ufdd2", "\ufdd3"
_FIRST = 0xF0000
_MARK = re.compile("([\ufdd2\ufdd3])([\U000f0000-\U000ffffd])")
_MARKS = re.compile("[\ufdd2\ufdd3]")
_PLAIN: frozenset[BlockKind] = frozenset({"code", "formula"})
_SCHEMES = frozenset({"http", "https", "mailto", "tel", "ftp"})  # what runs nothing
_SOFT = frozenset((*HYPHENS, "\u00ad"))
_UNSAFE = re.compile(r"[^!-~]|[()<>\\\"'`|\[\]*$]")
_ENTITY = re.compile(r"&(?=#?\w+;)")


class Place(NamedTuple):
    """What a link opens with, and closes with, in a format."""

    opening: str
    closing: str


def marked(document: Document, without: frozenset[BlockKind] = frozenset()) -> Document:
    """The document with marks around the text of links that may be followed.

    Args:
        document: As it is told, rows joined or not. Pages whose links may not be followed, or
            whose text has such marks by itself, lose them.
        without: Kinds of blocks whose text holds no links in the format.
    """
    numbers = {page.number for page in document.pages}
    pages = (_page(page, numbers, without | _PLAIN) for page in document.pages)
    return replace(document, pages=tuple(pages))


def written(text: str, page: Page, places: Callable[[str], Place]) -> str:
    """Text with its marks as a format writes them.

    Args:
        text: Of the page, made safe for the format.
        page: As `marked` was given it.
        places: What an address opens and closes with.
    """

    def spelled(mark: re.Match[str]) -> str:
        place = places(target(page.links[ord(mark[2]) - _FIRST]))
        return place.opening if mark[1] == _OPEN else place.closing

    return _MARK.sub(spelled, text) if page.links else text


def unmarked(text: str) -> str:
    """The text without its marks."""
    return _MARK.sub("", text)


def parted(row: str) -> tuple[str, str]:
    """The mark that a row begins with, or nothing, and the rest."""
    mark = _MARK.match(row)
    return (mark[0], row[mark.end() :]) if mark else ("", row)


def aims(document: Document) -> frozenset[int]:
    """The numbers of pages that a link leads to."""
    return frozenset(
        link.page for page in document.pages for link in page.links if link.page is not None
    )


def target(link: Link) -> str:
    """Where a link leads, with nothing in it that ends an address in Markdown or HTML."""
    if link.page is not None:
        return f"#page-{link.page}"
    return _UNSAFE.sub(lambda found: quote(found[0], safe=""), link.address or "")


def in_markdown(address: str) -> Place:
    """How Markdown writes a link."""
    return Place("[", "](" + _ENTITY.sub(r"\\&", address) + ")")


def in_html(address: str) -> Place:
    """How HTML writes a link."""
    return Place(f'<a href="{address.replace("&", "&amp;")}">', "</a>")


def _page(page: Page, numbers: set[int], without: frozenset[BlockKind]) -> Page:
    links = [
        (place, box_of(link.polygon), link)
        for place, link in enumerate(page.links)
        if _may_be_followed(link, numbers)
    ]
    if not links or _has_marks(page):
        return replace(page, links=())
    links.sort(key=lambda each: each[1][1])
    tops = [box[1] for _, box, _ in links]

    def link_of(word: Word) -> int | None:
        """The link that a word stands on: of several, the one that begins lowest."""
        point = center(box_of(word.polygon))
        for place, box, _ in reversed(links[: bisect_right(tops, point[1])]):
            if contains(box, point):
                return place
        return None

    def block_marked(block: Block) -> Block:
        if block.kind in without:
            return block
        words = [(word, link_of(word)) for line in page.lines_of(block) for word in line.words]
        if not any(link is not None for _, link in words):
            return block
        table = block.table and replace(
            block.table, cells=tuple(_cell(page, cell, link_of) for cell in block.table.cells)
        )
        return replace(block, text=_marked(block.text, words, page), table=table)

    return replace(page, blocks=tuple(map(block_marked, page.blocks)))


def _has_marks(page: Page) -> bool:
    """Whether a text has our marks by itself: somebody means it to be taken for a link."""
    told = [line.text for line in page.lines] + [block.text for block in page.blocks]
    tables = (block.table for block in page.blocks if block.table)
    told += (cell.text for table in tables for cell in table.cells)
    return any(map(_MARKS.search, told))


def _may_be_followed(link: Link, numbers: set[int]) -> bool:
    if link.page is not None:
        return link.page in numbers
    try:
        return urlsplit(link.address or "").scheme in _SCHEMES
    except ValueError:
        return False


def _cell(page: Page, cell: Cell, link_of: Callable[[Word], int | None]) -> Cell:
    around = box_of(cell.polygon) if cell.polygon else None
    words = [
        (word, link_of(word))
        for index in cell.line_indexes
        for word in page.lines[index].words
        if around is None or contains(around, center(box_of(word.polygon)))
    ]
    return replace(cell, text=_marked(cell.text, words, page))


def _marked(text: str, words: Sequence[tuple[Word, int | None]], page: Page) -> str:
    """A text with marks around the letters of words that stand on links."""
    places = _places(text, [word.text for word, _ in words])
    if places is None:
        return text
    parts: list[str] = []
    end = 0
    runs = _runs([link for _, link in words], places, page)
    for start, stop, link in _by_row(text, runs):
        sign = chr(_FIRST + link)
        parts += [text[end:start], _OPEN, sign, text[start:stop], _CLOSE, sign]
        end = stop
    return "".join(parts) + text[end:]


def _places(text: str, words: Iterable[str]) -> list[tuple[int, int]] | None:
    """Where each word begins and ends in the text; None where it is not made of them."""
    found: list[tuple[int, int]] = []
    at = 0
    for word in words:
        while at < len(text) and text[at].isspace():
            at += 1
        start = at
        for letter in word:
            while at < len(text) and text[at].isspace() and letter != text[at]:
                at += 1
            if at < len(text) and text[at] == letter:
                at += 1
            elif letter not in _SOFT:
                return None
        found.append((start, at))
    return found


def _runs(
    links: Sequence[int | None], places: Sequence[tuple[int, int]], page: Page
) -> Iterator[tuple[int, int, int]]:
    """Start, end and link of words that follow one another and lead to one place."""

    def leads_to(at: int) -> tuple[str | None, int | None] | None:
        link = links[at]
        return None if link is None else (page.links[link].address, page.links[link].page)

    for where, run in groupby(range(len(links)), key=leads_to):
        of_run = list(run)
        link = links[of_run[0]]
        if where is not None and link is not None:
            yield places[of_run[0]][0], places[of_run[-1]][1], link


def _by_row(text: str, runs: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """The runs, each parted at line feeds: what is one row to a format holds it whole."""
    for start, stop, link in runs:
        for row in re.finditer(r"[^\n]+", text[start:stop]):
            if row[0].strip():
                yield start + row.start(), start + row.end(), link
