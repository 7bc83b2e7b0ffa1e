"""Pages made one document: tables that go on overleaf, the levels of titles, one Markdown.

It works on `prunedResult`s as answers had them, and needs nothing else: so a client may send
those that it was given before.
"""

from __future__ import annotations

import bisect
import re
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Annotated
from urllib.parse import quote

import msgspec
from msgspec import Meta, Struct

from pagetide.exports.text.markdown import escape, escape_within
from pagetide.exports.text.markup import comment, escaped
from pagetide.server.compat.paddle_results import Json
from pagetide.system.ready_types import ready

BLOCKS, OCR, LINES = "parsing_res_list", "overall_ocr_res", "rec_boxes"
_ASIDE = frozenset(
    (
        *("header", "header_image", "footer", "footer_image", "number"),
        *("footnote", "vision_footnote", "aside_text"),
    )
)
_PICTURES = frozenset({"image", "chart", "seal"})
# What is handled here comes from clients: none of these looks at a letter again and again.
_ROW_ENDS = re.compile(r"(?:<(/?)tr\b[^<>]*>)", re.IGNORECASE)
_CELL = re.compile(r"<t[dh]\b([^<>]*)>", re.IGNORECASE)
_SPAN = re.compile(r"""colspan\s*=\s*["']?(\d{1,3})""", re.IGNORECASE)
_TABLE_ENDS = re.compile(r"</(?:tbody|table)\b[^<>]*>", re.IGNORECASE)
_WRAPPING = re.compile(r"</?(?:html|body)\b[^<>]*>", re.IGNORECASE)
_PICTURE = re.compile(r"-b(\d{1,9})\.|_(\d{1,7}_\d{1,7}_\d{1,7}_\d{1,7})\.")
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3})*)\.?\s+\S")
_SMALLER, _AS_WIDE = 0.88, 0.1
DEEPEST = 6
_MOST_LINES = 50  # of one title

Number = Annotated[int, Meta(ge=-(10**6), le=10**6)] | Annotated[float, Meta(ge=-1e6, le=1e6)]
Box = tuple[Number, Number, Number, Number]


class Lines(Struct, frozen=True):
    """Where a page's lines are; the rest of `overall_ocr_res` is not looked at."""

    rec_boxes: tuple[Box, ...] = ()


def restructured(
    pages: Sequence[Json], *, merge_tables: bool, relevel_titles: bool
) -> list[Json]:
    """The pages again, with what is known only from all of them together.

    Args:
        pages: As an answer has them, or as `restructure_request.results_of` gives them; they
            stay as they are.
        merge_tables: A table at the top of a page goes on with the one at the end of the page
            before, where both have as many columns and are as wide; a repeated head is left
            out. The first then has all rows; the other is empty and has its `group_id`.
        relevel_titles: Every section's title gets a `title_level` from 2 to 6: by its number
            (`2.1`), else by how large it is among all. The document's title has 1.
    """
    found = [page | {BLOCKS: [dict(block) for block in page[BLOCKS]]} for page in pages]
    if merge_tables:
        _merge_tables(found)
    if relevel_titles:
        _relevel(found)
    return found


def concatenated(pages: Sequence[Json]) -> Json:
    """All pages as one: its blocks are numbered through, and each has a `page_number`."""
    blocks = [
        block | {"page_number": number}
        for number, page in enumerate(pages, 1)
        for block in page[BLOCKS]
    ]
    numbered = [block | {"block_id": i} for i, block in enumerate(blocks)]
    return pages[0] | {
        "page_count": len(pages),
        BLOCKS: numbered,
        "layout_det_res": [page.get("layout_det_res") for page in pages],
    }


def markdown(
    page: Json, images: Mapping[str, str], *, pretty: bool, ignored: Set[str] = frozenset()
) -> str:
    """A page's blocks as Markdown.

    Args:
        page: Its `prunedResult`.
        images: Its pictures, by name; others are not linked to.
        pretty: Whether pictures are written in HTML, or in Markdown.
        ignored: Labels that are left out.
    """
    pictures = _by_mark(images)
    parts = [
        _block_markdown(block, pictures, pretty)
        for block in page[BLOCKS]
        if block["block_label"] not in ignored
    ]
    return "\n\n".join(part for part in parts if part)


def shown(name: str, what: str) -> str:
    """A picture in HTML, as `markdown_of` has it."""
    return f'<img src="{escaped(name)}" alt="{what}" />'


def linked(name: str) -> str:
    """A picture in Markdown."""
    return f"![]({quote(name, safe='/')})"


def _block_markdown(block: Json, pictures: Mapping[str, str], pretty: bool) -> str:
    label, text = block["block_label"], str(block["block_content"])
    picture = _picture(block, pictures) if label in _PICTURES else None
    if picture is not None:
        picture_text = shown(picture, label) if pretty else linked(picture)
        return f"{picture_text}\n\n{escape(text)}".strip()
    if not text.strip():
        return ""
    if label in ("doc_title", "paragraph_title"):
        level = block.get("title_level", 1 if label == "doc_title" else 2)
        return f"{'#' * level} {escape_within(text)}"
    return _plain(label, text)


