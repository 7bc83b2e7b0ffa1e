"""Words of bills and forms that are known by what they say, in some twenty languages.

Those of Swedish, Danish and Norwegian stand together.

The lists stand beside this module: labels with what their values must be (`labels.toml`), words
of sums' labels, heads of columns, words of letterheads, names of months. What one language has
for one thing is one text, with ` | ` between its words: lists of strings took `tomllib` five
times as long, 20 ms in all.
"""

from __future__ import annotations

import tomllib
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path

SUMS = frozenset(
    {"subtotal", "tax", "discount", "shipping", "total", "rounding", "paid", "change"}
)
LABEL_WORDS = 7  # of a label, at most
_HERE = Path(__file__).parent
_BAR, _NO_WORDS = " | ", ("title", "kind")
# Degrees and ordinals, and i with and without its dot, in Turkish as casefold leaves it.
_PLAIN = {ord("º"): "°", ord("ı"): "i", 0x307: None}
_PLAIN |= dict.fromkeys(map(ord, ".:：·-–—_()（）*\"'’"))
_PLAIN |= dict.fromkeys(place for place in range(0x3001) if chr(place).isspace())


def _plain(label: str) -> str:
    """A label as it is compared: without case, stops and spaces."""
    if label.isalnum() and label.isascii():
        return label.lower()  # a third of the time, and most words are such
    return label.casefold().translate(_PLAIN)


plain = lru_cache(maxsize=8192)(_plain)  # pages have the same words again and again


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
        name = name_in(" ".join(words[cut:]))  # tried first: fewer second parts may be known
        if name and name == name_in(" ".join(words[:cut])):
            return name
    return ""


@cache
def beginnings() -> frozenset[str]:
    """What the first words of known labels are, plain: most phrases begin otherwise."""
    return first_words(_read("labels.toml")).union(*words_by_role("sums.toml").values())


def begins_label(letters: str) -> bool:
    """Whether a known label begins with these letters, plain."""
    return is_begun(letters, _in_order("labels.toml"))


def begins_column(letters: str) -> bool:
    """Whether the known head of a column begins with these letters, plain."""
    return is_begun(letters, _in_order("columns.toml"))


def is_begun(letters: str, labels: Sequence[str]) -> bool:
    """Whether one of some labels in order begins with these letters."""
    place = bisect_left(labels, letters)
    return place < len(labels) and labels[place].startswith(letters)


@cache
def _in_order(file: str) -> list[str]:
    return sorted(_by_label(file))


def first_words(fields: Collection[str]) -> frozenset[str]:
    """What the labels of some fields begin with, plain."""
    labels_by_field = _read("labels.toml")
    lists = (labels for name in fields for labels in labels_by_field[name].values())
    return frozenset(_plain_words(label.split()[0] for labels in lists for label in labels))


@cache
def words_by_language(file: str) -> dict[str, dict[str, list[str]]]:
    """The words of a file as they stand, by their language and then by their meaning."""
    found: dict[str, dict[str, list[str]]] = {}
    for role, lists in _read(file).items():
        for language, words in lists.items():
            found.setdefault(language, {})[role] = words
    return found


@cache
def words_by_role(file: str) -> dict[str, frozenset[str]]:
    """The words of a file, of all languages, by their meaning, plain."""
    return {
        role: frozenset(_plain_words(chain.from_iterable(lists.values())))
        for role, lists in _read(file).items()
    }


def names() -> dict[str, str]:
    """From a plain label to the name of its field; the first that has it."""
    return _by_label("labels.toml")


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
    return _labels("labels.toml", SUMS)


def _labels(file: str, among: Collection[str] | None = None) -> list[tuple[str, str]]:
    return [
        (label, name)
        for name, field in _read(file).items()
        if among is None or name in among
        for labels in field.values()
        for label in labels
    ]


@cache
def labels_of(name: str) -> frozenset[str]:
    """A field's labels as the list has them."""
    return frozenset(
        label for labels in _read("labels.toml")[name].values() for label in labels
    )


@cache
def single_words(name: str) -> frozenset[str]:
    """A field's labels of one word, plain."""
    labels = labels_of(name)
    return frozenset(_plain(label) for label in labels if len(label) > 1 and " " not in label)


@cache
def kinds() -> dict[str, str]:
    """What a field's value must be, by the field's name."""
    return {name: field["kind"] for name, field in _by_meaning("labels.toml").items()}


@cache
def months() -> dict[str, int]:
    """From a month's name, in lower case, to its number."""
    by_language = _by_meaning("months.toml")["months"]
    return {
        name: int(number) for number, names in by_language.items() for name in names.split(_BAR)
    }


@cache
def _by_label(file: str) -> dict[str, str]:
    labels = _labels(file)
    plain_labels = _plain_words(label for label, _ in labels)
    # The first of several counts, so it is set last.
    return {
        label: name for label, (_, name) in zip(plain_labels[::-1], labels[::-1], strict=True)
    }


def _plain_words(words: Iterable[str]) -> list[str]:
    """Each as `_plain` has it: as one text and sign by sign they take a third of the time."""
    text = "|".join(words).casefold()
    for sign, plainer in _PLAIN.items():
        text = text.replace(chr(sign), plainer or "")
    return text.split("|")


@cache
def _read(file: str) -> dict[str, dict[str, list[str]]]:
    """A file's words, by their meaning and then by their language."""
    return {
        role: {key: words.split(_BAR) for key, words in lists.items() if key not in _NO_WORDS}
        for role, lists in _by_meaning(file).items()
    }


@cache
def _by_meaning(file: str) -> dict[str, dict[str, str]]:
    return tomllib.loads((_HERE / file).read_text(encoding="utf-8"))
