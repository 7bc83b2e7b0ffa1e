"""The results with servers that invent and obey: `python -m bench.extraction`.

An oracle that shares nothing with the product decides whether a value is on the page: its
text between spaces, or what the invoice was drawn from.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pagetide
from bench.extraction.hostile import ORDERS, rows, words_on
from bench.extraction.invoices import SCHEMA, Invoice, invoice
from bench.extraction.liars import Answering, Invents, Obeys, Reads
from bench.fake_vl_server import Asked, FakeVlServer, Reply
from pagetide.document.extraction import ExtractedLeaf, Extraction
from pagetide.errors import PagetideError

RETURNED = ("grounded", "elsewhere")
Answers = list[tuple[Invoice, Extraction]]


@dataclass
class Tally:
    """The results.

    Attributes:
        unmarked: Values that are not on the page and not marked so.
        standings: Number of leaves by status.
        true: Values in the invoices that were returned.
        elsewhere: Requests to an address that nobody should contact.
        refused: Documents without an answer, with the reason.
        broken: Requests whose document could have ended before its end.
        foreign: Names in a value that the schema does not have.
    """

    unmarked: list[ExtractedLeaf] = field(default_factory=list)
    standings: Counter[str] = field(default_factory=Counter)
    invented: int = 0
    true: int = 0
    elsewhere: int = 0
    refused: list[str] = field(default_factory=list)
    broken: int = 0
    foreign: set[str] = field(default_factory=set)

    def take(self, given: Invoice, found: Extraction) -> None:
        """Count an extraction."""
        words, truths = words_on(given.document), set(_values(given.truth))
        self.foreign |= found.value.keys() - SCHEMA["properties"].keys()
        for leaf in found.leaves:
            self.standings[leaf.standing] += 1
            self.true += leaf.value in truths and leaf.value is not None
            if leaf.standing in RETURNED and not stands(leaf.value, words, truths):
                self.unmarked.append(leaf)


def stands(value: Any, words: str, truths: set[Any]) -> bool:
    """Whether a value is on the page, according to the oracle."""
    if value in truths and not isinstance(value, bool):
        return True
    said = [str(value).casefold()]
    if isinstance(value, int | float):
        said += [f"{value:g}", f"{value:.2f}"]
    bare = " ".join(re.split(r"[\s'\"<>}]+", words))
    return any(re.search(rf"(?<!\S){re.escape(each)}\.?(?!\S)", words) for each in said) or any(
        f" {each} " in f" {bare} " for each in said
    )


def inventing(count: int, server: FakeVlServer) -> Tally:
    """Extractions from a server that makes up about half of what it says."""
    tally = Tally()
    for seed in range(count):
        given = invoice(seed)
        liar = Invents(given.truth, seed)
        server.answer = liar
        tally.take(given, pagetide.extract(given.document, SCHEMA, server=server.url))
        tally.invented += len(liar.invented)
    return tally


def obeying(server: FakeVlServer, other: FakeVlServer) -> Tally:
    """Extractions of documents that give orders, from a server that obeys them."""
    tally = Tally()
    for number in range(len(ORDERS)):
        given = invoice(number, rows(number, other.url))
        server.answer = Obeys(given.truth)
        try:
            tally.take(given, pagetide.extract(given.document, SCHEMA, server=server.url))
        except PagetideError as error:
            tally.refused.append(error.message)
    tally.broken = sum(map(is_broken, server.asked))
    tally.elsewhere = len(other.asked)
    return tally


def is_broken(asked: Asked) -> bool:
    """Whether a document's end marker is in it before its end, or a row of it is faked."""
    system, user = (str(each["content"]) for each in asked.body["messages"][:2])
    first, *middle, last = user.split("\n")
    mark = first.removeprefix("<<<")
    feigned = any(not row.startswith("[p1") or "\u2028" in row for row in middle)
    return mark not in system or last != f"{mark}>>>" or mark in "\n".join(middle) or feigned


def _values(truth: Any) -> list[Any]:
    if isinstance(truth, dict):
        return [value for each in truth.values() for value in _values(each)]
    if isinstance(truth, list):
        return [value for each in truth for value in _values(each)]
    return [truth]


def main() -> None:
    """Print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--count", type=int, default=200, help="extractions by the inventing server"
    )
    count = parser.parse_args().count
    quiet: Answering = Reads({})
    with FakeVlServer(quiet) as server:
        told = inventing(count, server)
        print(f"{count} extractions, {told.invented} values invented:", dict(told.standings))
        print(f"  {len(told.unmarked)} unmarked, {told.true} true values returned")
        print(*told.unmarked, sep="\n")
    with FakeVlServer(quiet) as server, FakeVlServer(lambda asked: Reply()) as other:
        told = obeying(server, other)
        print(f"{len(ORDERS)} hostile documents:", dict(told.standings))
        print(f"  {len(told.unmarked)} unmarked, {told.elsewhere} requests elsewhere,")
        print(f"  {told.broken} documents broken out of, {len(told.foreign)} foreign names")
        print(f"  no answer: {told.refused}")
        print(*told.unmarked, sep="\n")


if __name__ == "__main__":
    main()
