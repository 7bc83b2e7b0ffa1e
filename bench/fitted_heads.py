"""Fits the model for headings, and prints its gain: `python -m bench.fitted_heads`.

Examples are the short blocks of drawn documents (as PDFs, as pictures), of PDFs with a hidden
outline, and of the development pictures whose areas are known. Weights are a
logistic regression's, fitted by Newton's method; every figure is for documents that had no
part in its fit: ten fits, each without a tenth of the documents. It takes some
fifteen minutes, most of them for reading pictures.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from bench.corpus import pages
from bench.drawn.matching import matched, seen_of
from bench.drawn.measuring import pictures_of, scaled
from bench.drawn.printing import documents
from bench.drawn.score import HEADS, owners_of
from bench.drawn.truth import DrawnPage
from bench.heading_quality import FOLDERS, hidden_outlines, prepared_pages
from bench.layout_quality import HALVES, truth_of
from pagetide import ReadOptions, open_reader
from pagetide.document import Block, Page
from pagetide.geometry import Box, Point, box_of, center, contains
from pagetide.inputs import Sandbox
from pagetide.reading import Reader
from pagetide.structure.draft import Draft
from pagetide.structure.headings import decided as heads
from pagetide.structure.headings.features import Features

PDFS, PICTURES = (range(72), range(100, 220)), (range(72), range(100, 172))
WRITTEN = Path(heads.__file__).with_name("weights.py")
FOLDS = 10
LEFT_OUT = 0.3  # a heading by the rules that an outline does not name often is one
SOFTNESS = 5.0  # the ridge: how many examples' worth of doubt each weight is held back by
STEPS = 25
LEAST = 0.004  # smaller weights are dropped

Numbers = NDArray[np.float64]
Truth = Callable[[Block], bool | None]


@dataclass(frozen=True)
class Example:
    """A short block: its source, the rules' verdict, its true kind, and its features.

    `weight` is its weight in the fit.
    """

    kind: str
    document: str
    ruled: bool
    true: bool
    features: Features
    weight: float = 1.0


def main() -> None:
    """Fit the weights, print what they gain, and write them."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.fitted_heads", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--write", action="store_true", help="write the fitted weights")
    arguments = parser.parse_args()
    examples = list(itertools.chain(drawn_pdfs(), drawn_pictures(), outlined(), labelled()))
    print(gains(examples))
    if arguments.write:
        WRITTEN.write_text(as_module(fitted(examples), "a heading is", "heads"))


def drawn_pdfs() -> Iterator[Example]:
    """Of drawn documents with a text layer."""
    with Sandbox() as sandbox:
        for drawn in documents(itertools.chain(*PDFS)):
            prepared = prepared_pages(drawn.pdf, sandbox)
            for each, truth in zip(prepared, drawn.truth.pages, strict=True):
                with _told() as told:
                    page = each.page()
                assert page
                named = _drawn(truth, page, partial(scaled, by=truth.width / page.width))
                yield from _examples("drawn PDFs", drawn.truth.name, page, told, named)


def drawn_pictures() -> Iterator[Example]:
    """Of pictures of drawn pages, except Arabic, which is not read."""
    with open_reader("structure-lite") as reader:
        for drawn in documents(itertools.chain(*PICTURES)):
            if drawn.truth.language == "ar":
                continue
            for picture, truth in zip(pictures_of(drawn), drawn.truth.pages, strict=True):
                page, told = _read(reader, picture.jpeg)
                named = _drawn(truth, page, picture.back)
                yield from _examples("drawn pictures", drawn.truth.name, page, told, named)


def outlined() -> Iterator[Example]:
    """Of PDFs with a hidden outline: what it names is a heading."""
    for name, truth, prepared in hidden_outlines(FOLDERS):
        for each in prepared:
            with _told() as told:
                page = each.page()
            if page:
                known = {letters for number, letters, _ in truth if number == page.number}
                for one in _examples("outlines", name, page, told, partial(_outlined, known)):
                    left_out = one.ruled and not one.true
                    yield replace(one, weight=LEFT_OUT) if left_out else one


def labelled() -> Iterator[Example]:
    """Of pictures with known areas, those that the rules were developed on."""
    with open_reader("structure-lite") as reader:
        for each in pages("publaynet")[HALVES["pages developed on"]]:
            page, told = _read(reader, each.path)
            areas = truth_of(each)
            yield from _examples(
                "publaynet", each.path.stem, page, told, partial(_labelled, areas)
            )


Told = list[tuple[Draft, Features]]


@contextmanager
def _told() -> Iterator[Told]:
    """Records the queries to the model, and lets the rules decide."""
    told: Told = []

    def noted(draft: Draft, features: Features) -> Draft:
        told.append((draft, features))
        return draft

    with mock.patch.object(heads, "ruled", noted):
        yield told


def _read(reader: Reader, source: bytes | Path) -> tuple[Page, Told]:
    with _told() as told:
        page = reader.read(source, options=ReadOptions(text_layer="never")).pages[0]
    return page, told


