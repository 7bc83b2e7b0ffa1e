"""Words of the languages in Latin script, from the data of two libraries.

`babel` has the names of countries, languages, months, units and currencies in the Unicode
CLDR (Unicode licence); Django's package has its messages (BSD 3-clause). English words are
those of SCOWL as Debian packages them (`wamerican`, `wbritish`).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

LANGUAGES = (
    "en", "fr", "de", "es", "it", "pt", "tr", "af", "sq", "eu", "bs", "ca", "hr",
    "cs", "da", "nl", "et", "fi", "gl", "hu", "is", "id", "ga", "lv", "lt", "lb",
    "ms", "mt", "mi", "nb", "oc", "pl", "ro", "rm", "sr_Latn", "sk", "sl", "sv", "fil",
    "cy", "la", "uz", "az", "sw", "qu", "ast", "br", "fy", "gd", "fo",
)  # fmt: skip
_ENTRY = re.compile(r'^msgstr(?:\[\d\])? ((?:".*"\n)+)', re.MULTILINE)
_MARKED = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}|<[^>]*>|\\[nt\"]|&\w+;")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def gather(django: Path, english: list[Path]) -> dict[str, list[str]]:
    """Words by language, each once.

    Args:
        django: Django's package, unpacked.
        english: Lists of a word a line.
    """
    found = {code: sorted(set(_words(_texts(code, django)))) for code in LANGUAGES}
    extra = {word for path in english for word in _words(path.read_text().splitlines())}
    found["en"] = sorted({*found["en"], *extra})
    return {code: words for code, words in found.items() if len(words) > 100}


def _words(texts: Iterator[str] | list[str]) -> Iterator[str]:
    for text in texts:
        for word in _WORD.findall(unicodedata.normalize("NFC", text)):
            if all("LATIN" in unicodedata.name(c, "") for c in word if c not in "'’-"):
                yield word


def _texts(code: str, django: Path) -> Iterator[str]:
    for path in sorted(django.glob(f"**/locale/{code}/LC_MESSAGES/*.po")):
        for entry in _ENTRY.findall(path.read_text("utf-8")):
            yield _MARKED.sub(" ", "".join(part[1:-1] for part in entry.splitlines()))
    yield from _names(code)


def _names(code: str) -> Iterator[str]:
    from babel import Locale, UnknownLocaleError

    try:
        locale = Locale.parse(code)
    except (UnknownLocaleError, ValueError):
        return
    for names in (locale.territories, locale.languages, locale.currencies, locale.scripts):
        yield from map(str, names.values())
    for names in (locale.months, locale.days):
        for widths in names.values():
            for listed in widths.values():
                yield from listed.values()
    for patterns in locale._data.get("unit_patterns", {}).values():
        for listed in patterns.values():
            if isinstance(listed, dict):
                yield from (str(text) for text in listed.values())


if __name__ == "__main__":
    import sys

    target, package, *lists = sys.argv[1:]
    gathered = gather(Path(package), [Path(path) for path in lists])
    Path(target).write_text(json.dumps(gathered, ensure_ascii=False))
    print({code: len(words) for code, words in gathered.items()})
