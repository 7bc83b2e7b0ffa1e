"""What a column's head says in other words than the lists: shortened, of what, with tax."""

from __future__ import annotations

import re
from functools import cache

from pagetide.exports.fields.pairs.sums import says_which
from pagetide.exports.fields.values.amounts import without_currency
from pagetide.languages.labels import column_labels, columns, plain

_ASIDE = re.compile(r"\s*[(\[][^()\[\]]{1,40}[)\]]")
_WORDS = 6  # of a head
_OF = re.compile(
    r"\s(?:of|per|in|de|des|du|del|della|dei|di|al|der|des|von|pro|je|van|por|da|do|/)\s.*$",
    re.IGNORECASE | re.DOTALL,
)


def column_of(head: str) -> str:
    """The column that a head names; empty where it is none.

    A currency, an aside and words for taxes are left out, then what the column is of; words
    with a stop are the beginnings of others.
    """
    if len(head.split()) > _WORDS or any(map(str.isdigit, head)):
        return ""
    bare = without_currency(_ASIDE.sub("", head).strip())[0].strip(" *:")
    bare = bare.removesuffix(" kr")
    kept = " ".join(word for word in bare.split() if not says_which(word))
    for text in (bare, kept, _OF.sub("", bare), _OF.sub("", kept)):
        if name := columns().get(plain(text), ""):
            return name
    return _shortened(bare) if "." in bare else ""


def _shortened(head: str) -> str:
    """The column with as many words, each of which is this one's or begins with it."""
    words = head.casefold().replace(".", ". ").split()
    alike = _by_first().get((len(words), words[0][:1]), ())
    found = {name for own, name in alike if _begins(words, own)}
    return found.pop() if len(found) == 1 else ""


def _begins(words: list[str], others: list[str]) -> bool:
    return all(
        other.startswith(word[:-1]) if word.endswith(".") else other == word
        for word, other in zip(words, others, strict=True)
    )


@cache
def _by_first() -> dict[tuple[int, str], list[tuple[list[str], str]]]:
    """Known heads as words, with their columns, by how many there are and the first letter."""
    found: dict[tuple[int, str], list[tuple[list[str], str]]] = {}
    for label, name in column_labels():
        words = label.casefold().split()
        found.setdefault((len(words), words[0][:1]), []).append((words, name))
    return found
