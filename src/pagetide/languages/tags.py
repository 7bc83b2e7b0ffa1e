"""BCP 47 language tags: which shorter names a long one also goes by.

Source: RFC 5646, `language[-extlang][-script][-region][-variant…][-extension…]`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TAG = re.compile(
    r"(?P<language>[a-z]{2,3})"
    r"(?:-(?P<extended>[a-z]{3}))?"
    r"(?:-(?P<script>[a-z]{4}))?"
    r"(?:-(?P<region>[a-z]{2}|[0-9]{3}))?"
    r"(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*"
    r"(?:-[a-z0-9](?:-[a-z0-9]{2,8})+)*"
)
# The scripts of the table, by their codes in ISO 15924.
SCRIPTS = {
    "Latin": ("latn", "latf", "latg"),
    "Cyrillic": ("cyrl", "cyrs"),
    "Arabic": ("arab", "aran"),
    "Devanagari": ("deva",),
    "Tamil": ("taml",),
    "Telugu": ("telu",),
    "Kannada": ("knda",),
    "Greek": ("grek",),
    "Thai": ("thai",),
    "Hangul": ("kore", "hang"),
    "Japanese": ("jpan", "hrkt", "hira", "kana"),
    "Han": ("hani", "hans", "hant"),
}


@dataclass(frozen=True, kw_only=True)
class Tag:
    """A language tag, taken apart.

    Attributes:
        names: What to look for, the most exact first.
        script: The script's code; empty where the tag has none.
    """

    names: tuple[str, ...]
    script: str


def parse(tag: str) -> Tag | None:
    """Take a tag apart; None where it is none.

    Args:
        tag: In small letters, its parts split by `-`.
    """
    match = _TAG.fullmatch(tag)
    if match is None:
        return None
    language, script, region = match["language"], match["script"] or "", match["region"] or ""
    names = []
    for name in filter(None, (match["extended"], language)):
        parts = ([name, script, region], [name, script], [name, region], [name])
        names += ["-".join(filter(None, one)) for one in parts]
    return Tag(names=tuple(dict.fromkeys(names)), script=script)


def written_in(script: str, code: str) -> bool:
    """Whether a script of the table is the one of a code in ISO 15924."""
    return code in SCRIPTS.get(script, ())
