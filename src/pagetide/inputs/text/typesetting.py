"""Typesetting artefacts in a page's own text, and the text without them.

The ligatures ﬀ–ﬆ become the letters they join, a hyphen at a line's end is "-" whatever its
code, and an invisible soft hyphen is left out. A control character, which is not a letter and
means that the PDF does not say what it shows there, is U+FFFD, or Windows' letter of its code.
An accent set by itself over or under its letter, as TeX and troff do, becomes part of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from pagetide.geometry import Box
from pagetide.inputs.text.lines import NEW_LINE, PlacedWord

# Ours for the second index of a letter that takes two: those beyond U+FFFF, in UTF-16.
SECOND = "\ufdd0"
# Ours for a space that is only due to gaps between a word's letters: not a character.
LETTER_SPACE = "\U0001fffe"
# PDFium's mark for a hyphen at a line's end; it then leaves out the line break.
_HYPHEN = "\ufffe"
SOFT_HYPHEN = "\u00ad"
# The hyphen's code in fonts without a map, including TeX's: 26 of 26 in four PDFs of ours.
_CODE_OF_HYPHEN = "\x02"
_CONTROLS = "\x01-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
_TYPESETTING = re.compile(f"[{_CONTROLS}\ufb00-\ufb06\u00ad\ufdd0\ufffe\U0001fffe]")
_CONTROL = re.compile(f"[{_CONTROLS}]")
_HYPHENATED = re.compile(rf"(?<=[^\W\d_])[{SOFT_HYPHEN}{_CODE_OF_HYPHEN}]$")
_LETTERS = str.maketrans(
    {
        "\ufb00": "ff",
        "\ufb01": "fi",
        "\ufb02": "fl",
        "\ufb03": "ffi",
        "\ufb04": "ffl",
        "\ufb05": "st",
        "\ufb06": "st",
        _HYPHEN: "-",
        SOFT_HYPHEN: None,
        SECOND: None,
        LETTER_SPACE: None,
    }
)

# Accents as characters of their own, and those that combine with a letter.
_ACCENTS = dict(
    zip(
        "`´¨ˆ˜¯˘˙˚˝ˇ¸˛^~",
        "\u0300\u0301\u0308\u0302\u0303\u0304\u0306\u0307\u030a\u030b\u030c\u0327\u0328\u0302\u0303",
        strict=True,
    )
)
_ACCENT = re.compile(f"[{re.escape(''.join(_ACCENTS))}]")
_DOTLESS = str.maketrans("ıȷ", "ij")
_OVER = 0.3  # of a letter's width between its middle and its accent's, at most
_NEAREST, _FARTHEST = 3, 60  # characters between the two: PDFium moves accents to a line's end
_ADJOIN = 0.1  # of a height between two letters of a word, at most
_GAPS = " \r\n"


def with_accents(characters: str, box_of: Callable[[int], Box]) -> str:
    """A page's characters, each accent that stands over or under a letter composed with it.

    In place of the accent is a space; between two letters of a word it is a mark that
    `as_written` leaves out.

    Args:
        characters: From PDFium, one for each of its indexes.
        box_of: The box of the character at an index.
    """
    found: list[str] | None = None
    for accent in _ACCENT.finditer(characters):
        at = accent.start()
        box = box_of(at)
        for place in _around(at, len(characters)):
            whole = _composed(characters[place], accent[0])
            if whole and _is_over(box, box_of(place)):
                found = found or list(characters)
                found[place] = whole
                first, stop = _gap(characters, at)
                joined = first and stop < len(characters)
                if joined and _adjoin(box_of(first - 1), box_of(stop)):
                    found[first:stop] = [LETTER_SPACE] * (stop - first)
                else:
                    found[at] = " "
                break
    return "".join(found) if found else characters


def _around(at: int, count: int) -> Iterator[int]:
    """The indexes near one, from the nearest: after it and before it."""
    for step in range(1, _FARTHEST + 1):
        yield from (n for n in (at + step, at - step) if 0 <= n < count)


def _composed(letter: str, accent: str) -> str:
    """A letter with an accent as one character; empty if there is none."""
    bare = letter.translate(_DOTLESS)
    whole = unicodedata.normalize("NFC", bare + _ACCENTS[accent])
    return whole if bare.isascii() and bare.isalpha() and len(whole) == 1 else ""


def _gap(characters: str, at: int) -> tuple[int, int]:
    """Where an accent starts and ends with the few spaces around it."""
    before = characters[max(at - _NEAREST, 0) : at]
    behind = characters[at + 1 : at + 1 + _NEAREST]
    first = at - len(before) + len(before.rstrip(_GAPS))
    return first, at + 1 + len(behind) - len(behind.lstrip(_GAPS))


def _is_over(accent: Box, letter: Box) -> bool:
    off = abs(accent[0] + accent[2] - letter[0] - letter[2]) / 2
    return off <= _OVER * (letter[2] - letter[0]) and _are_level(accent, letter)


def _adjoin(left: Box, right: Box) -> bool:
    near = _ADJOIN * (left[3] - left[1])
    return abs(right[0] - left[2]) <= near and _are_level(left, right)


def _are_level(one: Box, other: Box) -> bool:
    return min(one[3], other[3]) > max(one[1], other[1])


def is_typeset(text: str) -> bool:
    """Whether a text has typesetting artefacts."""
    return bool(_TYPESETTING.search(text))


def spelled(text: str) -> str:
    """A text without them; none of its lines ends with a word's hyphen."""
    return _CONTROL.sub(_letter_meant, text.translate(_LETTERS))


def as_written(words: list[PlacedWord]) -> list[PlacedWord]:
    """The words without them."""
    written: list[PlacedWord] = []
    for place, (text, box, joint, angle) in enumerate(words, 1):
        if is_typeset(text):
            if place == len(words) or words[place][2] == NEW_LINE:
                text = _HYPHENATED.sub(_HYPHEN, text)
            text = spelled(text)
        written.append((text, box, joint, angle))
    return written


def _letter_meant(control: re.Match[str]) -> str:
    """Windows' letter, if a PDF uses its code (U+0092 for ’); otherwise U+FFFD."""
    if control[0] < "\x80":
        return "\ufffd"
    return control[0].encode("latin-1").decode("cp1252", "replace")
