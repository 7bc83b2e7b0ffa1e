"""Side-by-side sums, each below its name, as in a band at a bill's foot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from pagetide.exports.fields.pairs.names import name_of
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.values.amounts import amount_in, is_percent
from pagetide.languages.labels import SUMS

_LEAST = 3  # sums of a band
_MOST = 10
_UNKNOWN = 1  # unknown names among them
Row = Sequence[Phrase]


def sums_side_by_side(rows: Sequence[Row]) -> Iterator[tuple[Phrase, Phrase]]:
    """The names of such sums with their amounts; not those of tax tables.

    These have several rows of amounts.
    """
    for names, amounts, after in zip(rows, rows[1:], [*rows[2:], ()], strict=False):
        if _are_sums(names, amounts) and not _goes_on(amounts, after):
            pairs = zip(names, amounts, strict=True)
            yield from ((name, amount) for name, amount in pairs if amount_in(amount.text))


def _goes_on(amounts: Row, after: Row) -> bool:
    """Whether the next row has amounts, too: most of it, or any below one with a rate."""
    are_amounts = [amount_in(phrase.text) is not None for phrase in after]
    return bool(are_amounts) and (
        all(are_amounts) or (any(are_amounts) and any(map(_is_rate, amounts)))
    )


def _is_rate(phrase: Phrase) -> bool:
    return is_percent(phrase.text)


def _are_sums(names: Row, amounts: Row) -> bool:
    if not _LEAST <= len(names) == len(amounts) <= _MOST:
        return False
    if any(amount_in(name.text) for name in names):
        return False
    known = [name_of(name.text) in SUMS for name in names]
    ends = [*(name.x0 for name in names[1:]), inf]
    return sum(known) >= max(len(names) - _UNKNOWN, _LEAST) and all(
        (amount_in(amount.text) or _is_rate(amount))
        and name.x0 - name.height < amount.x1
        and amount.x0 < end
        for name, amount, end in zip(names, amounts, ends, strict=True)
    )
