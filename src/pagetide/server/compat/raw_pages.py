"""What PaddleOCR itself made of a job's pages, one at a time, out of its `raw.json`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from pagetide.document import Page, page_ranges
from pagetide.server.compat import outcome
from pagetide.server.jobs.job import Job
from pagetide.server.service.service import Service

Json = dict[str, Any]

# Whose own JSON is what PaddleOCR's services would give.
UPSTREAM = frozenset({"pp-structurev3", "pp-ocr", "auto"})
_LEFT_OUT = frozenset({"input_path", "page_index"})


def with_raw(service: Service, job: Job) -> Iterator[tuple[Page, Json]]:
    """Each page of a result with what PaddleOCR's pipeline said of it, pruned as they do it.

    That is empty where another engine read the page, or it has a text of its own.
    """
    if job.options.model.partition("?")[0] not in UPSTREAM:
        yield from ((page, {}) for page in outcome.pages(service, job))
        return
    numbers = page_ranges.chosen(job.options.pages, job.source.page_count)
    raws = raw_pages(service, job, numbers)
    for page, raw in zip(outcome.pages(service, job), raws, strict=True):
        yield page, pruned(raw.get("reading") or {})


def raw_pages(service: Service, job: Job, numbers: Sequence[int]) -> Iterator[Json]:
    """`number`, `model` and `reading` of each page, one in memory at a time.

    Args:
        service: Has the results.
        job: It has ended with a result.
        numbers: All pages of the result, in order.
    """
    chunks = service.stream(job.results["raw"])
    held, first = bytearray(), True
    for following in [*numbers[1:], None]:
        mark = b"]}\n" if following is None else b',{"number":%d,"model":' % following
        place = _find(held, chunks, mark)
        start = held.index(b"[") + 1 if first else 1
        yield msgspec.json.decode(bytes(held[start:place]), type=Json)
        del held[:place]
        first = False


def _find(held: bytearray, chunks: Iterator[bytes], mark: bytes) -> int:
    """Where the mark stands; chunks are added until it does.

    Within a page's JSON it cannot stand: inside a text its quotes would be escaped, and no
    engine's own objects begin so.
    """
    place, seen = held.find(mark), 0
    while place < 0:
        seen = max(0, len(held) - len(mark))
        held += next(chunks)
        place = held.find(mark, seen)
    return place


def pruned(value: Any) -> Any:
    """A result of the pipeline's own without what PaddleOCR's services leave out."""
    if isinstance(value, dict):
        return {key: pruned(part) for key, part in value.items() if key not in _LEFT_OUT}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [pruned(part) for part in value]
    return value
