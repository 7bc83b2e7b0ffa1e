"""A document as hOCR: XHTML with the position of each area, line and word in its title.

Source: the hOCR 1.2 specification, https://kba.github.io/hocr-spec/1.2/
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from importlib.metadata import version

from pagetide.document import Block, Document, Line, Page, Word
from pagetide.exports.text.markup import escaped
from pagetide.geometry import Box, Polygon, box_of, union
from pagetide.layout.words import spaced_words


def write(document: Document) -> str:
    """The document as one XHTML file; a page that could not be read is an empty page.

    Coordinates are whole pixels of the page as displayed. A line that does not run from left to
    right has a `textangle`, a slightly sloping one a `baseline`.
    """
    body = "\n".join(part for page in document.pages for part in _page(page, document))
    capabilities = "ocr_page ocr_carea ocr_par ocr_line ocrx_word"
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" \
"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml">
<head>
<title>{escaped(document.source.name)}</title>
<meta http-equiv="Content-Type" content="text/html;charset=utf-8"/>
<meta name="ocr-system" content="pagetide {version("pagetide")}"/>
<meta name="ocr-capabilities" content="{capabilities}"/>
<meta name="ocr-number-of-pages" content="{len(document.pages)}"/>
</head>
<body>
{body}
</body>
</html>
"""


def _page(page: Page, document: Document) -> Iterator[str]:
    name = escaped(document.source.name.replace('"', "'"))
    title = (
        f"image &quot;{name}&quot;; bbox 0 0 {page.width} {page.height};"
        f" ppageno {page.number - 1}; scan_res {page.dpi:g} {page.dpi:g}"
    )
    yield f'<div class="ocr_page" id="page_{page.number}" title="{title}">'
    if page.error:
        yield f"<!-- not read: {page.error.code} -->"
    for block in page.blocks:
        lines = [(index, page.lines[index]) for index in block.line_indexes]
        yield from _area(page, f"{block.order}", box_of(block.polygon), lines, block)
    owned = {index for block in page.blocks for index in block.line_indexes}
    loose = [(i, line) for i, line in enumerate(page.lines) if i not in owned]
    if loose:
        box = union(box_of(line.polygon) for _, line in loose)
        yield from _area(page, "loose", box, loose, None)
    yield "</div>"


def _area(
    page: Page, name: str, box: Box, lines: list[tuple[int, Line]], block: Block | None
) -> Iterator[str]:
    kind = f' data-kind="{block.kind}"' if block else ""
    place = f'title="{_bbox(box)}"'
    yield f'<div class="ocr_carea" id="block_{page.number}_{name}" {place}{kind}>'
    if lines:
        yield f'<p class="ocr_par" id="par_{page.number}_{name}" {place}>'
        for index, line in lines:
            yield from _line(f"{page.number}_{index}", line)
        yield "</p>"
    yield "</div>"


def _line(name: str, line: Line) -> Iterator[str]:
    title = "; ".join([_bbox(box_of(line.polygon)), *_slant(line.polygon)])
    yield f'<span class="ocr_line" id="line_{name}" title="{title}">'
    yield "".join(_words(name, spaced_words(line)))
    yield "</span>"


def _words(name: str, words: Iterable[tuple[Word, bool]]) -> Iterator[str]:
    for number, (word, is_spaced) in enumerate(words):
        title = _bbox(box_of(word.polygon))
        if word.confidence is not None:
            title += f"; x_wconf {round(word.confidence * 100)}"
        yield (
            f'<span class="ocrx_word" id="word_{name}_{number}" title="{title}">'
            f"{escaped(word.text)}</span>{' ' if is_spaced else ''}"
        )


def _slant(polygon: Polygon) -> Iterator[str]:
    """The line's direction and its baseline, as far as its polygon shows them."""
    (x0, y0), (x1, y1) = polygon[:2]
    angle = math.degrees(math.atan2(y0 - y1, x1 - x0))  # counter-clockwise, as in hOCR
    if abs(angle) > 45:
        yield f"textangle {round(angle % 360) % 360}"
    elif len(polygon) == 4 and x1 > x0:
        (right_x, right_y), (left_x, left_y) = polygon[2:]
        left, _, _, bottom = box_of(polygon)
        slope = (right_y - left_y) / max(right_x - left_x, 1.0)
        offset = left_y - bottom - slope * (left_x - left)
        yield f"baseline {slope:.4g} {round(offset)}"
    yield f"x_size {math.dist(polygon[1], polygon[2]):.4g}"


def _bbox(box: Box) -> str:
    left, top, right, bottom = box
    return f"bbox {math.floor(left)} {math.floor(top)} {math.ceil(right)} {math.ceil(bottom)}"
