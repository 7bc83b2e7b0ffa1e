"""Makes a job from an upload: once, however often it is requested."""

from __future__ import annotations

import dataclasses
import time

from starlette.requests import Request

from pagetide.errors import BlobMissing, TooLarge
from pagetide.server.api.answers.streamed import in_threads, unless_left
from pagetide.server.api.bodies import upload_ids
from pagetide.server.api.bodies.uploads import Upload
from pagetide.server.api.context import Context, call
from pagetide.server.jobs.job import Job
from pagetide.server.service.submitting import pending_uploads
from pagetide.server.service.submitting.submission import Submission


async def submit(
    request: Request,
    context: Context,
    upload_id: str,
    submission: Submission,
    taken: Upload,
    most: int,
) -> Job:
    """Submit a document that was uploaded; its upload is then gone.

    Returns:
        The job; the earlier one where the upload was submitted in the same way before.

    Raises:
        NotFound: There is no such upload, or it is another key's.
        TooLarge: It is larger than allowed, and gone.
        PagetideError: The submission is refused, and the upload can be submitted again; or it
            was submitted in another way before.
        ClientDisconnect: The client left before the document's turn came.
    """
    secret, owner = await context.link_secret.get(), submission.owner
    upload_ids.check(secret, upload_id, owner, now=time.time())
    fetched = await fetch(context, upload_id, owner, taken, most)
    # Asked only now: another request may have submitted it, and taken it away, meanwhile.
    if earlier := await call(_used_by, context, upload_id):
        return await call(context.service.resubmit, earlier, submission)
    if not fetched:
        raise upload_ids.unknown()
    # Two requests at once make one job, unless they name keys of their own.
    named = submission.idempotency_key or upload_id
    once = dataclasses.replace(submission, idempotency_key=named)
    submitting = context.documents.run(owner, context.service.submit, once)
    job = await unless_left(request.receive, submitting)
    await call(_use, context, upload_id, owner, job.id)
    return job


async def fetch(context: Context, upload_id: str, owner: str, taken: Upload, most: int) -> bool:
    """Fetch an upload's document; False where it is not there.

    Raises:
        TooLarge: It is larger than allowed, and gone.
    """
    blobs, key = context.service.blobs, pending_uploads.document_key(upload_id, owner)
    found = await call(blobs.find, key)
    if found is None:
        return False
    try:
        if found.bytes > most:  # another limit than it was sent under
            raise TooLarge(f"The document is larger than {most} bytes.")
        async for chunk in in_threads(await call(blobs.stream, key)):
            await taken.take(chunk)
        await taken.ease(all_of_it=True)
    except TooLarge:
        await call(blobs.delete_under, pending_uploads.folder(upload_id, owner))
        raise
    except BlobMissing:
        return False
    return True


def _used_by(context: Context, upload_id: str) -> str | None:
    blobs, key = context.service.blobs, upload_ids.used_key(upload_id)
    try:
        return blobs.get(key).decode()
    except BlobMissing:
        return None


def _use(context: Context, upload_id: str, owner: str, job_id: str) -> None:
    """Note the job before the document goes, so that a repeated request is answered with it."""
    blobs = context.service.blobs
    blobs.put(upload_ids.used_key(upload_id), job_id.encode())
    blobs.delete_under(pending_uploads.folder(upload_id, owner))
