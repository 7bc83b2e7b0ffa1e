"""Words of bills and forms that are known by what they say, in some twenty languages.

Those of Swedish, Danish and Norwegian stand together.

The lists stand beside this module: labels with what their values must be (`labels.toml`), words
of sums' labels, heads of columns, words of letterheads, names of months.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection
from functools import cache, lru_cache
from pathlib import Path

SUMS = frozenset(
    {"subtotal", "tax", "discount", "shipping", "total", "rounding", "paid", "change"}
)
LABEL_WORDS = 7  # of a label, at most
_HERE = Path(__file__).parent
# Degrees and ordinals, and i with and without its dot, in Turkish as casefold leaves it.
_ALIKE = {ord("º"): "°", ord("ı"): "i", 0x307: None}
_NOISE = re.compile(r"[\s.:：·\-–—_()（）*\"'’]+")


@lru_cache(maxsize=8192)  # pages have the same words again and again
def plain(label: str) -> str:
    """A label as it is compared: without case, stops and spaces."""
    return _NOISE.sub("", label.casefold().translate(_ALIKE))


def in_both(label: str, name_in: Callable[[str], str]) -> str:
    """What a label in two languages, as `Fecha / Date`, means by either.

    Empty where it is in one, where neither is known, and where the two differ; without a stroke
    between them both must be known.
    """
    first, slash, second = label.partition(" / ")
    if slash:
        names = {name_in(first.strip()), name_in(second.strip())} - {""}
        return names.pop() if len(names) == 1 else ""
    words = label.split(maxsplit=LABEL_WORDS)
    for cut in range(1, len(words) if len(words) <= LABEL_WORDS else 0):
        name = name_in(" ".join(words[:cut]))
        if name and name == name_in(" ".join(words[cut:])):
            return name
    return ""


@cache
def beginnings() -> frozenset[str]:
    """What the first words of known labels are, plain: most phrases begin otherwise."""
    return first_words(_read("labels.toml")).union(*words_by_role("sums.toml").values())


@cache
def begun() -> frozenset[str]:
    """All that known labels begin with, letter by letter, plain."""
    return frozenset(label[:end] for label in names() for end in range(len(label) + 1))


def first_words(fields: Collection[str]) -> frozenset[str]:
    """What the labels of some fields begin with, plain."""
    told = _read("labels.toml")
    lists = [each for name in fields for each in told[name].values() if isinstance(each, list)]
    return frozenset(plain(label.split()[0]) for labels in lists for label in labels)


@cache
def words_by_language(file: str) -> dict[str, dict[str, list[str]]]:
    """The words of a file as they stand, by their language and then by what they tell."""
    found: dict[str, dict[str, list[str]]] = {}
    for role, lists in _read(file).items():
        for language, words in lists.items():
            if isinstance(words, list):
                found.setdefault(language, {})[role] = words
    return found


@cache
def words_by_role(file: str) -> dict[str, frozenset[str]]:
    """The words of a file, of all languages, by what they tell, plain."""
    return {
        role: frozenset(plain(word) for words in lists.values() for word in words)
        for role, lists in _read(file).items()
    }


@cache
def names() -> dict[str, str]:
    """From a plain label to the name of its field; the first that has it."""
    return _by_label("labels.toml")


@cache
def columns() -> dict[str, str]:
    """From a plain head to the name of its column."""
    return _by_label("columns.toml")


@cache
def column_labels() -> list[tuple[str, str]]:
    """Heads as the list has them, with the names of their columns."""
    return _labels("columns.toml")


@cache
def sum_labels() -> list[tuple[str, str]]:
    """Labels of sums as the list has them, with the names of their fields."""
    return [(label, name) for label, name in _labels("labels.toml") if name in SUMS]


def _labels(file: str) -> list[tuple[str, str]]:
    return [
        (label, name)
        for name, field in _read(file).items()
        for labels in field.values()
        if isinstance(labels, list)
        for label in labels
    ]


@cache
def labels_of(name: str) -> frozenset[str]:
    """A field's labels as the list has them."""
    told = _read("labels.toml")[name].values()
    return frozenset(label for each in told if isinstance(each, list) for label in each)


@cache
def single_words(name: str) -> frozenset[str]:
    """A field's labels of one word, plain."""
    labels = labels_of(name)
    return frozenset(plain(label) for label in labels if len(label) > 1 and " " not in label)


@cache
def kinds() -> dict[str, str]:
    """What a field's value must be, by the field's name."""
    return {name: str(field["kind"]) for name, field in _read("labels.toml").items()}


@cache
def months() -> dict[str, int]:
    """From a month's name, in lower case, to its number."""
    told = tomllib.loads((_HERE / "months.toml").read_text(encoding="utf-8"))
    return {name: int(number) for number, names in told.items() for name in names}


def _by_label(file: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, field in _read(file).items():
        for labels in field.values():
            for label in labels if isinstance(labels, list) else ():
                found.setdefault(plain(label), name)
    return found


@cache
def _read(file: str) -> dict[str, dict[str, str | list[str]]]:
    return tomllib.loads((_HERE / file).read_text(encoding="utf-8"))
