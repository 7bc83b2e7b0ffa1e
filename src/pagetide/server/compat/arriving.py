"""Documents as other protocols send them, on their way to a job."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

from starlette.requests import Request

from pagetide.engines.catalogue import DEFAULT
from pagetide.errors import BadInput, BadOption
from pagetide.net.download import safe_name
from pagetide.server.api.bodies import form_body
from pagetide.server.api.bodies.long_texts import LongTexts, in_base64
from pagetide.server.api.bodies.uploads import Body, Upload, chunks, upload
from pagetide.server.api.callers.auth import Caller
from pagetide.server.api.context import Context
from pagetide.server.api.submitting import enter, fetch, of_caller
from pagetide.server.jobs.job import Job, JobOptions
from pagetide.server.service.submitting.submission import Submission


class Arrival:
    """A request with one document, in whatever form its protocol sends it.

    Take the document in one of the ways, then `submit` it.

    Attributes:
        taken: The file that it goes to.
        most: Bytes that it may have.
    """

    def __init__(
        self, request: Request, context: Context, caller: Caller, taken: Upload, spill: Upload
    ) -> None:
        self.taken, self.most = taken, caller.most_bytes(context.settings.max_bytes)
        self._request, self._context, self._caller = request, context, caller
        self._texts = LongTexts(spill)

    async def body(self) -> None:
        """The body itself is the document.

        Raises:
            TooLarge: It is larger than allowed.
            DiskFull: The disk is full.
            ClientDisconnect: The client went away.
        """
        async for chunk in chunks(self._request, self.most):
            await self.taken.take(chunk)
        await self.taken.ease(all_of_it=True)

    async def form(self, file: str | tuple[str, ...] = form_body.FILE) -> Body:
        """The body is a form, the document a part of it; see `form_body.read`."""
        if not self._request.headers.get("content-type", "").startswith("multipart/form-data"):
            raise BadOption("The body must be multipart/form-data.")
        return await form_body.read(self._request, self.taken, self.most, file=file)

    async def submit_form(self, *files: str, alias: str) -> Job:
        """Submit the document of a form that holds nothing else, for an alias's model.

        Raises:
            BadInput: There is no document, or a field beside it.
            PagetideError: See `submit`.
        """
        body = await self.form(files)
        _refuse_fields(body.fields, files[0])
        if not body.document:
            raise BadInput("There is no document: send it as `file`.")
        model = self._context.settings.model_named(alias) or DEFAULT
        return await self.submit(JobOptions(model=model), name=body.name)

    async def json(self) -> object:
        """The body is JSON; its long texts stand in it as marks; see `LongTexts.read`.

        Give texts that may be documents to `base64`, and those that may be anything to
        `beginning`.
        """
        return await self._texts.read(self._request, self.most)

    def beginning(self, text: str) -> str:
        """The first letters of a text of the JSON, however long it is."""
        return self._texts.beginning(text)

    async def base64(self, text: str, name: str) -> None:
        """A text of the JSON is the document in base64; see `LongTexts.document`."""
        await self._texts.document(text, self.taken, name)

    async def fetch(self, url: str) -> str:
        """The document is at a URL.

        Returns:
            What it is called there.

        Raises:
            PagetideError: See `net.download.download`.
            ClientDisconnect: The client left.
        """
        return await fetch(
            self._request, self._context, self._caller, url, self.taken, self.most
        )

    async def submit(self, options: JobOptions, *, name: str = "", **more: Any) -> Job:
        """The job that reads the document, as this caller's.

        Raises:
            PagetideError: It is refused; nothing is left behind.
            ClientDisconnect: The client left before its document's turn came.
        """
        submission = Submission(
            document=self.taken.path, name=safe_name(name), options=options, **more
        )
        whose = of_caller(self._request, self._context, self._caller, submission)
        return await enter(self._request, self._context, whose)


def _refuse_fields(given: Iterable[str], file: str) -> None:
    """Refuse the fields of a form that holds a file and nothing else.

    Raises:
        BadOption: There is one; the message names it.
    """
    for name in sorted(given):
        raise BadOption(f"There is no field {name[:80]!r} here; send `{file}` alone.")


@asynccontextmanager
async def arriving(
    request: Request, context: Context, caller: Caller
) -> AsyncIterator[Arrival]:
    """A document on its way in; what is not submitted is gone in the end.

    Raises:
        DiskFull: The disk is full.
    """
    most = caller.most_bytes(context.settings.max_bytes)
    async with (
        upload(context.settings, most) as taken,
        taken.beside(in_base64(most)) as spill,
    ):
        yield Arrival(request, context, caller, taken, spill)
