"""Languages: which code names which, which model reads it, and with which letters.

The table `languages.csv` beside this module has the codes that PaddleOCR uses, the ISO
codes as aliases, the letters that the model's dictionary lacks, and the languages that
only a model which is not bundled reads.
"""

from __future__ import annotations

import csv
import difflib
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pagetide.document import Notice
from pagetide.errors import ModelUnavailable, UnknownLanguage

BUNDLED_MODEL = "pp-ocrv6"
AUTO = "auto"
Alphabet = Literal["latin", "full"]

# Codes of PaddleOCR that mean nothing or another language in ISO 639; the first alias does.
_PADDLE_ONLY = {"ch", "korean", "japan", "chinese_cht", "rs_latin", "ka", "lki", "mah"}
# A region after a language (en-US, pt_BR) does not change the letters it is written with.
_REGION = re.compile(r"-([a-z]{2}|[0-9]{3})$")
_LATIN_RANGES = (
    (0x0020, 0x007E),  # Basic Latin
    (0x00A0, 0x024F),  # Latin-1, Latin Extended-A and -B
    (0x0250, 0x02AF),  # phonetic letters, as dictionaries print them
    (0x0370, 0x03E1),  # Greek: formulas, units, headings
    (0x03F0, 0x03FF),  # Greek symbols; between them stands Coptic
    (0x1E00, 0x1EFF),  # Latin Extended Additional
    (0x2010, 0x205E),  # General Punctuation: dashes, quotes, bullets, dagger, per mille
    (0x2070, 0x209F),  # superscripts and subscripts
    (0x20A0, 0x20CF),  # currency
    (0x2100, 0x218F),  # letterlike symbols and number forms
    (0x2190, 0x22FF),  # arrows and mathematical operators
    (0x25A0, 0x25FF),  # geometric shapes: bullets of lists
    (0x2605, 0x2606),  # stars
    (0x2610, 0x2612),  # boxes of forms
    (0x2713, 0x2718),  # ticks and crosses
)


@dataclass(frozen=True, kw_only=True)
class Language:
    """A language that can be asked for.

    Attributes:
        code: The code of the table; `auto` for whatever is on the page.
        name: In English.
        script: The script the model reads it in.
        model: The model that reads it: `pp-ocrv6`, or the name of one that is not bundled.
        missing_letters: Letters of the language that the model cannot write.
        aliases: Other codes and names for it.
    """

    code: str
    name: str
    script: str
    model: str
    missing_letters: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def bundled(self) -> bool:
        """Whether the bundled model reads it."""
        return self.model == BUNDLED_MODEL

    @property
    def tag(self) -> str:
        """The BCP 47 tag, as HTML's `lang` takes it; `und` for whatever is on the page."""
        if self.code == AUTO:
            return "und"
        return self.aliases[0] if self.code in _PADDLE_ONLY else self.code

    @property
    def alphabet(self) -> Alphabet:
        """`latin` when lines are first read with the smaller Latin head, else `full`."""
        return "latin" if self.script == "Latin" or self.code == AUTO else "full"

    @property
    def notice(self) -> Notice | None:
        """What the caller of a reading in this language should know, or None."""
        if not self.missing_letters:
            return None
        shown = " ".join(self.missing_letters[:12])
        more = len(self.missing_letters) - 12
        rest = f" and {more} more" if more > 0 else ""
        return Notice(
            code="missing_letters",
            message=f"The model cannot write these letters of {self.name}: {shown}{rest}.",
        )


def resolve(code: str) -> Language:
    """The language that a code, an ISO code or an English name stands for.

    Args:
        code: Such as `auto`, `en`, `eng`, `en-GB`, `japan`, `ja` or `French`; capitals and
            the choice of `-`, `_` and space do not matter.

    Raises:
        UnknownLanguage: No such language; the message has the nearest names.
        ModelUnavailable: The language is known, but no bundled model reads it.
    """
    language = find(code)
    if not language.bundled:
        raise ModelUnavailable(
            f"{language.name} ({language.code}) needs the model {language.model},"
            " which is not bundled."
        )
    return language


def find(code: str) -> Language:
    """Like `resolve`, also for a language that no bundled model reads.

    Raises:
        UnknownLanguage: No such language; the message has the nearest names.
    """
    names, key = _names(), _key(code)
    language = names.get(key) or names.get(_REGION.sub("", key))
    if language is None:
        raise UnknownLanguage(f"There is no language {code!r}{_nearest(key, names)}.")
    return language


@functools.cache
def languages() -> tuple[Language, ...]:
    """Every language of the table, `auto` first."""
    auto = Language(code=AUTO, name="Any bundled", script="any", model=BUNDLED_MODEL)
    with Path(__file__).with_name("languages.csv").open(encoding="utf-8", newline="") as rows:
        listed = [
            Language(aliases=tuple(row.pop("aliases").split()), **row)
            for row in csv.DictReader(rows)
        ]
    return (auto, *listed)


@functools.cache
def _names() -> Mapping[str, Language]:
    """Every code, alias and name, in the form of `_key`."""
    names = {}
    for language in languages():
        for name in (language.name, *language.aliases, language.code):
            names[_key(name)] = language
    return names


def _key(name: str) -> str:
    return name.strip().lower().replace("_", "-").replace(" ", "-")


def _nearest(key: str, names: Mapping[str, Language]) -> str:
    close = difflib.get_close_matches(key, names, n=8, cutoff=0.6)
    found = dict.fromkeys(f"{names[k].code} ({names[k].name})" for k in close)
    if found:
        return f"; near it are {', '.join(list(found)[:3])}"
    return "; `pagetide models` lists them"


def in_latin_alphabet(character: str) -> bool:
    """Whether a Latin recognition head keeps this character of the model's dictionary.

    Kept are the letters of every language in Latin script, digits, punctuation, currency,
    and the Greek letters, arrows and signs that stand between them; a line with anything
    else is read again with the full head.
    """
    if len(character) != 1:
        return False
    point = ord(character)
    return any(first <= point <= last for first, last in _LATIN_RANGES)
