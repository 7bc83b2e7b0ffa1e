"""`python -m bench.fields_quality [A:B]`: the fields of drawn invoices against what was drawn.

Seeds below 1,000 are for development; documents from there on are never inspected.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial

from msgspec.structs import replace

from bench.drawn.kinds import KINDS
from bench.drawn.measuring import MEASURING, pictures_of
from bench.drawn.printing import Drawn, documents, kind_of, made_in, printed
from bench.processor_time import processor_time
from bench.rows import Row, table
from pagetide import open_reader
from pagetide.document import Document
from pagetide.document.field import Bill, Item
from pagetide.exports.fields.values.amounts import amount_in
from pagetide.reading import Reader

F1, ITEMS = 0.92, 0.85
# Those of the footer and of the letterhead, which the generator does not report.
UNTOLD = {
    "phone",
    "email",
    "web",
    "iban",
    "bic",
    "supplier_address",
    "customer_contact",
    "rounding",
}
ITEM_NAMES = (
    "position",
    "article",
    "description",
    "quantity",
    "unit",
    "price",
    "tax",
    "amount",
)


@dataclass
class Score:
    """Counts over the documents of a set.

    Attributes:
        wrong: Fields by name: missed ones, and those with other values or not in the truth.
        altered: Documents one of whose sums was altered, and how many of these were noticed.
    """

    right: int = 0
    missed: Counter[str] = field(default_factory=Counter)
    invented: Counter[str] = field(default_factory=Counter)
    documents: int = 0
    exact_items: int = 0
    false_alarms: int = 0
    altered: int = 0
    noticed: int = 0
    fields_s: float = 0.0
    reading_s: float = 0.0
    reading_alone_s: float = 0.0
    told: list[str] = field(default_factory=list)

    @property
    def f1(self) -> float:
        """Of all fields."""
        off = self.missed.total() + self.invented.total()
        return 2 * self.right / max(1, 2 * self.right + off)


def main() -> None:
    """Measure a range of seeds, or both sets, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.fields_quality", description=__doc__)
    parser.add_argument("seeds", nargs="*", default=["0:480", "1000:1480"], metavar="A:B")
    parser.add_argument("--pictures", action="store_true", help="read pictures, not PDFs")
    parser.add_argument("--languages", default="", help="alternating, such as `es,it,nl`")
    arguments = parser.parse_args()
    rows: list[Row] = []
    with open_reader("structure-lite") as reader:
        for span in arguments.seeds:
            first, end = map(int, span.split(":"))
            languages = tuple(filter(None, arguments.languages.split(",")))
            drawn = bills(range(first, end), languages)
            score = measured(reader, drawn, pictures=arguments.pictures)
            rows += rows_of("developed" if end <= MEASURING else "unseen", score)
            print("\n".join(score.told if end <= MEASURING else []), flush=True)
    print(table(rows))


def bills(seeds: Sequence[int], languages: Sequence[str]) -> Iterator[Drawn]:
    """The invoices among these seeds, with languages alternating or random."""
    assert "invoice" in KINDS
    of = [seed for seed in seeds if kind_of(seed) == "invoice"]
    if not languages:
        return documents(of)
    spoken = {seed: languages[place % len(languages)] for place, seed in enumerate(of)}
    return documents(of, partial(printed, make=lambda seed: made_in(seed, spoken[seed])))


def measured(reader: Reader, invoices: Iterable[Drawn], *, pictures: bool) -> Score:
    """Invoices, read and compared."""
    score = Score()
    for drawn in invoices:
        started, alone = processor_time(), time.process_time()
        document = _read(reader, drawn, pictures=pictures)
        score.reading_s += processor_time() - started
        score.reading_alone_s += time.process_time() - alone
        started = time.process_time()
        bill = document.fields().bill
        score.fields_s += time.process_time() - started
        truth = drawn.truth
        compare(truth.name, truth.fields, truth.items, bill, score)
        _alter(document, drawn, score)
    return score


def _read(reader: Reader, drawn: Drawn, *, pictures: bool) -> Document:
    if not pictures:
        return reader.read(drawn.pdf)
    read = [reader.read(picture.jpeg) for picture in pictures_of(drawn)]
    pages = [replace(one.pages[0], number=place) for place, one in enumerate(read, start=1)]
    return Document(source=read[0].source, model=read[0].model, pages=tuple(pages))


