"""When a bill is to be paid, where a sentence says so: `Please pay by 30 April 2025`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import islice

from pagetide.document import Page
from pagetide.document.field import Value
from pagetide.languages.labels import words_by_language

_BEFORE = 60  # characters before a date, and behind it, in which what it is for is said
_MOST = 100  # dates that are looked at


def due_date(pages: Sequence[Page], values: Sequence[Value]) -> Value | None:
    """The last of the days behind a word such as `until`, in sentences about paying.

    Until an earlier one a discount is given.

    Args:
        pages: The bill's.
        values: What proves itself on them.
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
        sentence = f"{before} {rest[:_BEFORE]} {below[:_BEFORE]}"
        if any(until.search(before) and paid.search(sentence) for until, paid in _terms()):
            found.append(value)
    return max(found, key=lambda value: value.normalised or "", default=None)


@cache
def _terms() -> list[tuple[re.Pattern[str], re.Pattern[str]]]:
    """By language, what stands before the date, and what words of paying begin with.

    A word of paying in one language may be any other in the next: `termin`, `travaux terminés`.
    """
    return [
        (_any_of(told["until"], r"\W{0,3}$"), _any_of(told["paying"], ""))
        for told in words_by_language("terms.toml").values()
    ]


def _any_of(words: Sequence[str], behind: str) -> re.Pattern[str]:
    said = "|".join(sorted(map(re.escape, words)))
    return re.compile(rf"(?:^|\W)(?:{said}){behind}", re.IGNORECASE)
