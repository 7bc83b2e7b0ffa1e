"""Checks a server's answer against the form: what fits is kept, the rest is dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from pagetide.reading.extraction.forms.form import Form, LeafForm, ListForm, RecordForm

MOST_VALUES = 5000


class LeafAnswer(NamedTuple):
    """A value as the server gave it, and the ids it named.

    Attributes:
        fits: Whether it is of the schema.
    """

    value: Any
    named: tuple[str, ...]
    fits: bool


Tree = LeafAnswer | list["Tree"] | dict[str, "Tree"]


class Wrong(Exception):
    """An answer is not of the form; the message says where."""


class ReadAnswer:
    """An answer by the form.

    Attributes:
        tree: Its values.
        misfits: Where a value is not of the schema.
        unknown: Names that the schema does not have; they were dropped.
    """

    def __init__(self, form: RecordForm, text: str) -> None:
        """Read it.

        Raises:
            Wrong: It is no JSON, or not of the form.
        """
        self.misfits: list[str] = []
        self.unknown: list[str] = []
        self._values = 0
        self.tree = self._read(form, _json(text), "")

    def _read(self, form: Form, given: Any, at: str) -> Tree:
        if isinstance(form, RecordForm):
            return self._record(form, given, at)
        if isinstance(form, ListForm):
            if not isinstance(given, list | None):
                raise Wrong(f"{at} is not a list.")
            rows = enumerate(given or [])
            return [self._read(form.of, each, f"{at}/{index}") for index, each in rows]
        self._values += 1
        if self._values > MOST_VALUES:
            raise Wrong(f"It has more than {MOST_VALUES} values.")
        leaf = _leaf_answer(form, given)
        if not leaf.fits:
            self.misfits.append(f"{at} is not in the schema.")
        return leaf

    def _record(self, form: RecordForm, given: Any, at: str) -> Tree:
        if given is None:
            given = {}
        if not isinstance(given, dict):
            raise Wrong(f"{at or 'It'} is not an object.")
        self.unknown += [f"{at}/{name}" for name in given if name not in form.parts]
        return {
            name: self._read(part, given.get(name), f"{at}/{name}")
            for name, part in form.parts.items()
        }


def is_empty(tree: Tree) -> bool:
    """Whether nothing is said in it."""
    if isinstance(tree, LeafAnswer):
        return tree.value is None
    return all(map(is_empty, _parts(tree)))


def _parts(tree: Sequence[Tree] | Mapping[str, Tree]) -> Sequence[Tree]:
    return list(tree.values()) if isinstance(tree, Mapping) else tree


def _leaf_answer(form: LeafForm, given: Any) -> LeafAnswer:
    answer = given if isinstance(given, dict) else {"value": given}
    value, lines = answer.get("value"), answer.get("lines")
    listed = lines if isinstance(lines, list) else []
    named = tuple(dict.fromkeys(each.strip("[] ") for each in listed if isinstance(each, str)))
    if value is None or (isinstance(value, str) and not value.strip()):
        return LeafAnswer(None, named, True)
    return LeafAnswer(value, named, form.takes(value))


def _json(text: str) -> Any:
    """The object in an answer; what a model thinks aloud or fences it with is left out."""
    rest = text.rpartition("</think>")[2]
    start, end = rest.find("{"), rest.rfind("}")
    try:
        return msgspec.json.decode(rest[start : end + 1] if start >= 0 else rest)
    except (msgspec.DecodeError, RecursionError):
        raise Wrong("It is not a single JSON object.") from None
