"""Fits the model for seller and customer: `python -m bench.fitted_parties`.

Examples are the names on the first pages of bills: of written ones used for
development, and of drawn ones. One of all names on a page is right: a conditional logit
model (McFadden, 1974), regularised by a ridge. Figures are for bills that had no part in
their fit: ten fits, each without a tenth of the bills.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from bench.fields.by_hand import bills as written
from bench.fields.by_hand import printed
from bench.fields_quality import bills as drawn_bills
from bench.fields_quality import plain
from pagetide import open_reader
from pagetide.document import Document
from pagetide.exports.fields.bills.parties import choice as party_choice
from pagetide.exports.fields.bills.parties.address_blocks import AddressBlock
from pagetide.exports.fields.bills.parties.choice import candidates_on, parties_on
from pagetide.exports.fields.bills.parties.features import Features
from pagetide.exports.fields.bills.parties.tills import is_strip
from pagetide.exports.fields.phrases.sheet import Sheet, sheets
from tests.browser import chromium

PARTIES = ("supplier", "customer")
SEEDS = range(900)
LANGUAGES: tuple[tuple[str, ...], ...] = ((), ("es", "it", "nl"), ("fr", "de", "en"))
BY_HAND = 3.0  # the weight of a written bill
FOLDS = 10
SOFTNESS = 3.0  # the ridge, as in `bench.fitted_heads`
STEPS, ENOUGH = 25, 1e-4
LETTERS = 5  # of a seller's name that begins or is begun by the true one, at least
WRITTEN = Path(party_choice.__file__).with_name("weights.py")
HEAD = '''"""What tells who bills and is billed (`python -m bench.fitted_parties --write`)."""

WEIGHTS: dict[str, dict[str, float]] = {
'''

Numbers = NDArray[np.float64]
Weights = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Example:
    """A bill: its source, its first page, its true values, and the names on it."""

    kind: str
    name: str
    sheet: Sheet
    truth: Mapping[str, str]
    blocks: Sequence[AddressBlock]
    features: Sequence[Features]


def main() -> None:
    """Fit the weights, print how often they are right, and write them."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.fitted_parties", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--write", action="store_true", help="write the fitted weights")
    arguments = parser.parse_args()
    examples = list(_examples())
    print(gains(examples))
    if arguments.write:
        WRITTEN.write_text(_as_module(fitted(examples)))


def _examples() -> Iterator[Example]:
    for kind, name, truth, document in _documents():
        sheet = next(iter(sheets(document.pages[0])), None)
        if sheet and not is_strip(sheet):
            yield Example(kind, name, sheet, truth, *candidates_on(sheet))


def _documents() -> Iterator[tuple[str, str, Mapping[str, str], Document]]:
    with open_reader("structure-lite") as reader:
        with chromium() as browser:
            for name, page, truth in written("developed"):
                yield "by hand", name, truth.fields, reader.read(printed(browser, page))
        for languages in LANGUAGES:
            for drawn in drawn_bills(SEEDS, languages):
                name = f"{drawn.truth.name} {languages}"
                yield "drawn", name, drawn.truth.fields, reader.read(drawn.pdf)


def is_true(party: str, block: AddressBlock | None, truth: Mapping[str, str]) -> bool:
    """Whether a name is the party's; a seller may be named in short or at length."""
    if block is None or party not in truth:
        return block is None and party not in truth
    found, true = plain(block.text), plain(truth[party])
    is_alike = len(found) >= LETTERS and (true.startswith(found) or found.startswith(true))
    return found == true or (party == "supplier" and is_alike)


def fitted(examples: Sequence[Example]) -> Weights:
    """The weights by party and name that fit the examples best."""
    return {party: _fitted(party, examples) for party in PARTIES}


def _fitted(party: str, examples: Sequence[Example]) -> dict[str, float]:
    every = [feature for each in examples for feature in each.features]
    names = sorted({name for each in every for name in each})
    given = np.array([[each.get(name, 0.0) for name in names] for each in every])
    spread = np.where(given.std(axis=0) > 0, given.std(axis=0), 1.0)
    choices = []
    for each in examples:
        true = np.array([is_true(party, block, each.truth) for block in each.blocks])
        if true.any():
            rows = np.array([[one.get(name, 0.0) for name in names] for one in each.features])
            choices.append((rows / spread, true, BY_HAND if each.kind == "by hand" else 1.0))
    weights = _logit(choices) / spread
    return {name: round(float(w), 3) for name, w in zip(names, weights, strict=True) if w}


Choice = tuple[Numbers, NDArray[np.bool_], float]


def _logit(choices: Sequence[Choice]) -> Numbers:
    """The weights of greatest likelihood, by Newton's method with shorter steps if needed."""
    weights = np.zeros(choices[0][0].shape[1])
    now = _likelihood(weights, choices)
    for _ in range(STEPS):
        slope, bend = -SOFTNESS * weights, SOFTNESS * np.eye(len(weights))
        for rows, true, counts in choices:
            likely, right = _softmax(rows @ weights), _softmax(rows @ weights, true)
            mean = rows.T @ likely
            slope += counts * rows.T @ (right - likely)
            bend += counts * ((rows * likely[:, None]).T @ rows - np.outer(mean, mean))
        step = np.linalg.solve(bend, slope)
        while _likelihood(weights + step, choices) < now and np.abs(step).max() > ENOUGH:
            step /= 2
        weights += step
        before, now = now, _likelihood(weights, choices)
        if now - before < ENOUGH:
            break
    return weights


def _softmax(sums: Numbers, among: NDArray[np.bool_] | None = None) -> Numbers:
    among = np.ones(len(sums), bool) if among is None else among
    likely: Numbers = np.where(among, np.exp(sums - sums[among].max()), 0.0)
    likely /= likely.sum()
    return likely


def _likelihood(weights: Numbers, choices: Sequence[Choice]) -> float:
    told = -SOFTNESS * weights @ weights / 2
    for rows, true, counts in choices:
        told += counts * np.log(_softmax(rows @ weights)[true].sum() + 1e-300)
    return float(told)


def gains(examples: Sequence[Example]) -> str:
    """How often each party is right, by kind of bill."""
    chance = np.random.default_rng(0)
    fold_of = chance.permutation(len(examples)) % FOLDS
    right: dict[str, list[bool]] = {}
    for fold in range(FOLDS):
        rest = [each for each, of in zip(examples, fold_of, strict=True) if of != fold]
        with mock.patch.object(party_choice, "WEIGHTS", fitted(rest)):
            for each, of in zip(examples, fold_of, strict=True):
                if of == fold:
                    for party, block in zip(PARTIES, parties_on(each.sheet), strict=True):
                        told = right.setdefault(f"{each.kind}, {party}", [])
                        told.append(is_true(party, block, each.truth))
    return "\n".join(f"{what}: {sum(told)} of {len(told)}" for what, told in right.items())


def _as_module(weights: Weights) -> str:
    lines = [HEAD]
    for party, own in weights.items():
        lines.append(f'    "{party}": {{\n')
        lines += (f'        "{name}": {weight},\n' for name, weight in own.items())
        lines.append("    },\n")
    return "".join([*lines, "}\n"])


if __name__ == "__main__":
    main()