def _plain(label: str, text: str) -> str:
    if label in _ASIDE:
        return comment(f"{label}: {text}")
    if label == "table" and next(_rows(text), ""):
        return _WRAPPING.sub("", text)
    if "formula" in label and "$$" in text:
        return text.strip()
    if label == "figure_title":
        return f"*{escape(text)}*"
    return escape(text)


def _by_mark(names: Iterable[str]) -> dict[str, str]:
    """Names of pictures, by the number or the place in them."""
    found = ((_PICTURE.search(name), name) for name in names)
    return {mark[1] or mark[2]: name for mark, name in found if mark}


def _picture(block: Json, pictures: Mapping[str, str]) -> str | None:
    """Which of a page's pictures is the block's."""
    place = "_".join(str(round(number)) for number in block["block_bbox"])
    return pictures.get(str(block.get("block_id"))) or pictures.get(place)


def _merge_tables(pages: Sequence[Json]) -> None:
    """Put the rows of tables that go on into the tables that they go on with."""
    groups: list[list[Json]] = [[]]
    for page in pages:
        body = [block for block in page[BLOCKS] if block["block_label"] not in _ASIDE]
        if body and groups[-1] and _goes_on(groups[-1][-1], body[0]):
            groups[-1].append(body[0])
            del body[0]
            if not body:
                continue
        groups.append(body[-1:] if body and body[-1]["block_label"] == "table" else [])
    for group in groups:
        if len(group) > 1:
            _join(group)


def _goes_on(before: Json, block: Json) -> bool:
    if block["block_label"] != "table":
        return False
    columns, more = _columns(before["block_content"]), _columns(block["block_content"])
    wide, other = _width(before), _width(block)
    return 0 < columns == more and abs(wide - other) <= _AS_WIDE * max(wide, other)


def _join(group: Sequence[Json]) -> None:
    """Put all rows of some tables into the first."""
    first, *others = group
    text = first["block_content"]
    head, added = next(_rows(text)), []
    for other in others:
        rows = list(_rows(other["block_content"]))
        added += rows[1:] if len(rows) > 1 and rows[0] == head else rows
        other["block_content"] = ""
        other["group_id"] = first.get("group_id", first.get("block_id"))
    place = next((end.start() for end in _TABLE_ENDS.finditer(text)), len(text))
    first["block_content"] = text[:place] + "".join(added) + text[place:]


def _rows(html: str) -> Iterator[str]:
    """Each row of a table, with its tags."""
    start = None
    for tag in _ROW_ENDS.finditer(html):
        if not tag[1]:
            start = tag.start()
        elif start is not None:
            yield html[start : tag.end()]
            start = None


def _columns(html: str) -> int:
    """Of the first row; 0 where it is no table."""
    cells = _CELL.findall(next(_rows(html), ""))
    spans = [_SPAN.search(attributes) for attributes in cells]
    return sum(int(span[1]) if span else 1 for span in spans)


def _width(block: Json) -> float:
    left, _, right, _ = block["block_bbox"]
    return float(right - left)


def _relevel(pages: Sequence[Json]) -> None:
    found = [(block, height) for page in pages for block, height in _titles(page)]
    levels = _by_size([height for _, height in found])
    for (block, _), level in zip(found, levels, strict=True):
        number = _NUMBERED.match(block["block_content"])
        depth = number[1].count(".") + 2 if number else level
        block["title_level"] = min(depth, DEEPEST)
    for page in pages:
        for block in page[BLOCKS]:
            if block["block_label"] == "doc_title":
                block["title_level"] = 1


def _by_size(heights: Sequence[float]) -> Iterator[int]:
    """A level for each height: the largest has 2, and each clearly smaller size one more."""
    sizes: list[float] = []
    for height in sorted(set(heights), reverse=True):
        if not sizes or height < _SMALLER * sizes[-1]:
            sizes.append(height)
    for height in heights:
        yield 2 + sum(height < _SMALLER * size for size in sizes[:DEEPEST])


def _titles(page: Json) -> Iterator[tuple[Json, float]]:
    """The page's section titles, and how high the letters of each are."""
    ocr = page.get(OCR, {})
    parsed = isinstance(ocr, dict)
    found = (
        msgspec.convert(ocr, ready(Lines))
        if parsed
        else msgspec.json.decode(ocr, type=ready(Lines))
    )
    lines = sorted(((box[1] + box[3]) / 2, box) for box in found.rec_boxes)
    for block in page[BLOCKS]:
        if block["block_label"] == "paragraph_title":
            yield block, _height(block, lines)


def _height(block: Json, lines: Sequence[tuple[float, tuple[float, ...]]]) -> float:
    """That of its lines, else its own over its lines' number."""
    left, top, right, bottom = block["block_bbox"]
    place = bisect.bisect_left(lines, (top,))
    inside = [
        abs(box[3] - box[1])
        for middle, box in lines[place : place + _MOST_LINES]
        if middle <= bottom and left <= (box[0] + box[2]) / 2 <= right
    ]
    if inside:
        return float(statistics.median(inside))
    return abs(float(bottom - top)) / max(1, len(block["block_content"].splitlines()))