def _examples(kind: str, name: str, page: Page, told: Told, truth: Truth) -> Iterator[Example]:
    blocks = {_place(box_of(block.polygon)): block for block in page.blocks}
    for draft, features in told:
        block = blocks.get(_place(draft.box))
        true = truth(block) if block else None
        if true is not None:
            yield Example(kind, name, draft.kind in heads.HEADS, true, features)


def _place(box: Box) -> tuple[int, ...]:
    return tuple(round(side) for side in box)


def _drawn(truth: DrawnPage, page: Page, back: Callable[[Point], Point]) -> Truth:
    owners = owners_of(truth, matched(truth, seen_of(page, back)), len(page.blocks))

    def is_head(block: Block) -> bool | None:
        owner = owners[block.order]
        [(of, words)] = owner.most_common(1) or [(-1, 0)]
        if 2 * words <= owner.total():
            return None
        true = truth.blocks[of]
        if true.kind not in HEADS and set(true.also) & set(HEADS):
            return None
        return true.kind in HEADS

    return is_head


def _outlined(known: set[str], block: Block) -> bool:
    return "".join(filter(str.isalnum, block.text.casefold())) in known


def _labelled(areas: Sequence[tuple[str, Box]], block: Block) -> bool | None:
    middle = center(box_of(block.polygon))
    return next((name == "title" for name, box in areas if contains(box, middle)), None)


def fitted(examples: Sequence[Example]) -> dict[str, float]:
    """The weights by name that fit the examples best."""
    names = sorted({name for each in examples for name in each.features})
    given = np.array([[each.features.get(name, 0.0) for name in names] for each in examples])
    true = np.array([each.true for each in examples], np.float64)
    counts = np.array([each.weight for each in examples])
    spread = np.where(given.std(axis=0) > 0, given.std(axis=0), 1.0)
    weights = _logistic(given / spread, true, counts) / spread
    return {
        name: round(float(weight), 3)
        for name, weight in zip(names, weights, strict=True)
        if abs(weight) >= LEAST
    }


def _logistic(given: Numbers, true: Numbers, counts: Numbers) -> Numbers:
    weights = np.zeros(given.shape[1])
    ridge = SOFTNESS * np.eye(len(weights))
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-given @ weights))
        slope = given.T @ (counts * (true - likely)) - ridge @ weights
        bend = (given * (counts * likely * (1 - likely))[:, None]).T @ given + ridge
        weights += np.linalg.solve(bend, slope)
    return weights


def folds(
    examples: Sequence[Example],
) -> Iterator[tuple[dict[str, float], list[tuple[int, Example]]]]:
    """For cross-validation by document: weights, and the examples without a part in them.

    Yields:
        Weights fitted without a fold's documents, and that fold's examples with their places.
    """
    names = sorted({each.document for each in examples})
    chance = np.random.default_rng(0)
    fold_of = dict(zip(names, chance.permutation(len(names)) % FOLDS, strict=True))
    for fold in range(FOLDS):
        weights = fitted([each for each in examples if fold_of[each.document] != fold])
        told = enumerate(examples)
        yield weights, [(n, each) for n, each in told if fold_of[each.document] == fold]


def gains(examples: Sequence[Example]) -> str:
    """A table: the F1 of headings by kind of document, by rules and as fitted."""
    said: dict[int, bool] = {}
    for weights, held_out in folds(examples):
        with mock.patch.object(heads, "WEIGHTS", weights):
            for place, each in held_out:
                said[place] = heads.is_likely(each.features, ruled=each.ruled)
    rows = ["| examples | documents | blocks | headings | rules: F1 | fitted: F1 |"]
    rows.append("| --- | --- | --- | --- | --- | --- |")
    for kind in dict.fromkeys(each.kind for each in examples):
        own = [(n, each) for n, each in enumerate(examples) if each.kind == kind]
        rules = _f1([(each.ruled, each.true) for _, each in own])
        model = _f1([(said[n], each.true) for n, each in own])
        many = len({each.document for _, each in own})
        there = sum(each.true for _, each in own)
        rows.append(f"| {kind} | {many} | {len(own)} | {there} | {rules:.3f} | {model:.3f} |")
    return "\n".join(rows)


def _f1(told: Sequence[tuple[bool, bool]]) -> float:
    right = sum(said and true for said, true in told)
    return 2 * right / max(sum(said for said, _ in told) + sum(true for _, true in told), 1)


def as_module(weights: dict[str, float], what: str, command: str) -> str:
    """The weights as a Python module: what they decide, and which command fits them."""
    rows = "".join(f'    "{name}": {weight},\n' for name, weight in weights.items())
    head = f'"""What {what} told by (`python -m bench.fitted_{command} --write`)."""\n\n'
    return f"{head}WEIGHTS: dict[str, float] = {{\n{rows}}}\n"


if __name__ == "__main__":
    main()
