"""Short JSON bodies, decoded to a struct."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import Struct
from starlette.requests import Request

from pagetide.errors import BadInput, UnsupportedType
from pagetide.server.api.bodies.job_form import field_error
from pagetide.server.api.bodies.uploads import chunks
from pagetide.server.api.submitting import JSON
from pagetide.system.ready_types import ready

S = TypeVar("S", bound=Struct)


async def read(request: Request, kind: type[S], most: int, says: str) -> S:
    """A body; an empty one is an empty object.

    Args:
        request: The request.
        kind: What it must be.
        most: Bytes that it may have.
        says: What it is for, as the end of "Say …".

    Raises:
        UnsupportedType: It is something else than JSON.
        TooLarge: It is larger than allowed.
        BadOption: A field is not valid; the message names it.
        BadInput: It is no JSON object.
    """
    body = b"".join([chunk async for chunk in chunks(request, most)])
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if body and media_type != JSON:
        raise UnsupportedType(f"Say {says} as {JSON}.")
    try:
        return msgspec.json.decode(body or b"{}", type=ready(kind))
    except msgspec.ValidationError as error:
        raise field_error(error) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadInput("The body is not a JSON object.") from None


def described(name: str, *, required: bool = True) -> dict[str, object]:
    """Such a body in the API's description, by its schema's name."""
    schema = {"$ref": f"#/components/schemas/{name}"}
    return {"requestBody": {"required": required, "content": {JSON: {"schema": schema}}}}
