"""The results of one `pagetide read`: written, told line by line, summed up."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from pagetide.cli.ending import complain, emit, heed_interrupt
from pagetide.cli.reading.outcome import Outcome, exit_code, failed, summary, tell
from pagetide.cli.reading.progress import Progress
from pagetide.cli.reading.sources import InputSource
from pagetide.cli.reading.targets import Endings, Existing, Names, Targets
from pagetide.document import Document, Page
from pagetide.errors import PagetideError


class Files(Endings, Protocol):
    """Makes the files of a result."""

    def files(
        self, document: Document, found: InputSource, stem: str
    ) -> Iterator[tuple[str, bytes]]:
        """Endings and contents, one after the other; `stem` is what the names begin with."""
        ...


class Batch:
    """Takes each input's result as it comes.

    Attributes:
        progress: Told of every page and document.
    """

    def __init__(
        self,
        targets: Targets | None,
        results: Files,
        progress: Progress,
        *,
        quiet: bool = False,
    ) -> None:
        """Prepare for the results.

        Args:
            targets: Where files go; None means the standard output.
            results: Makes the files.
            progress: Told of every page and document.
            quiet: Whether to say only what went wrong.
        """
        self._targets = targets
        self._quiet = quiet
        self._results = results
        self.progress = progress
        self._outcomes: list[Outcome] = []

    def skip(self, done: Iterable[InputSource]) -> None:
        """Say of inputs that their results are there already."""
        for one in done:
            self._note(Outcome(source=one.name, status="skipped"))

    def page(self, page: Page, of: int) -> None:
        """Count a page of a document of which `of` pages are read."""
        heed_interrupt()
        self.progress.page(of)

    def take(self, found: InputSource, result: Document | PagetideError) -> None:
        """Write a document's files, or say what is wrong with it."""
        heed_interrupt()
        self.progress.document()
        self.progress.clear()
        try:
            if isinstance(result, PagetideError):
                raise result
            outcome = self._written(found, result)
        except PagetideError as error:
            outcome = failed(found.name, error)
        self._note(outcome)
        self.progress.draw()

    def _note(self, outcome: Outcome) -> None:
        self._outcomes.append(outcome)
        if self._targets and not self._quiet:
            tell(outcome)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wipe the progress; after an interrupt say how to go on."""
        self.progress.clear()
        if kind is KeyboardInterrupt and self._targets:
            complain(
                f"{len(self._outcomes)} of {len(self._targets.inputs)} inputs are"
                " done; run the same command with --skip-existing to continue."
            )

    @property
    def exit_code(self) -> int:
        """0, the code that all failures share, 1 for several codes, 3 for failed pages only."""
        return exit_code(self._outcomes)

    def sum_up(self) -> None:
        """Say in one line how it went, on a terminal or when something went wrong."""
        bad = any(outcome.status in ("partial", "failed") for outcome in self._outcomes)
        if len(self._outcomes) < 2 or self._quiet or not (bad or sys.stderr.isatty()):
            return
        complain(
            f"{summary(self._outcomes)}; {self.progress.pages} pages in"
            f" {self.progress.seconds:.1f} s, {self.progress.pages_per_minute:.0f} a minute."
        )

    def _written(self, found: InputSource, document: Document) -> Outcome:
        unread = document.failed_pages
        in_part = any(page.is_in_part for page in document.pages)
        for page in unread:
            reason = page.error.message if page.error else ""
            complain(f"{found.name}: page {page.number}: {reason}")
        for warning in () if self._quiet else _warnings(document):
            complain(f"{found.name}: {warning}")
        outcome = Outcome(
            source=found.name,
            status="partial" if unread or in_part else "succeeded",
            pages=len(document.pages),
            failed_pages=[page.number for page in unread],
            lines_left_out=sum(page.lines_left_out for page in document.pages),
        )
        if self._targets:
            outcome.files = self._put(self._targets, found, document)
        else:
            for _, content in self._results.files(document, found, ""):
                emit(content if content.endswith(b"\n") else content + b"\n")
        return outcome

    def _put(self, targets: Targets, found: InputSource, document: Document) -> list[str]:
        """Write all files, or none; their names."""
        stem = targets.stem(found)
        with targets.stage(found) as stage:
            for suffix, content in self._results.files(document, found, stem.name):
                stage.write(Path(f"{stem}{suffix}"), content)
        return [str(path) for path in stage.written]


def begin(
    inputs: Sequence[InputSource],
    folder: Path | None,
    results: Files,
    *,
    names: Names,
    existing: Existing,
    quiet: bool,
) -> tuple[Batch, Sequence[InputSource]]:
    """A batch of inputs, and those of them that are to be read.

    Results go below the folder; None means to the standard output.

    Raises:
        WouldOverwrite: See `Targets.to_do`.
    """
    targets, done = None, list[InputSource]()
    if folder:
        targets = Targets(
            inputs=inputs, folder=folder, endings=results, names=names, existing=existing
        )
        inputs, done = targets.to_do()
    progress = Progress(sys.stderr, len(inputs), time.monotonic, quiet=quiet)
    batch = Batch(targets, results, progress, quiet=quiet)
    batch.skip(done)
    return batch, inputs


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
