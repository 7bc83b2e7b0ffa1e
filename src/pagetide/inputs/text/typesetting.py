"""Typesetting artefacts in a page's own text, and the text without them.

The ligatures ﬀ–ﬆ become the letters they join, a hyphen at a line's end is "-" whatever its
code, and an invisible soft hyphen is left out. A control character, which is not a letter and
means that the PDF does not say what it shows there, is U+FFFD, or Windows' letter of its code.
"""

from __future__ import annotations

import re

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
