"""Writes the marks in a page's text as links and styles of Markdown and HTML."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from unicodedata import category

from pagetide.document import Page, StyleKind
from pagetide.exports.text import linked
from pagetide.exports.text.inline_marks import NOTES, Sign, Token, tokens, writes_marks

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


def html_of(parts: Iterable[str], page: Page) -> Iterator[str]:
    """Parts of HTML with their marks written.

    Args:
        parts: Of the page, escaped for HTML.
        page: From `marked`.
    """
    return _written(parts, page, _html)


def markdown_of(parts: Iterable[str], page: Page) -> Iterator[str]:
    """Parts of Markdown with their marks written: as tags if Markdown's signs do not suffice.

    Args:
        parts: Of the page, escaped for Markdown; a table may be HTML.
        page: From `marked`.
    """

    def write(found: Sequence[Token], page: Page) -> str:
        return (_html if found[0].text.startswith("<table>") else _markdown)(found, page)

    return _written(parts, page, write)


def _written(
    parts: Iterable[str], page: Page, write: Callable[[Sequence[Token], Page], str]
) -> Iterator[str]:
    if not writes_marks(page):
        yield from parts  # nothing in it is a mark, whatever it looks like
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
                written[-1] = written[-1][:-1] + "\\!"  # otherwise it would be a picture
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
    """The Markdown that opens and closes what starts at an index among tokens."""
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
    """Whether a mark at an index holds text without marks, and does not follow other code."""
    is_apart = not at or found[at - 1] != Token("", "code", False)
    is_text = found[at + 1].sign is None and found[at + 2].sign == "code"
    return is_apart and is_text and not _NOT_IN_CODE.search(found[at + 1].text)


def _stands_free(found: Sequence[Token], at: int, step: int) -> bool:
    """Whether Markdown recognises a sign: a letter beside it inside, none outside.

    CommonMark calls such signs flanking. A sign between two punctuation characters is
    ambiguous, and so is one beside another that is not around it.
    """
    outside = _beside(found, at, step)
    if outside is None:
        return False
    if not outside.strip():
        return True
    inside = _beside(found, at, -step)
    return inside is not None and _is_punctuation(outside) and not _is_punctuation(inside)


def _beside(found: Sequence[Token], at: int, step: int) -> str | None:
    """The visible character next to a mark in one direction; empty at the end.

    None if there is a sign that Markdown might take for a part of this one.
    """
    opens = found[at].opens
    while 0 <= (at := at + step) < len(found):
        token = found[at]
        if token.sign is None:
            return token.text[0 if step > 0 else -1]
        if token.sign not in _SIGNS:
            return "<"  # punctuation of any kind: a bracket, a tag, a backtick
        if token.opens != opens:
            return None
    return ""


def _is_punctuation(letter: str) -> bool:
    return letter in string.punctuation or category(letter).startswith("P")


def _end(found: Sequence[Token], at: int) -> int:
    """Where the mark that starts at an index ends: marks of one sign are not nested."""
    sign = found[at].sign
    return next(
        place for place in range(at + 1, len(found)) if found[place] == Token("", sign, False)
    )


def _note_of(sign: int, page: Page) -> tuple[str, bool] | None:
    """The name of a sign's note, and whether it is the note's own mark; None without a note."""
    place = sign - NOTES
    return None if place < 0 else (f"note-{page.number}-{place // 2 + 1}", place % 2 == 1)
