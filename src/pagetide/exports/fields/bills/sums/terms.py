"""The due date of a bill, if a sentence states it: `Please pay by 30 April 2025`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import islice

from pagetide.document import Page
from pagetide.document.field import Value
from pagetide.languages.labels import words_by_language

_BEFORE = 60  # characters before and after a date in which its purpose is stated
_MOST = 100  # dates that are examined
_SIGNS, _IN_WORD = re.compile(r"\W{0,3}$"), re.compile(r"\w")


def due_date(pages: Sequence[Page], values: Sequence[Value]) -> Value | None:
    """The last date after a word such as `until`, in sentences about paying.

    An earlier one is the end of a discount.

    Args:
        pages: The bill's.
        values: The values recognised by their form on them.
    """
    by_number = {page.number: page for page in pages}
    dates = (value for value in values if value.kind == "date" and value.page in by_number)
    found: list[Value] = []
    for value in islice(dates, _MOST):
        lines, [line] = by_number[value.page].lines, value.lines[:1]
        above, own, below = (
            lines[n].text if 0 <= n < len(lines) else "" for n in (line - 1, line, line + 1)
        )
        head, _, rest = own.partition(value.text)
        before = f"{above[-_BEFORE:]} {head}"[-_BEFORE:]
        end = _SIGNS.sub("", before).lower()
        if not end.endswith(_untils()):
            continue  # as most do
        sentence = f"{before} {rest[:_BEFORE]} {below[:_BEFORE]}"
        if any(
            _ends_with(until, end) and _begun(paying).search(sentence)
            for until, paying in _terms()
        ):
            found.append(value)
    return max(found, key=lambda value: value.normalised or "", default=None)


@cache
def _untils() -> tuple[str, ...]:
    return tuple(until for untils, _ in _terms() for until in untils)


@cache
def _terms() -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """By language, the words before the date, and the starts of words about paying.

    A word about paying in one language may mean something else in the next: `termin`, `travaux
    terminés`.
    """
    by_language = words_by_language("terms.toml").values()
    return [(tuple(words["until"]), tuple(words["paying"])) for words in by_language]


def _ends_with(words: tuple[str, ...], text: str) -> bool:
    """Whether a text's last words are some of these."""
    return any(
        text.endswith(word) and not _IN_WORD.match(text[: -len(word)][-1:]) for word in words
    )


@cache  # as few dates follow a word such as `until`
def _begun(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?:^|\W)(?:{'|'.join(map(re.escape, words))})", re.IGNORECASE)
