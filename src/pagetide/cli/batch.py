"""The results of one `pagetide read`: written, told line by line, summed up."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from pagetide.cli.ending import complain, emit, heed_interrupt
from pagetide.cli.outcome import Outcome, exit_code, failed, tell
from pagetide.cli.progress import Progress
from pagetide.cli.sources import InputSource
from pagetide.cli.targets import assign, write
from pagetide.document import Document, Page
from pagetide.errors import CannotWrite, PagetideError


class Files(Protocol):
    """Makes the files of a result."""

    @property
    def suffixes(self) -> list[str]:
        """What the files end in."""
        ...

    def files(
        self, document: Document, found: InputSource, stem: str
    ) -> Iterator[tuple[str, bytes]]:
        """Endings and contents, one after the other; `stem` is what the names begin with."""
        ...


class Batch:
    """Takes each input's result as it comes."""

    def __init__(
        self,
        inputs: Sequence[InputSource],
        folder: Path | None,
        results: Files,
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
        heed_interrupt()
        self._progress.page(of)

    def take(self, found: InputSource, result: Document | PagetideError) -> None:
        """Write a document's files, or say what is wrong with it."""
        heed_interrupt()
        self._progress.document()
        self._progress.clear()
        try:
            if isinstance(result, PagetideError):
                raise result
            outcome = self._written(found, result)
        except PagetideError as error:
            outcome = failed(found.name, error)
        self._outcomes.append(outcome)
        if self._folder is not None:
            tell(outcome)
        self._progress.draw()

    @property
    def exit_code(self) -> int:
        """0, the code that all failures share, 1 for several codes, 3 for failed pages only."""
        return exit_code(self._outcomes)

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

    def _written(self, found: InputSource, document: Document) -> Outcome:
        unread = document.failed_pages
        in_part = any(page.is_in_part for page in document.pages)
        for page in unread:
            reason = page.error.message if page.error else ""
            complain(f"{found.name}: page {page.number}: {reason}")
        for warning in _warnings(document):
            complain(f"{found.name}: {warning}")
        outcome = Outcome(
            source=found.name,
            status="partial" if unread or in_part else "succeeded",
            pages=len(document.pages),
            failed_pages=[page.number for page in unread],
            lines_left_out=sum(page.lines_left_out for page in document.pages),
        )
        stem = self._stems[found.name].name if self._stems else ""
        for suffix, content in self._results.files(document, found, stem):
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
