"""Separators of words: the spaces of a line, and those between joined lines."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from unicodedata import bidirectional

from pagetide.document import Line, Word
from pagetide.geometry import Polygon, oriented, part_of

# A letter of a script that runs from right to left.
IS_LEFTWARD = re.compile(
    "[\u0590\u05be\u05c0\u05c3\u05c6-\u05ff\u0608\u060b\u060d\u061b-\u064a\u066d-\u066f"
    "\u0671-\u06d5\u06e5\u06e6\u06ee\u06ef\u06fa-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc"
    "\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
# Whether text whose first character has this class runs from right to left.
_LEFTWARD = {"L": False, "R": True, "AL": True}
# Scripts without spaces between words: Thai, Lao, Myanmar, Khmer, Yi, Han, Kana, Bopomofo, and
# the punctuation of the latter.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u31a0-\u9fff\ua000-\ua4cf"
    "\uf900-\ufaff\uff01-\uff60\U00020000-\U0003134f]"
)


_OTHER = r"[^\W_\u0e00-\uffff]"  # a letter or a digit of a script with spaces
_LETTER = "[\u2e80-\u2fff\u3005-\u3007\u3040-\u312f\u31a0-\u9fff\uf900-\ufaff]"
_MIXED = re.compile(f"{_LETTER}{_OTHER}|{_OTHER}{_LETTER}")
_SPACED_MIXED = re.compile(f"{_LETTER} {_OTHER}|{_OTHER} {_LETTER}")
_SIGNS = "“”‘’…—"  # of both kinds of script; without spaces in those without
# A word of another script, with the signs of unspaced ones that no row starts or ends with.
_OPENS = "[\u3008\u300a\u300c\u300e\u3010\uff08]"
_CLOSES = "[\u3001\u3002\u3009\u300b\u300d\u300f\u3011\uff01\uff09\uff0c\uff1a\uff1b\uff1f]"
_FIRST_WORD = re.compile(rf"{_OPENS}*[^\s{_UNSPACED.pattern[1:-1]}]+{_CLOSES}*")
_PARTS = re.compile(rf"{_UNSPACED.pattern}\s*|[^\s{_UNSPACED.pattern[1:-1]}]+\s*|\s+")


def joint(left: str, right: str) -> str:
    """The separator of two texts when joined: a space, or nothing.

    Nothing between scripts written without spaces, nor beside an empty text.
    """
    if not left or not right:
        return ""
    ends, begins = bool(_UNSPACED.match(left[-1])), bool(_UNSPACED.match(right))
    if ends and begins:
        return ""
    if (ends and right[0] in _SIGNS) or (begins and left[-1] in _SIGNS):
        return ""
    return " "


def is_mixed(left: str, right: str) -> bool:
    """Whether one text ends, or the other starts, in an unspaced script, and only one does."""
    return bool(_MIXED.fullmatch(left[-1:] + right[:1]))


def writes_spaces(texts: Iterable[str]) -> bool:
    """Whether texts have as many spaces between unspaced and other scripts as none, or more."""
    tight = spaced = 0
    for text in texts:
        if _UNSPACED.search(text):
            tight += len(_MIXED.findall(text))
            spaced += len(_SPACED_MIXED.findall(text))
    return spaced >= tight


def is_unspaced(text: str) -> bool:
    """Whether it starts in a script that is written without spaces."""
    return bool(_UNSPACED.match(text))


def parted(text: str) -> list[str]:
    """A text's words, each with the white space after it, and letters of unspaced scripts."""
    return _PARTS.findall(text)


def first_word(text: str) -> str:
    """The start of a text that no line break may split, or at most two letters."""
    found = _FIRST_WORD.match(text.lstrip())
    return found.group() if found else text[:2]


def first_width(line: Line) -> float:
    """The width in pixels of what `first_word` gives for a line, by its words' boxes.

    Its share of the line's length, if it has no words.
    """
    letters = len(first_word(line.text))
    if not line.words:
        return letters / max(len(line.text), 1) * _length(line.polygon)
    width = 0.0
    for word in line.words:
        if letters <= 0:
            break
        width += min(1.0, letters / max(len(word.text), 1)) * _length(word.polygon)
        letters -= len(word.text)
    return width


def _length(polygon: Polygon) -> float:
    """The upper edge's, in the direction of the text."""
    return math.dist(*polygon[:2])


def as_one(texts: Iterable[str]) -> str:
    """Consecutive texts, joined."""
    whole = ""
    for text in texts:
        whole += joint(whole, text) + text
    return whole


def spaced_words(line: Line) -> Iterator[tuple[Word, bool]]:
    """The line's words, and whether a space follows each in the line's text.

    A line without own words is cut at its spaces, each piece getting its share of the line's
    length by its number of characters.
    """
    words = line.words or tuple(_cut(line))
    text, place = line.text, 0
    for word in words:
        found = text.find(word.text, place)
        place = found + len(word.text) if found >= 0 else place
        rest = text[place:]
        yield word, rest[:1].isspace() and bool(rest.strip())


def _cut(line: Line) -> Iterator[Word]:
    whole = oriented(line.polygon)
    is_leftward = next(
        (_LEFTWARD[d] for d in map(bidirectional, line.text) if d in _LEFTWARD), 0
    )
    for found in re.finditer(r"\S+", line.text):
        start, end = (place / len(line.text) for place in found.span())
        if is_leftward:
            start, end = 1 - end, 1 - start
        yield Word(
            text=found.group(),
            polygon=part_of(whole, start, end),
            confidence=line.confidence,
        )
