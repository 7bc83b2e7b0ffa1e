"""Labels with shortened words: `Tot. imponibile`, `Prezzo unit.`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

ByFirst = Mapping[tuple[int, str], Sequence[tuple[Sequence[str], str]]]
"""The words of labels with what they name, by how many they are and the first letter."""


def by_first(labels: Iterable[tuple[str, str]]) -> ByFirst:
    """Labels with what they name, as `shortened` looks for them."""
    found: dict[tuple[int, str], list[tuple[Sequence[str], str]]] = {}
    for label, name in labels:
        words = label.casefold().split()
        found.setdefault((len(words), words[0][0]), []).append((words, name))
    return found


def shortened(label: str, known: ByFirst) -> str:
    """What the labels name whose words are this one's or, before a stop, begin with it.

    Empty where there is none, or where they name several things.
    """
    words = label.casefold().replace(".", ". ").split()
    alike = known.get((len(words), words[0][:1]), ()) if words else ()
    found = {name for own, name in alike if _begins(words, own)}
    return found.pop() if len(found) == 1 else ""


def _begins(words: Sequence[str], others: Sequence[str]) -> bool:
    return all(
        other.startswith(word[:-1]) if word.endswith(".") else other == word
        for word, other in zip(words, others, strict=True)
    )
