"""Merges the answers for the parts of a document: values grounded, conflicts shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pagetide.document.extraction import Conflict, ExtractedLeaf
from pagetide.reading.extraction.forms.answers_read import LeafAnswer, Tree, is_empty
from pagetide.reading.extraction.forms.form import Form, LeafForm, ListForm, RecordForm
from pagetide.reading.extraction.grounding.grounded import Ground

_BEST = ("grounded", "elsewhere", "inferred", "ungrounded", "absent")


class Merged:
    """Answers about parts of a document, as one.

    Attributes:
        value: Of the schema's form.
        leaves: In the schema's order.
        conflicts: Where parts say different things.
    """

    def __init__(self, form: RecordForm, answers: Sequence[Tree], ground: Ground) -> None:
        self.leaves: list[ExtractedLeaf] = []
        self.conflicts: list[Conflict] = []
        self._ground = ground
        self.value: dict[str, Any] = self._of(form, answers, "")

    def _of(self, form: Form, trees: Sequence[Tree], at: str) -> Any:
        if isinstance(form, RecordForm):
            given = [tree for tree in trees if isinstance(tree, dict)]
            return {
                name: self._of(part, [tree[name] for tree in given], f"{at}/{_step(name)}")
                for name, part in form.parts.items()
            }
        if isinstance(form, ListForm):
            listed = (each for tree in trees if isinstance(tree, list) for each in tree)
            full = [each for each in listed if not is_empty(each)]
            return [self._of(form.of, [each], f"{at}/{row}") for row, each in enumerate(full)]
        return self._leaf(form, [tree for tree in trees if isinstance(tree, LeafAnswer)], at)

    def _leaf(self, form: LeafForm, answers: Iterable[LeafAnswer], at: str) -> Any:
        found = [
            self._ground.leaf(form, each, at) for each in answers if each.value is not None
        ]
        found.sort(key=lambda leaf: _BEST.index(leaf.standing))
        leaf = found[0] if found else ExtractedLeaf(path=at)
        others = _differing(leaf, found[1:])
        if others:
            self.conflicts.append(Conflict(path=at, leaves=(leaf, *others)))
        self.leaves.append(leaf)
        return leaf.value


def _differing(leaf: ExtractedLeaf, others: Iterable[ExtractedLeaf]) -> list[ExtractedLeaf]:
    """The other values that are returned just as well; each once."""
    seen, kept = [leaf.value], []
    for each in others:
        if each.value is not None and each.value not in seen:
            seen.append(each.value)
            kept.append(each)
    return kept


def _step(name: str) -> str:
    """A name within a JSON pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")
