"""What a request to restructure pages asks for, checked."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from starlette.requests import Request

from pagetide.api.context import call
from pagetide.api.facades.paddle_results import Json
from pagetide.api.facades.paddlex.asked import (
    LONGEST_LOG_ID,
    given_of,
    refuse_formats,
    refuse_unknown,
)
from pagetide.api.facades.paddlex.envelope import log_as
from pagetide.api.facades.paddlex.restructure import BLOCKS
from pagetide.api.job_form import field_error
from pagetide.api.uploads import chunks
from pagetide.errors import BadInput, BadOption

MOST_BYTES = 64 << 20
MOST_PAGES = 5000
Number = Annotated[float, Meta(ge=-1e6, le=1e6)]
Box = tuple[Number, Number, Number, Number]


class _Block(Struct, frozen=True):
    """What must be in a block; it may have more."""

    block_label: str
    block_content: str
    block_bbox: Box


class _Lines(Struct, frozen=True):
    rec_boxes: tuple[Box, ...] = ()


class _Result(Struct, frozen=True):
    parsing_res_list: tuple[_Block, ...]
    overall_ocr_res: _Lines = _Lines()


class GivenPage(Struct, frozen=True, kw_only=True, rename="camel"):
    """A page as an answer had it, and the pictures of its Markdown."""

    pruned_result: Json
    markdown_images: dict[str, str] | None = None


class PagesAsked(Struct, frozen=True, kw_only=True, rename="camel"):
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


async def pages_asked(request: Request) -> PagesAsked:
    """What is asked for; the body may have 64 MiB, and no document in it.

    Raises:
        BadInput: It is not JSON.
        BadOption: An option is unknown or not valid, or a page is not as an answer had it.
        TooLarge: It is larger than allowed.
    """
    body = b"".join([chunk async for chunk in chunks(request, MOST_BYTES)])
    given = await call(_decoded, body)
    log_as(request, str(given.get("logId", "")))
    refuse_unknown(given, set(PagesAsked.__struct_encode_fields__))
    asked = await call(_converted, given)
    refuse_formats(asked.output_formats)
    return asked


def _decoded(body: bytes) -> dict[str, object]:
    try:
        return given_of(msgspec.json.decode(body))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadInput("The body is not JSON.") from None


def _converted(given: dict[str, object]) -> PagesAsked:
    try:
        asked = msgspec.convert(given, PagesAsked)
        for page in asked.pages:
            msgspec.convert(page.pruned_result, _Result)
    except msgspec.ValidationError as error:
        if BLOCKS in str(error) or "overall_ocr_res" in str(error):
            raise BadOption(
                "`pages` must hold each `prunedResult` as an answer of /layout-parsing had it."
            ) from None
        raise field_error(error) from None
    return asked
