"""Upload routes: documents sent before they are submitted, past limits on bodies.

Where blobs are in S3, a client sends the document there, with a form that S3 checks: one key,
one size, half an hour. Elsewhere it sends it here, by a signed link.
"""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from pagetide.errors import BadInput, Forbidden
from pagetide.server.api.answers import links
from pagetide.server.api.answers.showing import as_json
from pagetide.server.api.answers.upload_wire import UploadView
from pagetide.server.api.bodies import upload_ids
from pagetide.server.api.bodies.uploads import announced, chunks, upload
from pagetide.server.api.callers.auth import Caller, Submitting
from pagetide.server.api.context import Context, InContext, call, root_url
from pagetide.server.api.description import schemas
from pagetide.server.ports import PostForm
from pagetide.server.service.submitting import pending_uploads

UploadId = Annotated[str, Path(pattern=r"^up_[0-9a-f]{61}$")]

_DOCUMENT = {
    "required": True,
    "content": {
        "application/octet-stream": {
            "schema": {"type": "string", "contentMediaType": "application/octet-stream"}
        }
    },
}

router = APIRouter(tags=["jobs"])


@router.post(
    "/v1/uploads",
    status_code=201,
    response_class=Response,
    responses=schemas.answers({201: schemas.json("UploadView", "Where it goes.")}),
)
async def create_upload(request: Request, context: InContext, asking: Submitting) -> Response:
    """Get a link to send a document to, which is then submitted as `upload`."""
    secret = await context.link_secret.get()
    expires = int(time.time() + upload_ids.USABLE_S)
    upload_id = upload_ids.new_id(
        secret, asking.owner, expires=expires, random=secrets.token_hex(10)
    )
    owner = asking.owner
    most = min(asking.most_bytes(context.settings.max_bytes), context.pending.most(owner))
    form = await call(
        context.service.blobs.post_form,
        pending_uploads.document_key(upload_id, owner),
        expires_s=upload_ids.USABLE_S,
        most_bytes=most,
    )
    if form:  # what it lets come is counted from now on: it does not pass here
        noted = pending_uploads.form_key(upload_id, owner, most)
        async with context.pending.room(owner, most):
            await call(context.service.blobs.put, noted, b"-")
    link = root_url(request, context.settings) + _signed(secret, upload_id, owner, most)
    return as_json(_view(upload_id, form, link, expires, most), 201)


@router.put(
    "/v1/uploads/{upload_id}",
    status_code=204,
    response_class=Response,
    responses=schemas.answers({204: schemas.NOTHING}, 404, 408, 413, 507),
    openapi_extra={"requestBody": _DOCUMENT},
)
async def put_upload(
    request: Request,
    context: InContext,
    upload_id: UploadId,
    expires: links.Expires,
    signature: links.Signature,
    most_bytes: Annotated[int, Query(ge=0, le=10**15)],
    owner: Annotated[str, Query(pattern=r"^[0-9a-z]{0,8}$")] = "",
) -> Response:
    """Send a document by its signed link; needs no key, but becomes invalid with its key."""
    await links.check_now(context, _path(upload_id, owner, most_bytes), expires, signature)
    blobs, most = context.service.blobs, await _most_now(context, owner, most_bytes)
    if await call(blobs.find, upload_ids.used_key(upload_id)):
        raise upload_ids.unknown()
    async with (
        context.pending.room(owner, announced(request, most)),
        upload(context.settings, most) as taken,
    ):
        async for chunk in chunks(request, most):
            await taken.take(chunk)
        await taken.ease(all_of_it=True)
        if not taken.bytes:
            raise BadInput("The document is empty.")
        await call(blobs.put_file, pending_uploads.document_key(upload_id, owner), taken.path)
    return Response(status_code=204)


def _view(
    upload_id: str, form: PostForm | None, link: str, expires: int, most: int
) -> UploadView:
    until = datetime.fromtimestamp(expires, UTC).isoformat().replace("+00:00", "Z")
    return UploadView(
        id=upload_id,
        url=form.url if form else link,
        method="POST" if form else "PUT",
        fields=dict(form.fields) if form else {},
        expires_at=until,
        max_bytes=most,
    )


async def _most_now(context: Context, owner: str, most: int) -> int:
    """Most bytes that a link's owner may send, now and when it was signed.

    Raises:
        Forbidden: Its key has been revoked or has expired.
    """
    most = min(most, context.settings.max_bytes, context.pending.most(owner))
    if not context.keys_needed:
        return most
    key = (await context.keys.get()).get(owner)
    if key is None or not key.valid(time.time()):
        raise Forbidden("The API key that this link was made for is no longer valid.")
    return Caller(key).most_bytes(most)


def _signed(secret: bytes, upload_id: str, owner: str, most: int) -> str:
    valid_s = upload_ids.USABLE_S - links.STEP_S  # which it is rounded up by
    path = _path(upload_id, owner, most)
    return links.signed(secret, path, now=time.time(), valid_s=valid_s)


def _path(upload_id: str, owner: str, most: int) -> str:
    """The signed path: the upload's owner and most bytes, as well as its id."""
    return f"/v1/uploads/{upload_id}?owner={owner}&most_bytes={most}"
