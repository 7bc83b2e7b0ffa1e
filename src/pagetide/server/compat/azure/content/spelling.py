"""How text that was read is spelled in the content, and where each of its letters then is.

A spelling takes a text as read and gives what stands in the content, and the place there of
each letter of the text, and of its end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from pagetide.document import BlockKind
from pagetide.exports.text import markdown, markup

Spelled = tuple[str, Sequence[int]]
Spelling = Callable[[str], Spelled]

_CLOSING = re.compile(r"#+\Z")
_TOKEN = re.compile(r"\S+")
_NUMBER = re.compile(r"(?:0|[1-9][0-9]{0,8})[.)]\Z")
_BULLETS = frozenset("•·▪▫‣◦●○■–—-*+")
_IN_CELL = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": "<br>"}
_IN_COMMENT = {**_IN_CELL, '"': "&quot;", "\n": " "}
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def as_read(text: str) -> Spelled:
    """Nothing is changed."""
    return text, range(len(text) + 1)


def prose(text: str) -> Spelled:
    """Markdown that shows the text as it is, and keeps its lines."""
    return _by_token(text, _first_of_line, markdown.escape_within)


def listed(text: str) -> Spelled:
    """Markdown that keeps the lines, and lets marks of items be such.

    A number that does not count on from the one before stays text: Markdown would change it.
    """
    return _by_token(text, _first_of_items(), markdown.escape_within)


def heading(text: str) -> Spelled:
    """Markdown behind the `#` of a heading."""
    spelled, _ = _by_token(text, markdown.escape_within, markdown.escape_within)
    closing = _CLOSING.search(spelled)
    if closing:
        spelled = f"{spelled[: closing.start()]}\\{closing[0]}"
    return spelled, list(_places(text, spelled))


def in_html(text: str) -> Spelled:
    """HTML that shows the text, a `<br>` between its lines."""
    return _by_letter(text, lambda letter: _IN_CELL.get(letter) or markup.plain(letter))


def in_comment(text: str) -> Spelled:
    """What may stand in an HTML comment, in quotes; all on one line."""
    return _by_letter(text, lambda letter: _IN_COMMENT.get(letter) or markup.plain(letter))


def formula(text: str) -> Spelled:
    """LaTeX between `$$` that cannot end it, nor become a tag."""
    tags = {found.start() for found in _TAG.finditer(text)}
    ends = {found.start() for found in re.finditer(r"\$(?=\$)", text)}
    parts = [f"{letter} " if i in tags | ends else letter for i, letter in enumerate(text)]
    return "".join(parts), list(accumulate(map(len, parts), initial=0))


def one_line(text: str) -> str:
    """The text on one line."""
    return " ".join(text.split())


def clean_lines(text: str) -> str:
    """The text without what would be markup only by being white space."""
    return "\n".join(filter(None, map(one_line, text.split("\n"))))


def tidied(kind: BlockKind, text: str) -> str:
    """A block's text as it can stand in Markdown: white space made plain."""
    if kind in ("title", "heading", "formula"):
        return one_line(text)
    return text if kind in ("code", "table") else clean_lines(text)


def spelling_of(kind: BlockKind) -> Spelling:
    """How a block's text is spelled in Markdown."""
    return _SPELLINGS.get(kind, prose)


_SPELLINGS: dict[BlockKind, Spelling] = {
    "title": heading,
    "heading": heading,
    "list": listed,
    "formula": formula,
    "code": as_read,
    "table": as_read,
    "header": in_comment,
    "footer": in_comment,
    "page_number": in_comment,
}


def _first_of_line(token: str) -> str:
    return markdown.escape(token)


def _first_of_items() -> Callable[[str], str]:
    expected: int | None = None

    def first(token: str) -> str:
        nonlocal expected
        if token in _BULLETS:
            return "-"
        number = int(token[:-1]) if _NUMBER.match(token) else None
        if number is None or expected not in (None, number):
            return markdown.escape(token)
        expected = number + 1
        return token

    return first


def _by_token(text: str, first: Callable[[str], str], other: Callable[[str], str]) -> Spelled:
    """Each run of letters spelled by itself; the first of a line in its own way."""
    parts, places, end, length = [], [], 0, 0
    for found in _TOKEN.finditer(text):
        gap, token = text[end : found.start()], found.group()
        spelled = (first if not end or "\n" in gap else other)(token)
        places += [*range(length, length + len(gap))]
        length += len(gap)
        places += [length + place for place in _places(token, spelled)][:-1]
        length += len(spelled)
        parts += [gap, spelled]
        end = found.end()
    rest = text[end:]
    places += range(length, length + len(rest) + 1)
    return "".join([*parts, rest]), places


def _places(text: str, spelled: str) -> Iterator[int]:
    """Where each letter is, its backslash with it, if nothing but backslashes was added."""
    place = 0
    one_for_one = len(text) == len(spelled)
    for letter in text:
        yield place
        escaped = spelled[place] == "\\" and (spelled[place] != letter or letter == "\\")
        place += 1 if one_for_one else 1 + escaped
    yield place


def _by_letter(text: str, spell: Callable[[str], str]) -> Spelled:
    parts = [spell(letter) for letter in text]
    return "".join(parts), list(accumulate(map(len, parts), initial=0))
