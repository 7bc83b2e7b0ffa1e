"""A batch: cut, planned, killed at every step, gone on with, summed up."""

from __future__ import annotations

import io
import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.cli.serving.batch_progress import BatchProgress
from pagetide.document import Notice
from pagetide.errors import BadOption, BlobMissing, Damaged, NotFound, StoreFailed
from pagetide.integrations.batch import report
from pagetide.integrations.batch.cutting import grouped, ranges
from pagetide.integrations.batch.items import ItemWorker
from pagetide.integrations.batch.part_reader import Care, Piece
from pagetide.integrations.batch.plan import Bad, Done, Entry, Item, RunOptions, units
from pagetide.integrations.batch.rows import PageRow, as_json, failed, in_documents
from pagetide.integrations.batch.run import Run
from pagetide.integrations.batch.sources import entries_of, entry_of
from pagetide.server.ports import PlacedFile

PAGES = {"a.pdf": 3, "b.pdf": 1, "c.pdf": 11, "d.pdf": 2, "e.pdf": 4, "none.pdf": 0}
EVERY = {(name, page) for name, count in PAGES.items() for page in range(1, count + 1)}


class Killed(BaseException):
    """The process is gone."""


class Shelf:
    """A place in memory whose process can be killed before or after any change."""

    grows = False

    def __init__(self, held: dict[str, bytes] | None = None) -> None:
        self.held = {} if held is None else held
        self.steps = 0
        self.dies_at: int | None = None

    def files(self) -> Iterator[PlacedFile]:
        yield from (PlacedFile(name=name, stamp="1") for name in list(self.held))

    def read(self, name: str) -> bytes:
        if name not in self.held:
            raise BlobMissing
        return self.held[name]

    def copy(self, name: str, into: BinaryIO) -> str:
        into.write(self.read(name))
        return "1"

    def put(self, name: str, content: bytes | Path) -> None:
        assert isinstance(content, bytes)
        self._step()
        self.held[name] = content
        self._step()

    def remove(self, name: str) -> None:
        self._step()
        self.held.pop(name, None)
        self._step()

    def _step(self) -> None:
        self.steps += 1
        if self.steps == self.dies_at:
            raise Killed


class Reader:
    """Says which page it is."""

    def rows(self, pieces: Iterable[Piece], care: Care | None = None) -> Iterator[PageRow]:
        for piece in pieces:
            for page in range(piece.first, piece.last + 1):
                yield PageRow(document=piece.document, page=page, text=f"page {page}")

    def close(self) -> None:
        pass


class Alone:
    """Does items in this process."""

    def __init__(self, worker: ItemWorker) -> None:
        self.worker = worker

    def do(self, items: Sequence[Item]) -> Iterator[Done]:
        yield from (self.worker.work(item, Care()) for item in items)

    def close(self) -> None:
        pass


def count(path: Path) -> int:
    pages = int(path.read_bytes())
    if not pages:
        raise Damaged
    return pages


def asked(rows: str = "pages", pages_per_shard: int = 4) -> RunOptions:
    return RunOptions(
        source="in",
        format="jsonl",
        rows=rows,
        documents_per_shard=2,
        pages_per_shard=pages_per_shard,
    )


def go(target: Shelf, asks: RunOptions, pages: dict[str, int] = PAGES) -> Run:
    """A run from its start to its end, or to where it is killed."""
    source = Shelf({name: str(count).encode() for name, count in pages.items()})
    entries = [Entry(document=name, place="in", name=name) for name in pages]
    worker = ItemWorker(asks, target, Reader(), count, lambda where: source)
    run = Run(asks, entries, target)
    run.go(Alone(worker), on_done=lambda done: None)
    run.end([("_report.md", report.markdown(run.done, asks).encode())])
    return run


def rows_in(target: Shelf) -> list[dict[str, object]]:
    shards = [name for name in target.held if not name.startswith("_")]
    return [json.loads(line) for name in shards for line in target.held[name].splitlines()]


def assert_whole(target: Shelf, rows: str) -> None:
    found = rows_in(target)
    if rows == "pages":
        told = Counter((row["document"], row["page"]) for row in found)
        assert told == Counter([*EVERY, ("none.pdf", None)])
        return
    assert Counter(row["document"] for row in found) == Counter(list(PAGES))
    for row in found:
        pages = PAGES[str(row["document"])]
        text = "\f".join(f"page {page}" for page in range(1, pages + 1))
        assert (row["pages"], row["text"]) == (pages, text)
    assert not [name for name in target.held if name.startswith("_pagetide/pages/")]


