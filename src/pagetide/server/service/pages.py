"""Pages of jobs: their JSON, their pictures, and figures cut out of them."""

from __future__ import annotations

from collections.abc import Callable

from pagetide.document import Page, page_ranges
from pagetide.document.kinds import PictureEnding
from pagetide.engine import PageImage
from pagetide.errors import BlobMissing, JobEnded, NotFound, ResultNotReady
from pagetide.server.jobs.job import Job, page_key
from pagetide.server.jobs.page_index import PageIndex
from pagetide.server.ports import Blobs, Store
from pagetide.server.service import passwords
from pagetide.server.service.submitting.inspection import Inspector
from pagetide.system.cipher import Cipher


class Pages:
    """The pages of all jobs; for any number of threads."""

    def __init__(
        self,
        *,
        store: Store,
        blobs: Blobs,
        inspector: Inspector,
        cipher: Cipher,
        job: Callable[[str], Job],
    ) -> None:
        self._store, self._blobs, self._inspector = store, blobs, inspector
        self._cipher, self._job = cipher, job

    def json(self, job: Job, number: int) -> bytes:
        """A page's JSON, as soon as it is read.

        Raises:
            PageOutOfRange: The job does not read such a page.
            ResultNotReady: It is not read yet.
            JobEnded: The job ended without it.
        """
        if "json" in job.results:
            return self._of_result(job, number)
        page_ranges.check(number, job.options.pages, job.source.page_count)
        for task in self._store.tasks(job.id):
            if number in task.done:
                return self._of_task(job, number, task.done[number])
        if job.ended:
            raise JobEnded(f"The job has ended without this page: {job.status}.")
        raise ResultNotReady(f"Page {number} is not read yet.")

    def image(
        self,
        job: Job,
        number: int,
        width: int | None = None,
        ending: PictureEnding = "png",
        password: str | None = None,
    ) -> bytes:
        """A page's picture, at the job's dpi, or smaller: at most `width` pixels wide.

        Args:
            job: The job.
            number: The page's, from 1.
            width: Most pixels across; all of them unless given.
            ending: What kind of file.
            password: Of an encrypted document; the job's own is forgotten when it ends.

        Raises:
            PagetideError: It cannot be rendered.
        """
        password = password or passwords.of(self._cipher, job)
        with self._blobs.local(job.input) as path:
            return self._inspector.page_picture(
                path, number, job.options.dpi, password, job.owner, ending, width
            )

    def pixels(self, job: Job, number: int) -> PageImage:
        """A page's picture in pixels, at the job's dpi; raises what `image` does."""
        password = passwords.of(self._cipher, job)
        with self._blobs.local(job.input) as path:
            return self._inspector.page_image(
                path, number, job.options.dpi, password, job.owner
            )

    def figure(self, job: Job, number: int, order: int, password: str | None = None) -> bytes:
        """A block's part of its page's picture, as PNG, in the page's own pixels.

        Args:
            job: The job.
            number: The page's, from 1.
            order: The block's place in the page's reading order, from 0.
            password: As for `image`.

        Raises:
            NotFound: The page has no such block.
            PagetideError: As for `json` and `image`.
        """
        page = Page.from_json(self.json(job, number))
        block = next((block for block in page.blocks if block.order == order), None)
        if block is None:
            raise NotFound(f"Page {number} has no block {order}.")
        password = password or passwords.of(self._cipher, job)
        with self._blobs.local(job.input) as path:
            return self._inspector.figure_png(
                path, number, block.polygon, page.dpi, password, job.owner
            )

    def index(self, job: Job) -> PageIndex:
        """Where each page is in the JSON of a job's result.

        Raises:
            BlobMissing: The job has no result.
        """
        return PageIndex.decode(self._blobs.get(f"{job.prefix}results/pages.idx"))

    def _of_task(self, job: Job, number: int, token: str) -> bytes:
        try:
            return self._blobs.get(page_key(job, number, token)).partition(b"\n")[0]
        except BlobMissing:
            now = self._job(job.id)
            if not now.ended:
                raise
            return self.json(now, number)  # it has just moved into the result

    def _of_result(self, job: Job, number: int) -> bytes:
        place = self.index(job).place(number)
        if place is None:
            page_ranges.check(number, job.options.pages, job.source.page_count)
            raise BlobMissing(f"Page {number} is missing from the result.")
        return b"".join(self._blobs.stream(job.results["json"].key, *place))
