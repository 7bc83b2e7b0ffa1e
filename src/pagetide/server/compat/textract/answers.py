"""Jobs and their results in Textract's form: blocks, in parts where they are many."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from pagetide.document import UNREAD_SCRIPT, ModelInfo, Page
from pagetide.errors import BadOption
from pagetide.server.compat import outcome
from pagetide.server.compat.textract.blocks import (
    FORMS,
    LAYOUT,
    TABLES,
    PageBlocks,
    put_layout,
    put_lines,
)
from pagetide.server.compat.textract.faults import name_of
from pagetide.server.compat.textract.forms import put_forms
from pagetide.server.compat.textract.queries import Answered, put_queries
from pagetide.server.compat.textract.tables import put_tables
from pagetide.server.compat.textract.wire import Block
from pagetide.server.jobs.job import Job, JobStatus
from pagetide.server.service.service import Service

MOST_BLOCKS = 1000
STATUS: dict[JobStatus, str] = {
    "queued": "IN_PROGRESS",
    "running": "IN_PROGRESS",
    "succeeded": "SUCCEEDED",
    "partial": "PARTIAL_SUCCESS",
    "failed": "FAILED",
    "cancelled": "FAILED",
}
Place = tuple[int, int]  # pages before, and blocks before on the page
START: Place = (0, 0)


def blocks_of(
    page: Page,
    job_id: str,
    features: Collection[str],
    answered: Answered | None = None,
    *,
    is_first: bool = True,
) -> list[Block]:
    """A page's blocks: the page itself, lines, words, and what is asked for beside."""
    blocks = PageBlocks(page, job_id)
    lines = put_lines(blocks, page)
    tables = list(put_tables(blocks, page)) if TABLES in features else []
    forms = list(put_forms(blocks, page)) if FORMS in features else []
    layout = list(put_layout(blocks, page, lines)) if LAYOUT in features else []
    asked = list(put_queries(blocks, page, answered, is_first=is_first)) if answered else []
    return [blocks.page([*lines[-1], *tables, *forms, *layout, *asked]), *blocks.made]


def whole(
    service: Service, job: Job, features: Collection[str], answered: Answered | None = None
) -> dict[str, Any]:
    """The answer of an operation that waits."""
    pages = outcome.pages(service, job)
    found = [block for page in pages for block in blocks_of(page, job.id, features, answered)]
    return {"DocumentMetadata": {"Pages": job.source.page_count}, "Blocks": found}


def part(
    service: Service,
    job: Job,
    features: Collection[str],
    start: Place,
    most: int,
    answered: Answered | None = None,
) -> dict[str, Any]:
    """What is asked for of a job, as far as it is done.

    Args:
        service: Whose job.
        job: The job.
        features: Of `FORMS`, `LAYOUT` and `TABLES`, or none of them.
        start: Where the last part ended.
        most: Blocks that it may have.
        answered: What was found for its questions.
    """
    answer = standing(job)
    if "json" not in job.results or not job.ended:
        return answer
    found = _Part(most)
    for index, page in enumerate(outcome.pages(service, job, skip=start[0]), start[0]):
        blocks = blocks_of(page, job.id, features, answered, is_first=index == 0)
        found.take(index, page, blocks, start)
        if found.ends is not None:
            answer["NextToken"] = f"{job.id}.{found.ends[0]}.{found.ends[1]}"
            break
    answer |= {"DocumentMetadata": {"Pages": job.source.page_count}, "Blocks": found.blocks}
    return answer | ({"Warnings": found.warnings} if job.status == "partial" else {})


def standing(job: Job) -> dict[str, Any]:
    """How a job stands, and why where there is no result, or not all of one."""
    answer: dict[str, Any] = {"JobStatus": STATUS.get(job.status, "FAILED")}
    if job.error is not None:
        error = outcome.error_of(job.error)
        return answer | {"StatusMessage": f"{name_of(error)}: {job.error.message}"}
    if job.ended and "json" not in job.results:
        return answer | {"StatusMessage": f"The job was ended: {job.status}."}
    if job.status == "partial":
        message = f"{job.pages_failed} of {job.page_count} pages could not be read."
        if not job.pages_failed:
            message = "A good part of some pages could not be read."
        answer["StatusMessage"] = message
    return answer


def warnings_of(pages: Iterable[Page]) -> list[dict[str, Any]]:
    """The pages that could not be read, or not as a whole, by the reason."""
    failed = defaultdict[str, list[int]](list)
    for page in pages:
        if page.error or page.is_in_part:
            failed[page.error.code if page.error else UNREAD_SCRIPT].append(page.number)
    return [{"ErrorCode": code, "Pages": numbers} for code, numbers in sorted(failed.items())]


class _Part:
    """So many blocks, and what is to be said of the pages that begin among them.

    Attributes:
        ends: Where the next part begins; None where there is none.
    """

    def __init__(self, most: int) -> None:
        self.blocks: list[Block] = []
        self.ends: Place | None = None
        self._most, self._begun = most, list[Page]()

    def take(self, index: int, page: Page, blocks: list[Block], start: Place) -> None:
        """Take the next page, as far as it goes in."""
        skip = start[1] if index == start[0] else 0
        room = self._most - len(self.blocks)
        if skip == 0 and room:
            self._begun.append(page)
        self.blocks += blocks[skip : skip + room]
        if len(blocks) > skip + room:
            self.ends = (index, skip + room)

    @property
    def warnings(self) -> list[dict[str, Any]]:
        """See `warnings_of`: of the pages that begin here."""
        return warnings_of(self._begun)


def place_of(token: str, job: Job) -> Place:
    """Where a `NextToken` of this job goes on.

    Raises:
        BadOption: It is none.
    """
    found = re.fullmatch(r"(\w+)\.(\d{1,9})\.(\d{1,9})", token, re.ASCII)
    if found is None or found[1] != job.id:
        raise BadOption("`NextToken` is not one that this job was answered with.")
    return int(found[2]), int(found[3])


def version(model: ModelInfo) -> str:
    """What read a document, where Textract names its own model's version."""
    return f"{model.name} ({model.engine} {model.version})"
