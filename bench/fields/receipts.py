"""`python -m bench.fields.receipts [A:B …]`: four facts of drawn receipts, exactly as printed.

They look like SROIE's: scanned shop receipts; company, date, address and total are
evaluated. Seeds below 1,000 are for development; receipts from there on are never inspected.
"""

from __future__ import annotations

import argparse
import io
from collections import Counter
from collections.abc import Sequence

from bench.drawn.measuring import MEASURING
from bench.fields.ranges import print_measured
from bench.fields.slips import slip
from bench.fields.tills import Receipt, receipt
from bench.rows import Row
from pagetide import open_reader
from pagetide.document import Document
from pagetide.exports.fields.values.amounts import amount_in

BARS = {"date": 0.85, "total": 0.85, "company": 0.65, "address": 0.55}
_NAMES = {"company": "supplier", "address": "supplier_address"}


def measured(seeds: Sequence[int], model: str) -> list[Row]:
    """The rows of a set; errors in receipts for development are printed."""
    right: Counter[str] = Counter()
    with open_reader(model) as reader:
        for seed in seeds:
            drawn = receipt(seed)
            found = told_of(reader.read(_png(drawn, seed)))
            for name, said in drawn.truth.items():
                same = is_same(name, found[name], said)
                right[name] += same
                if not same and seed < MEASURING:
                    print(f"{seed} {drawn.country} {name}: {said!r}, not {found[name]!r}")
    name = "unseen" if seeds[0] >= MEASURING else "developed"
    return [
        _row(f"{name}: {key}, exact", right[key], len(seeds), bar) for key, bar in BARS.items()
    ]


def _png(drawn: Receipt, seed: int) -> bytes:
    buffer = io.BytesIO()
    slip(drawn, seed).save(buffer, "PNG")
    return buffer.getvalue()


def told_of(document: Document) -> dict[str, str]:
    """The four facts from `fields`; empty if missing."""
    bill = document.fields().bill
    fields = bill.fields if bill else {}
    named = {key: fields.get(_NAMES.get(key, key)) for key in BARS}
    return {key: value.text if value else "" for key, value in named.items()}


def is_same(name: str, found: str, said: str) -> bool:
    """Whether the texts are equal except for spaces; a total is a number."""
    if name == "total":
        ours, theirs = amount_in(found), amount_in(said)
        return bool(ours and theirs and ours.number == theirs.number)
    return " ".join(found.split()) == " ".join(said.split())


def _row(measure: str, right: int, count: int, bar: float) -> Row:
    share = right / max(1, count)
    return Row(
        measure=measure,
        ours=f"{share:.3f}",
        peer="",
        value=f"{right} of {count}",
        bar=f"≥ {bar}",
        holds=share >= bar,
    )


if __name__ == "__main__":
    command = argparse.ArgumentParser(
        prog="python -m bench.fields.receipts", description=__doc__
    )
    print_measured(command, ["0:100", "1000:1100"], measured)
