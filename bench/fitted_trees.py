"""Fits boosted trees on examples, and reports how often they are right on others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
from sklearn.ensemble import GradientBoostingClassifier

from bench.fitted_heads import FOLDS, Example
from pagetide.structure.trees import Trees

COUNT, DEPTH, RATE = 100, 3, 0.1
SHARE, LEAST = 0.7, 8  # of the examples that each tree sees, and of those in each answer
DIGITS = 4


def fitted(examples: Sequence[Example], count: int = COUNT, depth: int = DEPTH) -> Trees:
    """This many trees of this depth that fit the examples."""
    names = sorted({name for each in examples for name in each.features})
    given = np.array([[each.features.get(name, 0.0) for name in names] for each in examples])
    true = np.array([each.true for each in examples])
    model = GradientBoostingClassifier(
        n_estimators=count,
        max_depth=depth,
        learning_rate=RATE,
        subsample=SHARE,
        min_samples_leaf=LEAST,
        random_state=0,
    )
    model.fit(given, true, sample_weight=np.array([each.weight for each in examples]))
    share = model.init_.class_prior_[1]
    base = round(float(np.log(share / (1 - share))), DIGITS)
    return Trees(base, [_node(each.tree_, 0, names) for [each] in model.estimators_])


def _node(tree: Any, at: int, names: Sequence[str]) -> float | list[Any]:
    """A tree from one of its nodes on, in the form of `Trees`."""
    below = int(tree.children_left[at]), int(tree.children_right[at])
    if below[0] < 0:
        return round(RATE * float(tree.value[at, 0, 0]), DIGITS)
    then, other = (_node(tree, place, names) for place in below)
    return [names[tree.feature[at]], round(float(tree.threshold[at]), DIGITS), then, other]


def written(trees: Trees) -> bytes:
    """In the file's form: a tree a line."""
    lines = ",\n".join(msgspec.json.encode(tree).decode() for tree in trees.trees)
    return f'{{"base":{trees.base},"trees":[\n{lines}\n]}}\n'.encode()


def folds(
    examples: Sequence[Example], fit: Callable[[Sequence[Example]], Trees] = fitted
) -> Iterator[tuple[Trees, Sequence[tuple[int, Example]]]]:
    """For cross-validation by document: fits, and the examples without a part in them.

    Yields:
        Trees fitted without a fold's documents, and that fold's examples with their places.
    """
    documents = sorted({(each.kind, each.document) for each in examples})
    chance = np.random.default_rng(0).permutation(len(documents))
    fold = {document: chance[n] % FOLDS for n, document in enumerate(documents)}
    for part in range(FOLDS):
        own = [(fold[each.kind, each.document] == part, each) for each in examples]
        trees = fit([each for held_out, each in own if not held_out])
        yield trees, [(n, each) for n, (held_out, each) in enumerate(own) if held_out]


def told_right(
    examples: Sequence[Example], fit: Callable[[Sequence[Example]], Trees] = fitted
) -> str:
    """A table: how often examples are right by fits without their documents, by kind."""
    right: dict[int, bool] = {}
    for trees, held_out in folds(examples, fit):
        for place, each in held_out:
            right[place] = (trees.probability(each.features) > 0.5) == each.true
    lines = ["| examples | documents | all right | examples | true | told right |"]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for kind in dict.fromkeys(each.kind for each in examples):
        own = [(n, each) for n, each in enumerate(examples) if each.kind == kind]
        documents = {each.document for _, each in own}
        wrong = {each.document for n, each in own if not right[n]}
        share = sum(right[n] for n, _ in own) / len(own)
        lines.append(
            f"| {kind} | {len(documents)} | {len(documents) - len(wrong)} | {len(own)} "
            f"| {sum(each.true for _, each in own)} | {share:.1%} |"
        )
    return "\n".join(lines)
