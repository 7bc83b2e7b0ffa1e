"""Bodies of the type `application/json`, with the document as base64 in `file`."""

from __future__ import annotations

from starlette.requests import Request

from pagetide.errors import BadInput, BadOption
from pagetide.server.api.bodies.long_texts import LongTexts, in_base64
from pagetide.server.api.bodies.uploads import Body, Upload

MOST_REST_BYTES = 256 << 10


async def read(request: Request, upload: Upload, most: int) -> Body:
    """Read a JSON object.

    Raises:
        BadInput: It is not a JSON object of the kind that is taken here.
        BadOption: `file` is no base64, or `name` no text.
        TooLarge: It is larger than allowed.
        DiskFull: The disk is full.
        ClientDisconnect: The client went away.
    """
    async with upload.beside(in_base64(most)) as spill:
        texts = LongTexts(spill, MOST_REST_BYTES)
        fields = await texts.read(request, most)
        if not isinstance(fields, dict):
            raise BadInput("The body is not a JSON object.")
        file, name = fields.pop("file", None), fields.pop("name", None)
        if not isinstance(file, str | None):
            raise BadOption("`file` must be a document in base64.")
        if not isinstance(name, str | None):
            raise BadOption("`name` must be a string.")
        if len(texts) > (file is not None and texts.is_long(file)):
            raise BadInput("A string other than `file` is too long.")
        if file is not None:
            await texts.document(file, upload, "`file`")
    return Body(fields=fields, document=file is not None, name=name or "")
