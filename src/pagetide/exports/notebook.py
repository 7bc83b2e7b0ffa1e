"""What a notebook shows of a document: its pages with what was found on them, and its tables.

Nothing in it runs or fetches anything, and every text of the document is escaped.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence

from pagetide.document import Block, Page
from pagetide.exports.overlay import colour_of
from pagetide.exports.text.markup import escaped, table
from pagetide.geometry import Polygon, box_of

MOST_PAGES = 4  # a notebook keeps what it shows
_WIDTH = 420  # of a page, in pixels of the screen
_AROUND = "display:inline-block; vertical-align:top; margin:0 1em 1em 0"


def write(
    summary: str, pages: Sequence[Page], picture_of: Callable[[Page], bytes | None]
) -> str:
    """HTML: the summary, then each of the first pages with its tables beside it.

    Args:
        summary: One line.
        pages: All of them.
        picture_of: A page's picture as JPEG; None where it cannot be had: the lines' texts
            stand in its place then.
    """
    shown = "".join(_page(page, picture_of(page)) for page in pages[:MOST_PAGES])
    more = len(pages) - MOST_PAGES
    rest = f"<p>… and {more} more: look at <code>pages[{MOST_PAGES}]</code> on.</p>"
    return f"<div><p><b>{escaped(summary)}</b></p>{shown}{rest if more > 0 else ''}</div>"


def _page(page: Page, picture: bytes | None) -> str:
    if page.error:
        reason = escaped(page.error.message)
        return f"<p>Page {page.number} could not be read: {reason}</p>"
    tables = "".join(f"<div>{table(each)}</div>" for each in page.tables)
    beside = f'<div style="{_AROUND}">{tables}</div>' if tables else ""
    return f'<div><div style="{_AROUND}">{_drawing(page, picture)}</div>{beside}</div>'


def _drawing(page: Page, picture: bytes | None) -> str:
    """The page as SVG: its picture or its texts, and its blocks over that."""
    inside = _image(page, picture) if picture else "".join(_texts(page))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}"'
        f' viewBox="0 0 {page.width} {page.height}" role="img"'
        f' aria-label="Page {page.number}" style="border:1px solid #aaa; background:#fff">'
        f"{inside}{''.join(map(_area, page.blocks))}</svg>"
    )


def _image(page: Page, picture: bytes) -> str:
    encoded = base64.b64encode(picture).decode()
    size = f'width="{page.width}" height="{page.height}"'
    return f'<image {size} href="data:image/jpeg;base64,{encoded}"/>'


def _texts(page: Page) -> Iterator[str]:
    """Each line, as wide and high as it is on the page."""
    for line in page.lines:
        left, top, right, bottom = box_of(line.polygon)
        yield (
            f'<text x="{left:.1f}" y="{bottom - (bottom - top) / 4:.1f}" fill="#222"'
            f' font-size="{(bottom - top) * 0.8:.1f}" textLength="{right - left:.1f}"'
            f' lengthAdjust="spacingAndGlyphs">{escaped(line.text)}</text>'
        )


def _area(block: Block) -> str:
    colour = "#{:02x}{:02x}{:02x}".format(*colour_of(block.kind))
    title = escaped(f"{block.order} {block.kind}: {block.text[:200]}")
    return (
        f'<polygon points="{_points(block.polygon)}" fill="{colour}" fill-opacity="0.08"'
        f' stroke="{colour}" stroke-width="3"><title>{title}</title></polygon>'
    )


def _points(polygon: Polygon) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in polygon)
