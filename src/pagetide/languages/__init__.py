"""Languages: which code names which, which model reads it, and with which letters.

The table `languages.csv` beside this module has the codes that PaddleOCR uses, the ISO
codes as aliases, the letters that the model's dictionary lacks, the other models that read a
language, and what may be mistaken about its code.
"""

from __future__ import annotations

import csv
import difflib
import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pagetide.document import Notice
from pagetide.errors import BadOption, ModelUnavailable, UnknownLanguage
from pagetide.languages import tags as language_tags

BUNDLED_MODEL = "pp-ocrv6"
AUTO = "auto"
Alphabet = Literal["latin", "full"]

JOIN = "+"
EVERY_MODEL = "*"
BETTER_MODEL = "paddleocr-vl"  # writes every letter there is
# Codes of PaddleOCR that mean nothing or another language in BCP 47, and what does.
_TAGS = {
    "ch": "zh",
    "korean": "ko",
    "japan": "ja",
    "chinese_cht": "zh-hant",
    "rs_latin": "sr-latn",
    "sr": "sr-cyrl",
    "ka": "kn",
    "lki": "lbe",
    "mah": "mag",
    "mo": "ro-cyrl",
}


@dataclass(frozen=True, kw_only=True)
class Language:
    """A language that can be asked for, or several that are read together.

    Attributes:
        code: The code of the table; `auto` for whatever is on the page; several codes are
            joined by `+`.
        name: In English.
        script: The script the model reads it in.
        model: The model that reads it: `pp-ocrv6`, or the name of one that is not bundled.
        missing_letters: Letters of the language that the model cannot write.
        aliases: Other codes and names for it.
        also: Other models that read it; `*` means that every one does.
        also_missing: Letters that those cannot write.
        read_badly: Whether the model is known to read it badly.
        note: What may be mistaken about the code.
    """

    code: str
    name: str
    script: str
    model: str
    missing_letters: str = ""
    aliases: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    also_missing: str = ""
    read_badly: bool = False
    note: str = ""

    @property
    def bundled(self) -> bool:
        """Whether the bundled model reads it."""
        return self.model == BUNDLED_MODEL

    @property
    def better_model(self) -> str | None:
        """The model that reads it better, where the one here reads it badly."""
        return BETTER_MODEL if self.read_badly else None

    @property
    def tag(self) -> str:
        """The BCP 47 tag, as HTML's `lang` takes it.

        It is `und` for whatever is on the page, and `mul` for several languages.
        """
        if self.code == AUTO:
            return "und"
        if JOIN in self.code:
            return "mul"
        return _TAGS.get(self.code, self.code)

    @property
    def alphabet(self) -> Alphabet:
        """`latin` when lines are first read with the smaller Latin head, else `full`."""
        return "latin" if self.script == "Latin" or self.code == AUTO else "full"

    @property
    def notice(self) -> Notice | None:
        """What the caller of a reading in this language should know, or None."""
        sentences = [self._missing(), self.note]
        message = " ".join(filter(None, sentences))
        if not message:
            return None
        code = "missing_letters" if self.missing_letters else "language_code"
        return Notice(code=code, message=message)

    def read_by(self, model: str) -> bool:
        """Whether a model reads it."""
        return model == self.model or model in self.also or EVERY_MODEL in self.also

    def missing_with(self, model: str) -> str:
        """Letters of it that one of its models cannot write."""
        return self.missing_letters if model == self.model else self.also_missing

    def _missing(self) -> str:
        if not self.missing_letters:
            return ""
        shown = " ".join(self.missing_letters[:12])
        more = len(self.missing_letters) - 12
        rest = f" and {more} more" if more > 0 else ""
        better = f"; {BETTER_MODEL} can" if self.read_badly else ""
        return f"The model cannot write these letters of {self.name}: {shown}{rest}{better}."


def resolve(code: str) -> Language:
    """The language that the bundled model reads, by a code, an ISO code or an English name.

    Args:
        code: As `find` takes it.

    Raises:
        UnknownLanguage: No such language; the message has the nearest names.
        BadOption: Several languages that no model reads together.
        ModelUnavailable: The language is known, but no bundled model reads it.
    """
    language = find(code)
    if not language.bundled:
        raise ModelUnavailable(
            f"{language.name} ({language.code}) needs the model {language.model},"
            f" which is not bundled; run `pagetide models pull {language.model}`."
        )
    return language


