"""The first stage of the cascade: a small network of our own that reads printed Latin lines.

`train/` in the repository holds how it was made, of what, and what it reaches. It costs a
tenth of the bundled recogniser's operations, and says of every letter whether it is sure.
"""

from __future__ import annotations

from pathlib import Path

from pagetide.languages import AUTO, Language

NAME = "pagetide_latin_2"
WEIGHTS = Path(__file__).with_name("latin.onnx")

# Vietnamese, Azerbaijani, Pali and Old English write letters that it has not seen.
_UNKNOWN = frozenset(("vi", "az", "pi", "ang"))


def reads(language: Language) -> bool:
    """Whether it knows the letters of a language, or of all that are read together."""
    if language.code == AUTO:
        return True
    return language.script == "Latin" and not _UNKNOWN & set(language.code.split("+"))