def steps_of(rows: str) -> int:
    target = Shelf()
    go(target, asked(rows))
    return target.steps


@pytest.mark.parametrize("rows", ["pages", "documents"])
def test_killed_at_any_step_it_goes_on_and_gives_each_page_once(rows: str) -> None:
    steps = steps_of(rows)
    assert steps > 20
    for step in range(1, steps + 1):
        target = Shelf()
        target.dies_at = step
        with pytest.raises(Killed):
            go(target, asked(rows))
        target.dies_at = None
        run = go(target, asked(rows))
        assert_whole(target, rows)
        assert run.items[0] == run.items[1]


@given(st.lists(st.integers(1, 40), max_size=6), st.sampled_from(["pages", "documents"]))
def test_killed_again_and_again_it_ends_well(deaths: list[int], rows: str) -> None:
    target = Shelf()
    for death in deaths:
        target.steps, target.dies_at = 0, death
        try:
            go(target, asked(rows))
        except Killed:
            continue
    target.dies_at = None
    go(target, asked(rows))
    assert_whole(target, rows)


def test_what_is_done_is_not_read_again() -> None:
    target = Shelf()
    go(target, asked())
    before = target.steps
    go(target, asked())
    assert target.steps - before == 2  # the report


def test_documents_that_came_later_are_read_by_the_next_run() -> None:
    target = Shelf()
    go(target, asked(), {name: PAGES[name] for name in ("b.pdf", "d.pdf", "e.pdf")})
    go(target, asked())
    assert_whole(target, "pages")


def test_a_document_that_is_gone_before_its_later_parts_has_a_row_for_each_page() -> None:
    target = Shelf()
    asks, pages = asked(), {"long.pdf": 10}
    source = Shelf({"long.pdf": b"10"})
    worker = ItemWorker(asks, target, Reader(), count, lambda where: source)
    run = Run(asks, [Entry(document="long.pdf", place="in", name="long.pdf")], target)

    class Losing(Alone):
        def do(self, items: Sequence[Item]) -> Iterator[Done]:
            yield from super().do(items)
            source.held.clear()

    run.go(Losing(worker), on_done=lambda done: None)
    told = [(row["page"], bool(row["error"])) for row in rows_in(target)]
    assert sorted(told) == [(n, n > 4) for n in range(1, 11)]
    assert report.totals(run.done.values()).failed == {"blob_missing": 6}
    assert len(pages) == report.totals(run.done.values()).documents


def test_a_place_that_cannot_be_reached_ends_the_run() -> None:
    class Down(Shelf):
        def copy(self, name: str, into: BinaryIO) -> str:
            raise StoreFailed

        def files(self) -> Iterator[PlacedFile]:
            raise StoreFailed

    target, asks = Shelf(), asked()
    worker = ItemWorker(asks, target, Reader(), count, lambda where: Down())
    run = Run(asks, [Entry(document="a.pdf", place="in", name="a.pdf")], target)
    with pytest.raises(StoreFailed):
        run.go(Alone(worker), on_done=lambda done: None)
    assert rows_in(target) == []
    go(target, asks)
    assert_whole(target, "pages")


def test_a_target_of_another_run_is_refused() -> None:
    target = Shelf()
    go(target, asked())
    with pytest.raises(BadOption, match="pages per shard 4, not 8"):
        go(target, asked(pages_per_shard=8))


@given(st.lists(st.integers(0, 200), max_size=12), st.integers(1, 64))
def test_every_page_is_in_one_group_and_no_group_is_too_large(
    counts: list[int], most: int
) -> None:
    groups = grouped(enumerate(counts), most)
    pages = [(part.document, n) for group in groups for part in group for n in part.numbers]
    assert pages == [(i, n) for i, c in enumerate(counts) for n in range(1, c + 1)]
    sizes = [sum(len(part.numbers) for part in group) for group in groups]
    assert all(size == most for size in sizes[:-1])
    assert sizes[-1] <= most


