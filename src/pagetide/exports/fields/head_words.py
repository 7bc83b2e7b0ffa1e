"""Column headers in other words than the lists: shortened, qualified, with tax."""

from __future__ import annotations

import re
from functools import cache

from pagetide.exports.fields.pairs.sums import says_which
from pagetide.exports.fields.values.amounts import without_currency
from pagetide.languages.labels import column_labels, columns, plain
from pagetide.languages.shortened import ByCount, by_count, shortened

_ASIDE = re.compile(r"\s*[(\[][^()\[\]]{1,40}[)\]]")
_WORDS = 6  # of a header
_OF = re.compile(
    r"\s(?:of|per|in|de|des|du|del|della|dei|di|al|der|des|von|pro|je|van|por|da|do|/)\s.*$",
    re.IGNORECASE | re.DOTALL,
)


def column_of(head: str) -> str:
    """The column that a header names; empty if it names none.

    A currency, an aside and tax words are removed, then the qualifier of the column.
    """
    if len(head.split()) > _WORDS or any(map(str.isdigit, head)):
        return ""
    without, currency = without_currency(_ASIDE.sub("", head).strip())
    bare = without.strip(" *:").removesuffix(" kr")
    if currency and (not bare or columns().get(plain(bare)) == "description"):
        return "amount"  # such as `£`, and `Goods £`: the price of the goods
    kept = " ".join(word for word in bare.split() if not says_which(word))
    for text in (bare, kept, _OF.sub("", bare), _OF.sub("", kept)):
        if name := columns().get(plain(text), ""):
            return "price" if currency and name == "unit" else name  # `Unit €`
    return shortened_column(bare) if "." in bare else ""


def shortened_column(head: str) -> str:
    """The column with as many words, each equal to this one's or starting with it."""
    return shortened(head, _by_count())


@cache
def _by_count() -> ByCount:
    return by_count(column_labels())
