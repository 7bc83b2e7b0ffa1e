"""Whether a page's own text matches what the page shows: pure functions.

Text used wrongly is a silent error; text rejected wrongly only costs the time of reading the
picture. So in doubt the picture is read.
"""

from __future__ import annotations

import re
import statistics
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from pagetide.document import TextLayerDecision

# Characters without meaning in text: replacement, private use, controls, non-characters.
_JUNK = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufdd0-\ufdef\ufffd\uffff\U000f0000-\U0010ffff]"
)
# Characters rare in text, but frequent if glyph numbers are taken for codes.
_ODD = re.compile(r"[#$%&+<>@\[\\\]^`{|}~¡-¿×÷ƀ-˿]")  # not _ * = -: rules are made of them
# A Latin letter beside one of another alphabet, within a word.
_OTHER = "\u0370-\u0e7f\u10a0-\u10ff"
_MIXED = re.compile(f"[A-Za-z][{_OTHER}]|[{_OTHER}][A-Za-z]")
_ANY_OTHER = re.compile(f"[{_OTHER}]")
# An Arabic letter thrice: a stroke that stretches a word, which its font maps to a letter.
_STRETCHED = re.compile(r"([ء-غف-ي])\1\1")

# A page of list bullets from a symbol font stays under 0.05.
_MOST_JUNK = 0.1
_MOST_ODD = 0.3
_MOST_MIXED = 0.15
_MOST_STRETCHED = 0.05  # a page with this fault has 0.2, others none
_MOST_UNMAPPED = 0.3

# How often each letter occurs in running text, per mille, averaged over English, German,
# French, Spanish, Italian and Dutch. It only needs to be rough: text in Latin letters agrees
# with it by 0.7 and more, text whose codes are shifted or shuffled by 0.3 and less.
_USUAL = {
    "a": 88, "b": 14, "c": 34, "d": 41, "e": 141, "f": 13, "g": 19, "h": 25, "i": 75,
    "j": 4, "k": 6, "l": 46, "m": 26, "n": 77, "o": 60, "p": 23, "q": 4, "r": 66, "s": 66,
    "t": 68, "u": 38, "v": 13, "w": 10, "x": 3, "y": 8, "z": 9,
}  # fmt: skip
_LEAST_AGREEMENT = 0.35
_FEWEST_LETTERS = 200  # with fewer, one long name can tip the scale
_MOSTLY = 0.5

# Words cover 0.15–0.5 of a page of text, a header and a page number 0.01.
_LITTLE_TEXT = 0.04
_PICTURE_PAGE = 0.5
_FEW_CHARACTERS = 100
_LARGE_PICTURE = 0.15
_DRAWN_PATHS = 300  # this many with so few characters are letters drawn as curves


@dataclass(frozen=True, kw_only=True)
class TextFacts:
    """What is known of a page's own text.

    Attributes:
        text: The visible words, with spaces between them.
        words: How many there are in all; `clipped` of them are outside the visible page,
            `invisible` are invisible, `hidden` are behind a picture.
        text_share: The share of the visible page covered by words, 0–1; likewise `image_share`.
        unmapped_share: Of the characters, 0–1, that the PDF gives no code for.
        paths: Lines, curves and fills on the page.
        is_blank: Whether the page draws nothing at all.
    """

    text: str
    words: int
    clipped: int = 0
    invisible: int = 0
    hidden: int = 0
    text_share: float = 1.0
    image_share: float = 0.0
    unmapped_share: float = 0.0
    paths: int = 0
    is_blank: bool = False


def judge(facts: TextFacts) -> TextLayerDecision:
    """Whether the text may be used for the page, and why."""
    if facts.is_blank:
        return TextLayerDecision(used=True, reason="blank", detail="The page is empty.")
    for reason, find in _DOUBTS.items():
        detail = find(facts)
        if detail:
            return TextLayerDecision(used=False, reason=reason, detail=detail)
    return TextLayerDecision(used=True, reason="trusted", detail="The page's text is good.")


def _agreement(counts: Counter[str]) -> float | None:
    """How well the letters' frequencies agree with those of European languages, −1 to 1.

    Accents count as their letters. None if there are too few letters, or most are not of the
    Latin alphabet.

    Source: Pearson's correlation of the 26 counts with `_USUAL`.
    """
    latin = dict.fromkeys(_USUAL, 0)
    letters = 0
    for character, count in counts.items():
        if character.isalpha():
            letters += count
            plain = unicodedata.normalize("NFD", character.lower())[0]
            if plain in latin:
                latin[plain] += count
    total = sum(latin.values())
    if total < _FEWEST_LETTERS or total < _MOSTLY * letters:
        return None
    if len(set(latin.values())) == 1:
        return 0.0
    return statistics.correlation(list(latin.values()), list(_USUAL.values()))


def _no_text(facts: TextFacts) -> str:
    return "" if facts.words else "The page has no text of its own."


def _clipped(facts: TextFacts) -> str:
    is_doubtful = facts.clipped > _MOSTLY * facts.words
    return "Most of the page's text is outside the visible part." if is_doubtful else ""


def _invisible(facts: TextFacts) -> str:
    if facts.invisible > _MOSTLY * facts.words:
        return "Most of the page's text is invisible, as from an earlier OCR."
    is_doubtful = facts.hidden > _MOSTLY * facts.words
    return "Most of the page's text is behind a picture." if is_doubtful else ""


def _garbage(facts: TextFacts) -> str:
    counts = Counter(facts.text)  # patterns then scan eighty characters, not four thousand
    spaces = counts.pop(" ", 0)
    kinds, size = "".join(counts), counts.total()
    if _count(_JUNK, kinds, counts) > _MOST_JUNK * size:
        return "Many of the text's characters have no meaning."
    if facts.unmapped_share > _MOST_UNMAPPED:
        return "The PDF does not say which characters its text has."
    if _count(_ODD, kinds, counts) > _MOST_ODD * size:
        return "Too many of the text's characters are symbols."
    if _ANY_OTHER.search(kinds):
        if len(_MIXED.findall(facts.text)) > _MOST_MIXED * spaces + 5:
            return "The text mixes alphabets within words."
        if len(_STRETCHED.findall(facts.text)) > _MOST_STRETCHED * spaces + 5:
            return "The text repeats letters within words in a way no language does."
    agreement = _agreement(counts)
    if agreement is not None and agreement < _LEAST_AGREEMENT:
        return "The text's letter frequencies match no language."
    return ""


def _count(pattern: re.Pattern[str], kinds: str, counts: Counter[str]) -> int:
    return sum(counts[character] for character in pattern.findall(kinds))


def _little_coverage(facts: TextFacts) -> str:
    if facts.image_share >= _PICTURE_PAGE and facts.text_share < _LITTLE_TEXT:
        return "The page is a picture, and its text covers little of it."
    is_short = len(facts.text) < _FEW_CHARACTERS
    if is_short and facts.image_share >= _LARGE_PICTURE:
        return "The page has a large picture and little text."
    if is_short and facts.paths >= _DRAWN_PATHS:
        return "The page has little text and many drawings."
    return ""


_DOUBTS: dict[str, Callable[[TextFacts], str]] = {
    "no_text": _no_text,
    "clipped": _clipped,
    "invisible": _invisible,
    "garbage": _garbage,
    "little_coverage": _little_coverage,
}
