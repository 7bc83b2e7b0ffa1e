"""Text as OmniDocBench compares it: only letters and figures, formulas normalised.

The rules are those of its evaluator, https://github.com/opendatalab/OmniDocBench
(`clean_string`, `textblock2unicode`, `normalized_formula`); the code is our own. It turns
formulas inside a text into Unicode with the package pylatexenc; here Greek letters, names of
functions and styles are known, and every other command is left out, because most of them
stand for no letter and would not be compared.
"""

from __future__ import annotations

import re
import unicodedata

_DROPPED = (r"\t", r"\n", "\t", "\n", "/t", "/n")
_NO_LETTER = re.compile(r"\W")
_INLINE = re.compile(r"\$(.*?)\$|\\\((.*?)\\\)")
_SHIELDED = re.compile(r"\\([\\_&%^])")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?\s?|\\.")
_NAMES = re.compile(
    "arccos|arcsin|arctan|arg|cosh?|coth?|csc|deg|det|dim|exp|gcd|hom|inf|ker|lg|lim|ln|log|max|"
    "min|sec|sinh?|sup|tanh?"
)
_BRACKETED = re.compile(r"\\\[(.+?)(?<!\\)\\\]")
_WITH_ARGUMENT = re.compile(r"\\(?:tag|hspace|begin|end)\{.*?\}|\\arraycolsep.*?\}")
# In the evaluator's order, which decides what remains of `\mathbfcal` and the like.
_STYLES = (
    *("\\mathbf", "\\mathrm", "\\mathnormal", "\\mathit", "\\mathbb", "\\mathcal", "\\mathscr"),
    *("\\mathfrak", "\\mathsf", "\\mathtt", "\\textbf", "\\text", "\\boldmath", "\\boldsymbol"),
    *("\\operatorname", "\\bm", "\\symbfit", "\\mathbfcal", "\\symbf", "\\scriptscriptstyle"),
    *("\\notag", "\\setlength", "\\coloneqq", "\\space", "\\thickspace", "\\thinspace"),
    *("\\medspace", "\\nobreakspace", "\\negmedspace", "\\quad", "\\qquad", "\\enspace"),
    *("\\substackw", " ", "$$", "\\left", "\\right", "\\displaystyle"),
)


def letters(text: str) -> str:
    """A block's letters and figures: no spaces, no signs; formulas in it as their letters."""
    text = _INLINE.sub(_told, text)
    for gone in _DROPPED:
        text = text.replace(gone, "")
    return _NO_LETTER.sub("", text)


def formula(latex: str) -> str:
    """A formula in the form that is compared: no delimiters, spaces, styles, environments."""
    text = latex.strip().strip("$").strip("\n")
    if bracketed := _BRACKETED.search(text):
        text = bracketed[1].strip()
    text = _WITH_ARGUMENT.sub("", text).strip(".")
    for style in _STYLES:
        text = text.replace(style, "")
    return text.lower()


def told(latex: str) -> str:
    """LaTeX as text: Greek letters, names of functions, and everything else but commands."""
    return _COMMAND.sub(_command, latex).replace("{", "").replace("}", "")


def _told(inline: re.Match[str]) -> str:
    """A formula inside a text; one without commands and scripts keeps its `$` until later."""
    bare = _SHIELDED.sub("", inline[1] or inline[2] or "")
    return told(bare).strip() if re.search(r"[\\^_]", bare) else inline[0]


def _command(command: re.Match[str]) -> str:
    name = command[1] or ""
    if _NAMES.fullmatch(name):
        return name
    size = "CAPITAL" if name[:1].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {name.removeprefix('var').upper()}")
    except KeyError:
        return ""
