"""Links of PaddleOCR's job API: they open a result or a picture for a while, without a key."""

from __future__ import annotations

import time

from starlette.requests import Request

from pagetide.document import Block, Page
from pagetide.server.api.answers import links
from pagetide.server.api.context import Context, root_url
from pagetide.server.jobs.job import Job

JOBS = "/api/v2/ocr/jobs"


class Signing:
    """Makes the links to what belongs to a job, and checks them.

    Links that are made for who came by a link end with that one: they are no fresh authority.
    """

    def __init__(self, secret: bytes, root: str, valid_s: float) -> None:
        self._secret, self._root, self._valid_s = secret, root, valid_s
        self._until: int | None = None
        self._now = time.time()

    @classmethod
    async def of(cls, request: Request, context: Context) -> Signing:
        """Links as the request reached the server."""
        secret = await context.link_secret.get()
        return cls(secret, root_url(request, context.settings), context.settings.link_s)

    def check(self, path: str, expires: int, signature: str) -> None:
        """See whether a link opens this path; see `links.check`."""
        links.check(self._secret, path, expires=expires, signature=signature, now=self._now)
        self._until = expires

    def result(self, job: Job) -> str:
        """The link to a job's result."""
        return self._link(result_path(job.id))

    def page(self, job: Job, page: Page) -> str:
        """The link to a page's picture."""
        return self._link(page_path(job.id, page.number))

    def drawn(self, job: Job, page: Page) -> str:
        """The link to a page's picture with what was found on it."""
        return self._link(drawn_path(job.id, page.number))

    def figure(self, job: Job, page: Page, block: Block) -> str:
        """The link to a figure's picture."""
        return self._link(links.figure_path(job.id, page.number, block.order))

    def _link(self, path: str) -> str:
        return self._root + links.signed(
            self._secret, path, now=self._now, valid_s=self._valid_s, until=self._until
        )


def result_path(job_id: str) -> str:
    """Where a job's result is."""
    return f"{JOBS}/{job_id}/result.jsonl"


def page_path(job_id: str, number: int) -> str:
    """Where a page's picture is."""
    return f"{JOBS}/{job_id}/pages/{number}.png"


def drawn_path(job_id: str, number: int) -> str:
    """Where a page's picture with what was found on it is."""
    return f"{JOBS}/{job_id}/pages/{number}/drawn.png"
