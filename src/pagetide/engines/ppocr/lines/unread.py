"""What the network could not read: ink that none of the letters it gave stands for.

A network gives no letters for a script that it was not trained on, or a few wrong ones, and is
as sure of them as of others: 0.9 on pages in Russian. But most of the ink then stands far from
any letter. Of the ink of some 160 pages in scripts that are read at most 6 % did, mostly none;
of some 50 in Cyrillic, Arabic, Hebrew, Devanagari, Telugu and Hangul 20 % and more.
"""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import UNREAD_SCRIPT, Notice
from pagetide.engines.ppocr.lines.decode import ReadLine, is_wide

PAGE = 0.12  # of the ink of a page's lines, by length: with more the script is not read
LINE = 0.5  # of a line's: with more it is left out wherever it stands
DENSE = 1.6  # letters by line height: lines with more are read, whatever is drawn behind them
LEAST_LENGTH = 1.5  # line heights of what is not read: less may be a mark or a drawing
# In lines of a page that is not read, which may hold numbers and names that are:
LINE_THERE = 0.15
SURE_THERE = 0.85

# Families of scripts by their shapes, and the languages to ask for; no model reads Hebrew.
_LANGUAGES = {
    "Cyrillic or Greek": "such as ru, uk or el",
    "Hangul": "ko",
    "Arabic": "such as ar, fa or ur",
    "Hebrew": None,
    "Devanagari or a script like it": "such as hi or mr",
    "Telugu, Tamil or Kannada": "such as te, ta or kn",
    "Thai": "th",
}
_ANY_LANGUAGE = "such as ru, ko or ar"

Measured = tuple[float, ReadLine]
"""A line's length, in its own heights, and what was read."""


def is_unread(lines: Sequence[Measured]) -> bool:
    """Whether a good part of a page's lines is in a script that the network cannot read."""
    total = sum(length for length, _ in lines)
    lost = sum(length * line.unread for length, line in lines if not _is_dense(length, line))
    return lost >= LEAST_LENGTH and lost > PAGE * total


def is_kept(length: float, line: ReadLine, *, page_is_unread: bool) -> bool:
    """Whether a line says what stands there, judged by its ink and its letters."""
    if not page_is_unread:
        return line.unread <= LINE or _is_dense(length, line)
    return line.unread <= LINE_THERE and line.confidence >= SURE_THERE


def _is_dense(length: float, line: ReadLine) -> bool:
    """Whether there are as many letters as there is room for; wide ones count twice."""
    return sum(1 + is_wide(letter) for letter in line.text) >= DENSE * length


def notice(left_out: int, family: str | None) -> Notice:
    """What is said of a page that is not read.

    Args:
        left_out: So many of its lines were.
        family: What `script_shape` says that they look like.
    """
    seems = f" It looks like {family}." if family in _LANGUAGES else ""
    languages = _LANGUAGES.get(family or "", _ANY_LANGUAGE)
    advice = (
        f"Set its language, {languages}, and pull the model that reads it; see"
        " `pagetide models --languages`."
        if languages
        else "None of the known models reads it."
    )
    message = (
        "A large part of this page is in a script that the model does not read;"
        f" {left_out} lines were left out.{seems} {advice}"
    )
    return Notice(code=UNREAD_SCRIPT, message=message)
