"""The results of one `pagetide read`: written, told line by line, summed up."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pagetide.cli.ending import complain, emit
from pagetide.cli.progress import Progress
from pagetide.cli.results import Results
from pagetide.cli.sources import Found
from pagetide.cli.targets import assign, write
from pagetide.document import Document, Page
from pagetide.errors import CannotWrite, PagetideError

PARTIAL, MIXED = 3, 1


@dataclass(kw_only=True)
class Outcome:
    """What became of one input."""

    source: str
    status: str
    pages: int = 0
    failed_pages: list[int] = field(default_factory=list)
    lines_left_out: int = 0
    files: list[str] = field(default_factory=list)
    error: dict[str, str] | None = None
    exit_code: int = 0


class Batch:
    """Takes each input's result as it comes."""

    def __init__(
        self,
        inputs: Sequence[Found],
        folder: Path | None,
        results: Results,
        progress: Progress,
    ) -> None:
        """Prepare for the results.

        Args:
            inputs: All of them, for names that do not collide.
            folder: Where files go; None means the standard output.
            results: Makes the files.
            progress: Told of every page and document.
        """
        self._folder = folder
        self._results = results
        self._progress = progress
        self._outcomes: list[Outcome] = []
        self._stems: dict[str, Path] = {}
        self._taken = {os.path.realpath(one.name) for one in inputs}
        if folder is not None:
            places = [one.place for one in inputs]
            stems = assign(places, folder, results.suffixes, self._taken)
            self._stems = {one.name: stem for one, stem in zip(inputs, stems, strict=True)}

    def page(self, page: Page, of: int) -> None:
        """Count a page of a document of which `of` pages are read."""
        self._progress.page(of)

    def take(self, found: Found, result: Document | PagetideError) -> None:
        """Write a document's files, or say what is wrong with it."""
        self._progress.document()
        self._progress.clear()
        try:
            if isinstance(result, PagetideError):
                raise result
            outcome = self._written(found, result)
        except PagetideError as error:
            complain(f"{found.name}: {error.message}")
            problem = {"code": error.code, "message": error.message}
            outcome = Outcome(
                source=found.name,
                status="failed",
                error=problem,
                exit_code=error.exit_code,
            )
        self._outcomes.append(outcome)
        if self._folder is not None:
            emit(_line(outcome).encode() + b"\n")
        self._progress.draw()

    @property
    def exit_code(self) -> int:
        """0, the code that all failures share, 1 for several codes, 3 for failed pages only."""
        codes = {outcome.exit_code for outcome in self._outcomes if outcome.error}
        if codes:
            return codes.pop() if len(codes) == 1 else MIXED
        return PARTIAL if any(outcome.failed_pages for outcome in self._outcomes) else 0

    def sum_up(self) -> None:
        """Say in one line how it went, on a terminal or when something went wrong."""
        bad = [outcome for outcome in self._outcomes if outcome.status != "succeeded"]
        if len(self._outcomes) < 2 or not (bad or sys.stderr.isatty()):
            return
        count = {
            status: sum(outcome.status == status for outcome in self._outcomes)
            for status in ("succeeded", "partial", "failed")
        }
        complain(
            f"{count['succeeded']} read, {count['partial']} read in part,"
            f" {count['failed']} failed; {self._progress.pages} pages in"
            f" {self._progress.seconds:.1f} s, {self._progress.pages_per_minute:.0f} a minute."
        )

    def _written(self, found: Found, document: Document) -> Outcome:
        failed = document.failed_pages
        for page in failed:
            reason = page.error.message if page.error else ""
            complain(f"{found.name}: page {page.number}: {reason}")
        for warning in _warnings(document):
            complain(f"{found.name}: {warning}")
        outcome = Outcome(
            source=found.name,
            status="partial" if failed else "succeeded",
            pages=len(document.pages),
            failed_pages=[page.number for page in failed],
            lines_left_out=sum(page.lines_below_confidence for page in document.pages),
        )
        for suffix, content in self._results.files(document, found.source):
            if self._folder is None:
                emit(content if content.endswith(b"\n") else content + b"\n")
            else:
                outcome.files.append(self._file(f"{self._stems[found.name]}{suffix}", content))
        return outcome

    def _file(self, path: str, content: bytes) -> str:
        """Write a file that is neither an input nor another result."""
        real = os.path.realpath(path)
        if real in self._taken:
            raise CannotWrite(f"{path} is an input or another result of this run.")
        self._taken.add(real)
        write(Path(path), content)
        return path


def _line(outcome: Outcome) -> str:
    if not sys.stdout.isatty():
        return json.dumps(dict(_fields(outcome)), ensure_ascii=False)
    if outcome.error:
        return f"{outcome.source}: failed"
    pages = f"{outcome.pages} page{'s' if outcome.pages != 1 else ''}"
    failed = f", {len(outcome.failed_pages)} failed" if outcome.failed_pages else ""
    unsure = (
        f", {outcome.lines_left_out} unsure lines left out" if outcome.lines_left_out else ""
    )
    return f"{outcome.source}: {pages}{failed}{unsure} -> {', '.join(outcome.files)}"


def _warnings(document: Document) -> Iterator[str]:
    """What the document and its pages warn of, each once, with the pages it concerns."""
    yield from (notice.message for notice in document.warnings)
    pages: dict[str, list[int]] = {}
    for page in document.pages:
        for notice in page.warnings:
            pages.setdefault(notice.message, []).append(page.number)
    for message, numbers in pages.items():
        more = f" and {len(numbers) - 5} more" if len(numbers) > 5 else ""
        plural = "s" if len(numbers) > 1 else ""
        yield f"page{plural} {', '.join(map(str, numbers[:5]))}{more}: {message}"


def _fields(outcome: Outcome) -> Iterator[tuple[str, Any]]:
    yield "source", outcome.source
    yield "status", outcome.status
    if outcome.error:
        yield "error", outcome.error
    else:
        yield "pages", outcome.pages
        yield "failed_pages", outcome.failed_pages
        yield "lines_left_out", outcome.lines_left_out
        yield "files", outcome.files
