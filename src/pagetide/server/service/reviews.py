"""Operations of reviewers, and the corrections they made."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace

from pagetide.document import Document
from pagetide.errors import BadOption, JobEnded, LeaseLost
from pagetide.exports import FORMATS, Style, packed
from pagetide.exports.corrected import corrected
from pagetide.exports.doubts import Doubt, doubts, every_line
from pagetide.server.jobs import review_task, reviewing
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import Job, Task
from pagetide.server.jobs.moved import Moved
from pagetide.server.jobs.review import Correction
from pagetide.server.ports import Backlog, Blobs, JobQuery, Move, Store
from pagetide.server.service.notifier import Notifier
from pagetide.settings import Settings

MOST_CORRECTIONS = 500
_JOBS_AT_ONCE = 200
_LOST = "This review claim has ended; another reviewer may have the document now."


@dataclass(frozen=True, kw_only=True)
class Claimed:
    """A document that a reviewer has, and nobody else, until the lease ends."""

    job: Job
    task: Task
    token: str


class Reviews:
    """Documents that wait for a person.

    A claim is a lease on the job's `review` task: atomic in every store, taken back from who is
    gone by the sweep, and gone with the job.
    """

    def __init__(
        self,
        *,
        store: Store,
        blobs: Blobs,
        notifier: Notifier,
        settings: Settings,
        clock: Callable[[], float],
    ) -> None:
        self._store, self._blobs, self._notifier = store, blobs, notifier
        self._settings, self._clock = settings, clock

    def next(self, owner: str, by: str) -> Claimed | None:
        """Claim what has waited longest; None where nothing waits."""
        now, token = self._clock(), secrets.token_urlsafe(16)
        taken = self._store.claim(
            review_task.pool_of(owner),
            reviewing.holder(by),
            now=now,
            until=now + self._settings.review_lease_s,
            token=token,
            beside=False,
        )
        if taken is None:
            return None
        return Claimed(job=taken[0], task=taken[1], token=token)

    def renew(self, job: Job, token: str) -> Task:
        """Keep a claim for as long again.

        Raises:
            LeaseLost: It has run out, and somebody else may have it.
        """
        until = self._clock() + self._settings.review_lease_s
        return self._change(job, partial(moves.renew, token=token, until=until)).tasks[0]

    def give_back(self, job: Job, token: str) -> None:
        """Let somebody else review it, once all that wait have had their turn.

        Raises:
            LeaseLost: It has run out, and somebody else may have it.
        """
        self._change(job, partial(moves.give_back, token=token, due=self._clock()))

    def close(self, job: Job, token: str, corrections: Sequence[Correction]) -> Job:
        """Say that all of it has been looked at.

        Raises:
            LeaseLost: The claim has run out, and somebody else may have it.
            BadOption: A correction is of nothing that was read.
        """
        close = partial(
            reviewing.close, token=token, corrections=corrections, now=self._clock()
        )
        return self._change(job, close, durable=True).job

    def task(self, job: Job) -> Task | None:
        """A job's `review` task; None where it has none."""
        known = {task.id: task for task in self._store.tasks(job.id)}
        return known.get(review_task.id_of(job.id))

    def places(self, job: Job, *, all_lines: bool = False) -> tuple[Doubt, ...]:
        """The doubtful places of a job's result, for its reviewer.

        Args:
            job: The job.
            all_lines: Every line instead, as where nothing is doubtful.
        """
        if job.review is None or not job.review.reasons:
            return ()
        rules, document = job.review.rules, self.document(job)
        found = () if all_lines else doubts(document, rules.below, sums=rules.sums)
        return found or every_line(document)

    def counts(self, owner: str) -> Backlog:
        """How many wait for a reviewer, and how many are claimed."""
        return self._store.backlog(review_task.pool_of(owner), self._clock())

    def waiting(self, owner: str, limit: int) -> Iterator[tuple[Job, Task]]:
        """The jobs that wait, in the order in which they are claimed."""
        pool = review_task.pool_of(owner)
        for task in self._store.waiting(pool, self._clock(), limit):
            job = self._store.job(task.job_id)
            if job is not None and not job.erased:
                yield job, task

    def corrections(self, owner: str | None) -> Iterator[tuple[Job, Correction]]:
        """All corrections, of the newest jobs first; those that are kept still."""
        before = None
        while found := self._store.jobs(
            JobQuery(owner=owner, before=before, limit=_JOBS_AT_ONCE)
        ):
            for job in found:
                if job.review and job.review.corrections:
                    task = self.task(job)
                    yield from ((job, each) for each in (task.corrections if task else ()))
            before = found[-1].id

    def document(self, job: Job) -> Document:
        """A job's document, as it was read.

        Raises:
            JobEnded: The job ended without a result.
        """
        if "json" not in job.results:
            raise JobEnded(f"The job has no result to review: {job.status}.")
        return Document.from_json(self._blobs.get(job.results["json"].key))

    def corrected(self, job: Job) -> Document:
        """A job's document, with the corrections of its reviewers."""
        task = self.task(job)
        return corrected(self.document(job), task.corrections if task else ())

    def exported(self, job: Job, format_name: str) -> bytes:
        """The corrected document in a format; see `check_correctable`."""
        style = Style(line_breaks=job.options.line_breaks)
        return b"".join(packed(self.corrected(job), format_name, style=style))

    def _change(self, job: Job, move: Move, *, durable: bool = False) -> Moved:
        try:
            moved = self._store.change(job.id, review_task.id_of(job.id), move, durable=durable)
        except LeaseLost:
            raise LeaseLost(_LOST) from None
        self._notifier.moved(moved)
        return moved


def check_correctable(format_name: str) -> None:
    """Check that a format can be had with corrections.

    Raises:
        BadOption: It is what the engine said, or is made from the document itself.
    """
    form = FORMATS.get(format_name)
    if form is None or form.needs_origin:
        raise BadOption(f"The format {format_name} is not available with corrections.")


def checked(document: Document, corrections: Sequence[Correction]) -> tuple[Correction, ...]:
    """The corrections that change something, each with the place of its line.

    Raises:
        BadOption: There are too many, or one is of nothing that was read.
    """
    if len(corrections) > MOST_CORRECTIONS:
        raise BadOption(f"A review may have at most {MOST_CORRECTIONS} corrections.")
    pages = {page.number: page for page in document.pages}
    found = []
    for each in corrections:
        page = pages.get(each.page)
        if page is None:
            raise BadOption(f"The result has no page {each.page}.")
        each = replace(each, dpi=page.dpi)
        if each.line is not None:
            if not 0 <= each.line < len(page.lines):
                raise BadOption(f"Page {each.page} has no line {each.line}.")
            each = replace(each, polygon=page.lines[each.line].polygon)
        text = page.text if each.line is None else page.lines[each.line].text
        if not each.old or each.old not in text:
            raise BadOption(f"`old` is not in the text read on page {each.page}.")
        found += [each] if each.new != each.old else []
    return tuple(found)