def find(code: str) -> Language:
    """The language that a code, an ISO code or an English name stands for.

    Whether the model that reads it is here, the engine knows.

    Args:
        code: Such as `auto`, `en`, `eng`, `en-GB`, `zh-Hant-TW`, `japan`, `ja` or `French`;
            capitals and the choice of `-`, `_` and space do not matter. Several are joined
            by `+`: `de+fr`.

    Raises:
        UnknownLanguage: No such language; the message has the nearest names.
        BadOption: Several languages that no model reads together.
    """
    if JOIN in code:
        return together(code.split(JOIN))
    key = _key(code)
    language = _names().get(key) or _by_tag(code, key)
    if language is None:
        raise UnknownLanguage(f"There is no language {code!r}{_nearest(key, _names())}.")
    return language


def together(codes: Iterable[str]) -> Language:
    """The language, or several as one: with the model that reads them all.

    Args:
        codes: As `find` takes them; none means `auto`.

    Raises:
        UnknownLanguage: One is not known; the message has the nearest names.
        BadOption: No model reads them all; the message says which reads which.
    """
    found = tuple(dict.fromkeys(find(code) for code in codes))
    if len(found) < 2:
        return found[0] if found else find(AUTO)
    if any(one.code == AUTO for one in found):
        raise BadOption(
            "auto means any language on the page; it cannot be combined with others."
        )
    models = dict.fromkeys(m for one in found for m in (one.model, *one.also))
    model = next((m for m in models if all(one.read_by(m) for one in found)), None)
    if model is None:
        each = ", ".join(f"{one.code} by {one.model}" for one in found)
        raise BadOption(
            f"No model reads these languages together: {each}; read them separately."
        )
    missing = dict.fromkeys("".join(one.missing_with(model) for one in found))
    return Language(
        code=JOIN.join(one.code for one in found),
        name=" and ".join(one.name for one in found),
        script=_script(found),
        model=model,
        missing_letters="".join(missing),
        read_badly=any(one.read_badly for one in found),
        note=" ".join(dict.fromkeys(one.note for one in found if one.note)),
    )


def _script(found: Iterable[Language]) -> str:
    """Latin where all are; the other script where Latin stands beside one."""
    scripts = {one.script for one in found}
    others = scripts - {"Latin"}
    if not others:
        return "Latin"
    return others.pop() if len(others) == 1 else "several"


@functools.cache
def languages() -> tuple[Language, ...]:
    """Every language of the table, `auto` first."""
    auto = Language(code=AUTO, name="Any bundled", script="any", model=BUNDLED_MODEL)
    with Path(__file__).with_name("languages.csv").open(encoding="utf-8", newline="") as rows:
        return (auto, *map(_of_row, csv.DictReader(rows)))


def _of_row(row: dict[str, str]) -> Language:
    return Language(
        code=row["code"],
        name=row["name"],
        script=row["script"],
        model=row["model"],
        missing_letters=row["missing_letters"],
        aliases=tuple(row["aliases"].split()),
        also=tuple(row["also"].split()),
        also_missing=row["also_missing"],
        read_badly=row["read_badly"] == "yes",
        note=row["note"],
    )


@functools.cache
def _names() -> Mapping[str, Language]:
    """Every code, alias and name, in the form of `_key`."""
    names = {}
    for language in languages():
        for name in (language.name, *language.aliases, language.code):
            names[_key(name)] = language
    return names


def _by_tag(code: str, key: str) -> Language | None:
    """The language of a tag with more parts than the table's codes have.

    Raises:
        UnknownLanguage: The language is known, but not in the script that the tag names.
    """
    tag = language_tags.parse(key)
    if tag is None:
        return None
    for name in tag.names:
        language = _names().get(name)
        if language is None:
            continue
        named = tag.script and tag.script in name
        if (
            tag.script
            and not named
            and not language_tags.written_in(language.script, tag.script)
        ):
            raise UnknownLanguage(
                f"There is no language {code!r}: {language.name} is read only in"
                f" {language.script} script."
            )
        return language
    return None


def _key(name: str) -> str:
    return name.strip().lower().replace("_", "-").replace(" ", "-")


def _nearest(key: str, names: Mapping[str, Language]) -> str:
    close = difflib.get_close_matches(key, names, n=8, cutoff=0.6)
    found = dict.fromkeys(f"{names[k].code} ({names[k].name})" for k in close)
    if found:
        return f"; similar: {', '.join(list(found)[:3])}"
    return "; see `pagetide models list --languages`"
