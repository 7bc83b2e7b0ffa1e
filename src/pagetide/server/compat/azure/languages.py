"""The languages of a page's lines, as far as they are known: by the script alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pagetide.document import Page
from pagetide.server.compat.azure.wire import Language, Span, Warned

_KANA, _HAN = re.compile("[\u3040-\u30ff]"), re.compile("[\u3400-\u9fff]")
# Scripts that are of one language in nearly all documents.
_WRITTEN = {
    "ja": _KANA,
    "ko": re.compile("[\u1100-\u11ff\uac00-\ud7a3]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
    "ta": re.compile("[\u0b80-\u0bff]"),
    "te": re.compile("[\u0c00-\u0c7f]"),
    "hy": re.compile("[\u0530-\u058f]"),
}


def languages_of(
    page: Page, spans: Mapping[int, Sequence[Span]], locale: str | None
) -> Iterator[Language | Warned]:
    """The languages of a page with where they stand, and what is not known, if anything.

    Args:
        page: The page.
        spans: Of its lines, by their places.
        locale: What the client says its documents are in, for what the script does not decide.
    """
    is_japanese = any(_KANA.search(line.text) for line in page.lines)
    found: dict[str, list[Span]] = {}
    unknown = 0
    for place, line in enumerate(page.lines):
        if not any(map(str.isalpha, line.text)):
            continue
        if tag := _language(line.text, is_japanese=is_japanese) or locale:
            found.setdefault(tag, []).extend(spans.get(place, ()))
        else:
            unknown += 1
    for tag, places in found.items():
        yield Language(locale=tag, spans=places, confidence=1.0)
    if unknown:
        yield Warned(
            code="languages_not_known",
            message=f"Lines whose language their writing does not tell: {unknown}. "
            "The parameter locale says it.",
            target=str(page.number),
        )


def _language(text: str, *, is_japanese: bool) -> str | None:
    """The language that most of a line's letters are of, where they are of one language's."""
    letters = sum(map(str.isalpha, text))
    counts = {tag: len(script.findall(text)) for tag, script in _WRITTEN.items()}
    counts["ja" if is_japanese else "zh"] = counts["ja"] * is_japanese + len(_HAN.findall(text))
    tag = max(counts, key=lambda each: counts[each])
    return tag if 2 * counts[tag] > letters else None
