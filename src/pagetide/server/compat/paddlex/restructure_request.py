"""What a request to restructure pages asks for, checked.

Of what a page holds only that is parsed which is worked on; the rest comes back as it was
sent, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from pagetide.errors import BadInput, BadOption
from pagetide.server.api.bodies.job_form import field_error
from pagetide.server.compat.paddle_results import Json
from pagetide.server.compat.paddlex.request import (
    LONGEST_LOG_ID,
    refuse_formats,
    refuse_unknown,
)
from pagetide.server.compat.paddlex.restructure import BLOCKS, DEEPEST, OCR, Box, Lines
from pagetide.system.ready_types import ready

MOST_BYTES = 64 << 20
MOST_PAGE_BYTES = 8 << 20
MOST_PAGES = 5000
MOST_BLOCKS = 200_000
MOST_NAMES = 2_000_000  # in memory each is far larger than in the body
_NULL = b"null"


class _Block(Struct, frozen=True):
    """What is worked on of a block; it may have more."""

    block_label: str
    block_content: str
    block_bbox: Box
    block_id: int | UnsetType | None = UNSET
    group_id: int | UnsetType | None = UNSET
    title_level: Annotated[int, Meta(ge=1, le=DEEPEST)] | UnsetType = UNSET


class GivenPage(Struct, frozen=True, kw_only=True, rename="camel"):
    """A page as an answer had it, and the pictures of its Markdown."""

    pruned_result: Raw
    markdown_images: dict[str, str] | None = None


class RestructureRequest(Struct, frozen=True, kw_only=True, rename="camel"):
    """What is asked of `/restructure-pages`."""

    pages: Annotated[tuple[GivenPage, ...], Meta(min_length=1, max_length=MOST_PAGES)]
    log_id: Annotated[str, Meta(max_length=LONGEST_LOG_ID)] = ""
    merge_tables: bool = True
    relevel_titles: bool = True
    concatenate_pages: bool = False
    prettify_markdown: bool = True
    show_formula_number: bool = False
    return_markdown_images: bool = True
    output_formats: tuple[str, ...] = ()


def restructure_request(body: bytes, log_as: Callable[[object], None]) -> RestructureRequest:
    """What is asked for.

    Args:
        body: JSON.
        log_as: Remembers the log id, for an error.

    Raises:
        BadInput: It is not JSON, or has too many names in it.
        BadOption: An option is unknown or not valid.
    """
    given = _named(body)
    log_as(_text(given.get("logId")))
    refuse_unknown(given, set(RestructureRequest.__struct_encode_fields__))
    try:
        request = msgspec.json.decode(
            msgspec.json.encode(given), type=ready(RestructureRequest)
        )
    except msgspec.ValidationError as error:
        raise field_error(error) from None
    except RecursionError:
        raise BadInput("The JSON is nested too deep.") from None
    refuse_formats(request.output_formats)
    return request


def results_of(request: RestructureRequest) -> list[Json]:
    """The pages' results, their blocks parsed.

    Raises:
        BadOption: A page is not as an answer had it.
    """
    found, blocks = [], 0
    for page in request.pages:
        found.append(_result(page.pruned_result))
        blocks += len(found[-1][BLOCKS])
        if blocks > MOST_BLOCKS:
            raise BadOption(f"`pages` have more than {MOST_BLOCKS} blocks.")
    return found


def _named(body: bytes) -> dict[str, Raw]:
    """The options of a body; those that are null are not given."""
    if body.count(b":") > MOST_NAMES:
        raise BadInput(f"The JSON has more than {MOST_NAMES} names in it.")
    try:
        body.decode()
        given = msgspec.json.decode(body, type=dict[str, Raw])
    except msgspec.ValidationError:
        raise BadOption("The body must be a JSON object.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadInput("The body is not JSON.") from None
    return {name: value for name, value in given.items() if memoryview(value) != _NULL}


def _text(value: Raw | None) -> object:
    with suppress(msgspec.ValidationError):
        return None if value is None else msgspec.json.decode(value, type=str)
    return None


def _result(raw: Raw) -> Json:
    if memoryview(raw).nbytes > MOST_PAGE_BYTES:
        raise BadOption(f"`pages` have one with more than {MOST_PAGE_BYTES} bytes.")
    try:
        page: Json = dict(msgspec.json.decode(raw, type=dict[str, Raw]))
        msgspec.json.decode(page.get(OCR, b"{}"), type=ready(Lines))
        known = msgspec.json.decode(page[BLOCKS], type=ready(tuple[_Block, ...]))
        every = msgspec.json.decode(page[BLOCKS], type=tuple[dict[str, Raw], ...])
    except (msgspec.ValidationError, KeyError, RecursionError):
        raise BadOption(
            "`pages` must hold each `prunedResult` as an answer of /layout-parsing had it."
        ) from None
    pairs = zip(every, known, strict=True)
    return page | {BLOCKS: [block | msgspec.to_builtins(found) for block, found in pairs]}