@given(st.integers(0, 500), st.integers(1, 100))
def test_ranges_hold_every_page_once(pages: int, most: int) -> None:
    cut = list(ranges(pages, most))
    assert [n for first, last in cut for n in range(first, last + 1)] == [*range(1, pages + 1)]
    assert all(last - first < most for first, last in cut)


@given(st.integers(0, 60), st.integers(1, 20))
def test_units_are_named_by_their_place_and_hold_every_document(
    documents: int, most: int
) -> None:
    entries = [Entry(document=str(i), place="in", name=str(i)) for i in range(documents)]
    planned = list(units(entries, most))
    assert [e for unit in planned for e in unit.entries] == entries
    assert [unit.name for unit in planned] == sorted({unit.name for unit in planned})


def test_rows_of_a_document_are_put_together_in_order() -> None:
    one = PageRow(document="a", page=2, text="two", confidence=0.5)
    rows = [
        one,
        failed("b", Damaged()),
        PageRow(document="a", page=1, text="one"),
        failed("a", Damaged(), 3),
    ]
    whole, bad = in_documents(rows)
    assert (whole.pages, whole.text, whole.failed_pages) == (3, "one\ftwo\f", (3,))
    assert (whole.confidence, whole.error) == (0.5, failed("a", Damaged()).error)
    assert (bad.pages, bad.error) == (0, failed("b", Damaged()).error)


def test_blocks_are_no_strings_in_json() -> None:
    row = PageRow(document="a", page=1, blocks='[{"kind":"text"}]')
    assert json.loads(as_json(row))["blocks"] == [{"kind": "text"}]


def done(number: int, **facts: object) -> Done:
    return msgspec.convert({"item": f"000-{number}", **facts}, Done)


def test_a_report_tells_what_failed_and_what_it_cost() -> None:
    bad = Bad(document="<a>|b.pdf", page=None, reason=Notice(code="damaged", message="It is."))
    ledger = {
        one.item: one
        for one in (
            done(1, documents=2, pages=30, seconds=1800.0),
            Done(
                item="000-2",
                documents=1,
                failed={"damaged": 1},
                examples=(bad,),
                seconds=1800.0,
            ),
        )
    }
    text = report.markdown(ledger, asked(), price_per_hour=0.6)
    assert "| Pages read | 30 |" in text
    assert "| Cost | 0.60, at 0.6 per hour and worker |" in text
    assert "| Cost of 1,000 pages | 20.000 |" in text
    assert "| &lt;a&gt;\\|b.pdf | all | damaged | It is. |" in text
    assert "<td>&lt;a&gt;|b.pdf</td>" in report.page(ledger, asked())


def test_progress_tells_rate_failures_time_and_cost() -> None:
    clock = itertools.count(0, 60)
    before = report.totals([done(1, pages=100, seconds=60.0)])
    progress = BatchProgress(io.StringIO(), lambda: next(clock), before, 3.6)
    now = report.totals(
        [
            done(1, pages=100, seconds=60.0),
            done(2, pages=50, failed={"damaged": 2}, seconds=40.0),
        ]
    )
    assert progress.line(now, 4) == (
        "[############............]  50%  150 pages  50 pages/min  2 failed"
        "  0:02:00 left  cost 0.10"
    )


def test_a_folder_gives_what_is_named_as_a_document_and_nothing_hidden(tmp_path: Path) -> None:
    for name in ("b.PDF", "a/scan.tiff", "note.txt", ".c.pdf", "_d/e.pdf", ".f/g.pdf"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"1")
    assert [entry.document for entry in entries_of(str(tmp_path))] == ["a/scan.tiff", "b.PDF"]


def test_a_list_of_paths_is_counted_from_its_own_folder(tmp_path: Path) -> None:
    listed = tmp_path / "paths.txt"
    listed.write_text("a b.pdf\n\ns3://bucket/x/50% #1.pdf\na b.pdf\n/abs/c.pdf\n")
    assert entries_of(str(listed)) == [
        Entry(document="a b.pdf", place=str(tmp_path), name="a b.pdf"),
        Entry(document="s3://bucket/x/50% #1.pdf", place="s3://bucket", name="x/50% #1.pdf"),
        Entry(document="/abs/c.pdf", place="/abs", name="c.pdf"),
    ]


def test_an_empty_source_and_the_url_of_a_bucket_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        entries_of(str(tmp_path))
    with pytest.raises(BadOption):
        entry_of("s3://bucket", tmp_path)
