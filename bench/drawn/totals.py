"""The totals of pages' scores, over all and for each kind of document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import mean

from bench.drawn.score import PageScore
from bench.drawn.tree_edits import measured
from bench.rows import Row
from bench.teds import Scores, scored

SETS = ("developed", "measured")


@dataclass(frozen=True)
class Total:
    """The scores of pages, taken together."""

    pages: tuple[PageScore, ...]

    @cached_property
    def confused(self) -> Counter[tuple[str, str]]:
        """Words by their true kind and the read one."""
        every: Counter[tuple[str, str]] = Counter()
        for page in self.pages:
            every.update(page.kinds)
        return every

    def f1_of(self, kind: str) -> float:
        """The F1 of a kind of block, by words, 0–1."""
        there = sum(n for (true, _), n in self.confused.items() if true == kind)
        found = sum(n for (_, read), n in self.confused.items() if read == kind)
        return 2 * self.confused[kind, kind] / (there + found) if there + found else 1.0

    @property
    def kinds(self) -> float:
        """The mean F1 of the kinds in the truth."""
        there = {true for true, _ in self.confused}
        return mean(map(self.f1_of, sorted(there))) if there else 1.0

    @property
    def words_right(self) -> float:
        """The share of words whose block is of the right kind."""
        right = sum(n for (true, read), n in self.confused.items() if true == read)
        return right / self.confused.total() if self.confused else 1.0

    @cached_property
    def tables(self) -> Scores:
        """TEDS, tables missed and extra."""
        return scored([page.tables for page in self.pages], measured)

    @property
    def teds(self) -> float:
        """The mean TEDS, 1 without tables."""
        return self.tables.text if self.tables.teds else 1.0

    @property
    def order(self) -> float:
        """The mean order error."""
        return mean(page.order for page in self.pages) if self.pages else 0.0

    @property
    def heads(self) -> float:
        """The F1 of titles and headings with their level."""
        right, found, there = (sum(page.heads[i] for page in self.pages) for i in range(3))
        return 2 * right / (found + there) if found + there else 1.0

    @property
    def astray(self) -> float:
        """Words missing or doubled, of all."""
        words = sum(page.words for page in self.pages)
        return sum(p.missing + p.doubled for p in self.pages) / words if words else 0.0

    def __str__(self) -> str:
        return (
            f"kinds {self.kinds:.3f}, words {self.words_right:.1%}, TEDS {self.teds:.3f} "
            f"({self.tables.missed} missed, {self.tables.extra} extra of "
            f"{len(self.tables.teds)}), order {self.order:.3f}, headings {self.heads:.3f}, "
            f"astray {self.astray:.2%}"
        )


# A figure's name, how it is computed and formatted, the bar, and whether more is better.
_FIGURES = (
    ("kinds of blocks, mean F1 by words", "kinds", ".3f", 0.9, True),
    ("words in a block of the right kind", "words_right", ".1%", 0.95, True),
    ("tables: TEDS", "teds", ".3f", 0.9, True),
    ("reading order: order error", "order", ".3f", 0.05, False),
    ("titles and headings with level: F1", "heads", ".3f", 0.9, True),
    ("words missing or doubled", "astray", ".2%", 0.01, False),
)


def rows(what: str, sets: Mapping[str, Mapping[str, Sequence[PageScore]]]) -> list[Row]:
    """The rows of the table: each figure over all, then each kind of document.

    Args:
        what: What was read: PDFs or pictures.
        sets: For `developed` and `measured`, pages' scores by the kind of their document.
    """
    over = {
        name: Total(tuple(page for pages in kinds.values() for page in pages))
        for name, kinds in sets.items()
    }
    said = ", ".join(f"{name} {len(total.pages)}" for name, total in over.items())
    found = [
        _row(f"drawn {what}, {figure[0]}", over, *figure[1:], note=f"Pages: {said}.")
        for figure in _FIGURES
    ]
    for kind in sorted({kind for kinds in sets.values() for kind in kinds}):
        of = {name: Total(tuple(kinds.get(kind, ()))) for name, kinds in sets.items()}
        note = "; ".join(f"{name}: {total}" for name, total in of.items())
        found.append(_row(f"drawn {what}, {kind}: kinds", of, *_FIGURES[0][1:], note=note))
    return found


def _row(
    measure: str,
    totals: Mapping[str, Total],
    figure: str,
    form: str,
    bar: float,
    more: bool,
    note: str,
) -> Row:
    values = {name: float(getattr(total, figure)) for name, total in totals.items()}
    last = list(values.values())[-1]
    return Row(
        measure=measure,
        ours=format(last, form),
        peer="",
        value=", ".join(f"{name} {value:{form}}" for name, value in values.items()),
        bar=f"{'≥' if more else '≤'} {bar}",
        holds=last >= bar if more else last <= bar,
        note=note,
    )


def wrong(pages: Sequence[PageScore], most: int = 8) -> list[str]:
    """What misclassified words are most often taken for."""
    confused = Total(tuple(pages)).confused
    ranked = sorted(
        ((n, true, read) for (true, read), n in confused.items() if true != read), reverse=True
    )
    return [f"{true} as {read}: {n}" for n, true, read in ranked[:most]]
