"""The known meaning of a label: the name of its field."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from pagetide.exports.fields.pairs.sums import is_of_a_sum, sum_of
from pagetide.exports.fields.values.amounts import without_currency
from pagetide.languages.composed import begins, composed
from pagetide.languages.labels import SUMS, begins_label, in_both, names, plain, sum_labels
from pagetide.languages.shortened import ByCount, by_count, shortened

# After a payment label: `vom 07.01.2025`.
_DATED = re.compile(r"\s+(?:[^\W\d]{1,4}\s+)?\d{1,4}[./-]\d{1,2}[./-]\d{2,4}$")
_KRONER = re.compile(r",?\s+kr\.?$", re.IGNORECASE)
BOX = re.compile(r"\d{1,2}[.)]\s+(?=[^\W\d_])")
_ASIDE = re.compile(r"\s*[(（][^()（）]{1,40}(?:[)）]|$)")  # its end may be on the next line
_RATE = re.compile(r"\W*\d{1,2}(?:[.,]\d{1,3})?\s*%\W*")


@lru_cache(maxsize=2048)  # cells of a table are tested several times
def name_of(label: str) -> str:
    """The known meaning of a label, ignoring a rate, a currency and an aside.

    Also the number of its box, as in forms: `2. Invoice number`.
    """
    label = label.strip()
    if label[:1].isdigit():
        label = BOX.sub("", label)
    if not _may_be_known(label):
        return ""
    bare = _KRONER.sub("", without_currency(label)[0]).rstrip(" ,")
    if bare.endswith("%") and not any(map(str.isdigit, bare)):
        return ""  # a column of rates
    found = exactly(bare) or (in_both(bare, _by_words) if " / " in bare else "")
    found = found or sum_of(bare) or exactly(_ASIDE.sub(" ", bare))
    found = found or (shortened(bare, _sums_by_count()) if "." in bare else "")
    if not found and (dated := _DATED.search(bare)):
        found = name if (name := _by_words(bare[: dated.start()])) in SUMS else ""
    return found or composed(bare) or in_both(bare, _by_words)


def _by_words(label: str) -> str:
    if not _may_be_known(label):
        return ""
    return exactly(label) or sum_of(label) or composed(label)


@cache
def _sums_by_count() -> ByCount:
    return by_count(sum_labels())


def _may_be_known(label: str) -> bool:
    """Whether a label's first word starts a known label; most do not."""
    first = label.split(maxsplit=1)[0] if label else ""
    is_open = "%" in label or "(" in first or "（" in first  # something else may be first
    return is_open or begins_label(plain(first)) or is_of_a_sum(first) or begins(first)


def exactly(label: str) -> str:
    """The field whose known label this is exactly, with any rate in it; otherwise empty."""
    return names().get(plain(_RATE.sub(" ", label) if "%" in label else label), "")