def compare(
    name: str,
    truth: Mapping[str, str],
    items: Sequence[Mapping[str, str]],
    bill: Bill | None,
    score: Score,
    columns: Set[str] = frozenset(ITEM_NAMES),
) -> None:
    """Count the correct results, and print the others; for items, those in these columns."""
    found = {key: value.text for key, value in bill.fields.items()} if bill else {}
    for key, said in truth.items():
        if _same(found.get(key, ""), said):
            score.right += 1
            continue
        score.missed[key] += 1
        score.told.append(f"{name} {key}: {said!r}, not {found.get(key)!r}")
        score.invented[key] += key in found
    for key in sorted(set(found) - set(truth) - UNTOLD):
        score.invented[key] += 1
        score.told.append(f"{name} {key}: nothing, not {found[key]!r}")
    score.documents += 1
    got = [_measured(said_of(item), columns) for item in bill.items] if bill else []
    wanted = [_measured({k: plain(v) for k, v in item.items() if v}, columns) for item in items]
    score.exact_items += got == wanted
    if got != wanted:
        score.told += _items_told(name, got, wanted)
    wrong = [check for check in bill.checks if not check.holds] if bill else []
    score.false_alarms += bool(wrong)
    score.told += [f"{name} false alarm: {check}" for check in wrong]


def _same(text: str, wanted: str) -> bool:
    """Whether both say the same; a sum's sign may be in the next line.

    The sign for a number may precede a number: `#24-0877`.
    """
    if plain(text).lstrip("#") == plain(wanted).lstrip("#"):
        return True
    ours, theirs = amount_in(text), amount_in(wanted)
    return bool(ours and theirs and ours.number == theirs.number)


def said_of(item: Item) -> dict[str, str]:
    """An item as texts, by the names of its columns."""
    values = {name: getattr(item, name) for name in ITEM_NAMES}
    said = {name: plain(value.text) for name, value in values.items() if value}
    if item.unit and item.unit.normalised:
        said["unit"] = item.unit.normalised
    return said


def _measured(item: dict[str, str], columns: Set[str]) -> dict[str, str]:
    """With the unit behind its quantity, as if in one cell; money as numbers."""
    unit = {"quantity": item.get("quantity", "") + item["unit"]} if "unit" in item else {}
    told = {name: text for name, text in item.items() if name in columns - {"unit"}} | unit
    sums = {name: amount_in(told[name]) for name in ("price", "amount") if name in told}
    return told | {name: str(amount.number) for name, amount in sums.items() if amount}


def plain(text: str) -> str:
    """Without differences of spacing."""
    return re.sub(r"\s+", "", text)


def _items_told(
    name: str, items: Sequence[dict[str, str]], wanted: Sequence[dict[str, str]]
) -> Iterator[str]:
    yield f"{name} items: {len(items)}, not {len(wanted)}"
    for got, want in zip(items, wanted, strict=False):
        if got != want:
            yield f"   {got}\n   {want}"
            return


def _alter(document: Document, drawn: Drawn, score: Score) -> None:
    """Increase the total by one in its first digit, and check whether it is noticed."""
    total = re.sub(r"[^\d.,]", "", drawn.truth.fields["total"])
    place = next((n for n, letter in enumerate(total) if letter in "12345678"), None)
    if place is None:
        return
    other = f"{total[:place]}{int(total[place]) + 1}{total[place + 1 :]}"
    text = document.to_json()
    if total not in text:
        return
    bill = Document.from_json(text.replace(total, other)).fields().bill
    score.altered += 1
    noticed = bill is not None and any(not check.holds for check in bill.checks)
    score.noticed += noticed
    if not noticed:
        score.told.append(f"{drawn.truth.name} unnoticed: {total} → {other}")


def rows_of(name: str, score: Score) -> list[Row]:
    """The table's rows of one set."""
    worst = ", ".join(f"{key} {n}" for key, n in (score.missed + score.invented).most_common(6))
    share = score.exact_items / max(1, score.documents)
    return [
        Row(
            measure=f"{name}: fields of {score.documents} invoices, F1",
            ours=f"{score.f1:.3f}",
            peer="",
            value=f"missed or otherwise: {worst}",
            bar=f"≥ {F1}",
            holds=score.f1 >= F1,
        ),
        Row(
            measure=f"{name}: all items exact",
            ours=f"{share:.3f}",
            peer="",
            value=f"{score.exact_items} of {score.documents}",
            bar=f"≥ {ITEMS}",
            holds=share >= ITEMS,
        ),
        Row(
            measure=f"{name}: altered totals noticed",
            ours=f"{score.noticed} of {score.altered}",
            peer="",
            value=f"{score.false_alarms} of {score.documents} said to be wrong that are not",
            bar="all, 0",
            holds=score.noticed == score.altered and not score.false_alarms,
        ),
        Row(
            measure=f"{name}: processor time added to reading",
            ours=f"{100 * score.fields_s / max(score.reading_s, 1e-9):.1f} %",
            peer="",
            value=f"{1000 * score.fields_s / max(1, score.documents):.1f} ms a document;"
            f" {100 * score.fields_s / max(score.reading_alone_s, 1e-9):.1f} % of this process",
            bar="≤ 10 %",
            holds=score.fields_s <= 0.1 * score.reading_s,
        ),
    ]


if __name__ == "__main__":
    main()
