"""Labels with shortened words: `Tot. imponibile`, `Prezzo unit.`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

ByCount = Mapping[int, Sequence[tuple[Sequence[str], str]]]
"""The words of labels with what they name, in order, by how many words they are."""


def by_count(labels: Iterable[tuple[str, str]]) -> ByCount:
    """Labels with what they name, as `shortened` looks for them."""
    found: dict[int, list[tuple[Sequence[str], str]]] = {}
    for label, name in labels:
        words = label.casefold().split()
        found.setdefault(len(words), []).append((words, name))
    return {count: sorted(own) for count, own in found.items()}


def shortened(label: str, known: ByCount) -> str:
    """What the labels name whose words are this one's or, before a stop, begin with it.

    Empty where there is none, or where they name several things.
    """
    words = label.casefold().replace(".", ". ").split()
    alike = known.get(len(words), ())
    if not alike:
        return ""
    stem, found = words[0].rstrip("."), set[str]()
    for place in range(bisect_left(alike, ([stem],)), len(alike)):
        own, name = alike[place]
        if not own[0].startswith(stem):
            break
        if _begins(words, own):
            found.add(name)
    return found.pop() if len(found) == 1 else ""


def _begins(words: Sequence[str], others: Sequence[str]) -> bool:
    return all(
        other.startswith(word[:-1]) if word.endswith(".") else other == word
        for word, other in zip(words, others, strict=True)
    )
