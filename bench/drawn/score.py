"""How well a page was read, compared with its truth: kinds, headings, order, tables, words.

**Kinds** are counted by words. A true word is right if the block with its read word
has the true block's kind, or one of those that are right for it too. The F1 of a kind is
that of the words with this kind in the truth and in the result; blocks without any of the
truth's words do not count. Words of a figure, including its title and
axes, are the figure's; a chart is a figure. A missing word has no kind and so is not found.
**Headings** are right if most words of a read title or heading are a true one's,
most of the true one's are there, and the level is the true one or its rank among the page's
levels: a page may contain only the second level. A title is its own level.
**Order** is as in `bench.order_quality`; a read line belongs to the true block of most of
its words. If a read table contains several blocks that may be one, each is visited once there.
**Tables** are compared by TEDS, as in `bench.teds`. Found ones on what may be a
table as well as text are left out; sums below a table, which may be text, count if they
are found as one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bench.drawn.matching import Matching, matched, seen_of
from bench.drawn.truth import DrawnBlock, DrawnPage, DrawnTable
from bench.order_quality import order_error
from bench.teds import TablePage, table_html
from pagetide.document import Block, Cell, Page, Table
from pagetide.geometry import Point

NONE = "none"
HEADS = ("title", "heading")


@dataclass(frozen=True, kw_only=True)
class PageScore:
    """The counts of a page.

    Attributes:
        kinds: Words, by the true kind and the read one.
        order: The order error, 0–1.
        heads: Titles and headings: right, found, present.
        words: True words; of them `missing` were not read, and `doubled` read twice.
        tables: The true ones and those found.
    """

    kinds: Mapping[tuple[str, str], int] = field(default_factory=dict)
    order: float
    heads: tuple[int, int, int]
    words: int
    missing: int
    doubled: int
    tables: TablePage


def page_score(
    name: str, truth: DrawnPage, page: Page, back: Callable[[Point], Point]
) -> PageScore:
    """The score of a page that was read.

    Args:
        name: The document's.
        truth: The page's true content.
        page: What was read.
        back: Maps a position in the read page's pixels to the truth's CSS pixels.
    """
    found = matched(truth, seen_of(page, back))
    owners = owners_of(truth, found, len(page.blocks))
    return PageScore(
        kinds=_kinds(truth, page, found),
        order=order_error(_visited(truth, page, found), truth.orders),
        heads=_heads(truth, page, owners),
        words=len(truth.words),
        missing=found.missing,
        doubled=found.doubled,
        tables=_tables(name, truth, page, owners),
    )


def _kinds(truth: DrawnPage, page: Page, found: Matching) -> Counter[tuple[str, str]]:
    count: Counter[tuple[str, str]] = Counter()
    for word, place in zip(truth.words, found.found, strict=True):
        block = truth.blocks[word.block]
        holder = found.seen[place].block if place is not None else None
        kind = NONE if holder is None else page.blocks[holder].kind
        right = kind == block.kind or kind in block.also
        count[_class(block.kind), _class(block.kind if right else kind)] += 1
    return count


def _class(kind: str) -> str:
    return "figure" if kind == "chart" else kind


def owners_of(truth: DrawnPage, found: Matching, count: int) -> list[Counter[int]]:
    """For each read block, how many words it has of each true one."""
    owners: list[Counter[int]] = [Counter() for _ in range(count)]
    for word, place in zip(truth.words, found.found, strict=True):
        holder = found.seen[place].block if place is not None else None
        if holder is not None:
            owners[holder][word.block] += 1
    return owners


def _visited(truth: DrawnPage, page: Page, found: Matching) -> list[int]:
    """For each read line with true words, the true block it belongs to."""
    lines: dict[int, Counter[int]] = {}
    holders: dict[int, int | None] = {}
    for word, place in zip(truth.words, found.found, strict=True):
        if place is not None:
            seen = found.seen[place]
            lines.setdefault(seen.line, Counter())[word.block] += 1
            holders[seen.line] = seen.block
    visits = [(lines[line].most_common(1)[0][0], holders[line]) for line in sorted(lines)]
    kept, known = [], set()
    for visit in visits:
        # A table's rows go back and forth between its columns.
        if visit not in known or not _in_grid(truth, page, *visit):
            kept.append(visit[0])
        known.add(visit)
    return kept


def _in_grid(truth: DrawnPage, page: Page, of: int, holder: int | None) -> bool:
    table = holder is not None and page.blocks[holder].table is not None
    return table and "table" in truth.blocks[of].also


def _heads(
    truth: DrawnPage, page: Page, owners: Sequence[Counter[int]]
) -> tuple[int, int, int]:
    sizes = Counter(word.block for word in truth.words)
    levels = sorted({b.level for b in truth.blocks if b.level is not None})
    right, found = set(), 0
    for block, owner in zip(page.blocks, owners, strict=True):
        if block.kind not in HEADS:
            continue
        [(of, words)] = owner.most_common(1) or [(-1, 0)]
        true = truth.blocks[of] if of >= 0 else None
        if true and true.kind not in HEADS and set(true.also) & set(HEADS):
            continue
        found += 1
        whole = 2 * words > sizes[of] and 2 * words > owner.total()
        if true and true.kind in HEADS and whole and _same_level(true, block, levels):
            right.add(of)
    return len(right), found, sum(block.kind in HEADS for block in truth.blocks)


def _same_level(true: DrawnBlock, block: Block, levels: Sequence[int]) -> bool:
    if block.kind != true.kind:
        return block.kind in true.also
    if true.level is None:
        return True
    return block.level in (true.level, levels.index(true.level) + 1)


def _tables(
    name: str, truth: DrawnPage, page: Page, owners: Sequence[Counter[int]]
) -> TablePage:
    found, seen = [], set()
    for block, owner in zip(page.blocks, owners, strict=True):
        if block.table is None:
            continue
        [(of, _)] = owner.most_common(1) or [(-1, 0)]
        seen.add(of)
        if of < 0 or "table" not in truth.blocks[of].also:
            found.append(table_html(block.table))
    there = [
        table_html(as_table(block.table))
        for block in truth.blocks
        if block.table is not None
        and block.kind == "table"
        and ("text" not in block.also or block.order in seen)
    ]
    return TablePage(name=name, truth=tuple(there), found=tuple(found))


def as_table(table: DrawnTable) -> Table:
    """A drawn table as one that was read."""
    cells = (
        Cell(
            row=cell.row,
            column=cell.column,
            row_span=cell.row_span,
            column_span=cell.column_span,
            text=cell.text,
            header=cell.header,
        )
        for cell in table.cells
    )
    return Table(rows=table.rows, columns=table.columns, cells=tuple(cells))
