"""A document as Markdown (CommonMark with pipe tables and `$$` formulas)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pagetide.document import Block, BlockKind, Document, LineBreaks, Notice, Page, Table
from pagetide.exports.figures import has_picture, link_to
from pagetide.exports.flow import FIGURES, Piece, loose_lines, pieces
from pagetide.exports.tables.cells import grid, header_rows, tidy
from pagetide.exports.tables.joined_tables import joined
from pagetide.exports.text import inline, linked, lists, markup
from pagetide.exports.text.inline_marks import unmarked
from pagetide.exports.text.inline_written import markdown_of
from pagetide.exports.text.markup import comment
from pagetide.exports.text.reflow import reflowed
from pagetide.exports.text.reflow.over_pages import further_parts, joined_over_pages
from pagetide.layout.words import as_one

_SPECIAL = re.compile(r"([\\`*_\[\]<|~$]|&(?=#?\w+;))")
# The start of a heading, a list, a quote or a rule, but only at the start of a line.
_AT_START = re.compile(r"^(#|\+|-|=|>|:|\d+(?=[.)]))")
_CLOSING = re.compile(r"(#+)$")  # a heading's closing sequence, which would be left out
# Kept, but out of the text: nobody reads them in the middle of a sentence.
_ASIDE: frozenset[BlockKind] = frozenset({"header", "footer", "page_number"})
_BREAK = "  \n"  # a line break that CommonMark shows
_FENCE = re.compile(r"`{3,}")
# Without formulas, the content of one must not become a tag or a link.
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def write(
    document: Document,
    figures: str | None = None,
    line_breaks: LineBreaks = "join",
    *,
    html_tables: bool = False,
) -> str:
    """The text with headings, lists, tables, formulas, links, styles; comments name pages.

    A page that could not be read is reported in its place. Page headers, footers and numbers
    are comments, and so is every warning, and a figure's place.

    Args:
        document: As read.
        figures: The location of figures' pictures, as an address that a file name completes;
            None makes no links.
        line_breaks: Whether a paragraph's rows are joined; see `reflow`.
        html_tables: Whether every table is HTML, not only those that pipes cannot hold.
    """
    source, document = document, reflowed(document, line_breaks)
    document = joined(inline.marked(document, without=_ASIDE), marked=True)
    further = further_parts(document, line_breaks)
    document = joined_over_pages(document, source, further, marked=True)
    parts, aims = [*_warnings(document.warnings)], linked.aims(document)
    for page in document.pages:
        head, *body = _page(page, figures, html_tables)
        parts.append(head + f'<a id="page-{page.number}"></a>' * (page.number in aims))
        parts += markdown_of(body, page)
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    """Text that Markdown shows unchanged.

    A backslash precedes whatever would be read as markup; white space is made plain, since some
    of it would be markup that no backslash undoes.
    """
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(_escape_line(line) for line in lines if line)


def escape_within(text: str) -> str:
    """Text on one line that Markdown shows unchanged, if no line starts with it."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def table(whole: Table) -> str:
    """A pipe table if that holds all of it; otherwise HTML, which Markdown allows.

    Pipe tables have one header row and no spans. If no cell is known to be a header, the header
    row is left empty.
    """
    whole = tidy(whole)
    head = header_rows(whole)
    headers = sum(cell.header for cell in whole.cells if cell.row >= head)
    spans = any(cell.row_span > 1 or cell.column_span > 1 for cell in whole.cells)
    if spans or headers or head > 1:
        return markup.table(whole)
    rows = [[_cell_text(text) for text in row] for row in grid(whole)]
    if not head:
        rows.insert(0, [""] * whole.columns)
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * whole.columns, *lines[1:]])


def _escape_line(line: str) -> str:
    line = _SPECIAL.sub(r"\\\1", line)
    found = _AT_START.match(line)
    if not found:
        return line
    end = found.end()
    return line[:end] + "\\" + line[end:] if line[0].isdecimal() else "\\" + line


def _page(page: Page, figures: str | None, html_tables: bool) -> Iterator[str]:
    yield comment(f"page {page.number}")
    if page.error:
        yield f"> **Page {page.number} could not be read:** {escape(page.error.message)}"
    yield from _warnings(page.warnings)
    if page.lines_left_out:
        yield comment(f"lines left out: {page.lines_left_out}")
    for piece in pieces(page):
        yield from (_text(page, caption) for caption in piece.above if caption.text.strip())
        yield from _block(page, piece, figures, html_tables)
        yield from (_text(page, caption) for caption in piece.below if caption.text.strip())
        yield from _warnings(piece.notices)
    yield from (escape(text) for text in loose_lines(page))


def _warnings(notices: Sequence[Notice]) -> Iterator[str]:
    for notice in notices:
        yield comment(f"warning {notice.code}: {notice.message}")


def _block(page: Page, piece: Piece, figures: str | None, html_tables: bool) -> Iterator[str]:
    block = piece.block
    if block.kind in FIGURES:
        yield _placeholder(page, block, figures)
    if block.table and block.table.cells:
        yield markup.table(block.table) if html_tables else table(block.table)
        yield from map(escape, piece.beside)
    elif block.kind == "table" and (before := block.continued_from):
        yield comment(f"the table goes on from page {before.page}")
    elif text := block.text.strip() and _text(page, block):
        yield text


def _text(page: Page, block: Block) -> str:
    """A block's text, if it has any; see `write`."""
    kind = block.kind
    if kind in ("title", "heading"):
        mark = "#" * (1 if kind == "title" else min((block.level or 1) + 1, 6))
        line = escape_within(as_one(block.text.split("\n")))
        return f"{mark} {_CLOSING.sub(_guarded, line)}"
    if kind == "list":
        return "\n".join(_items(lists.items(page, block)))
    if kind in ("code", "table"):  # this keeps the columns of a table without cells
        return _fenced(unmarked(block.text))
    if kind == "formula":
        return f"$$ {_formula(block.text)} $$"
    if kind in FIGURES:
        return _BREAK.join(f"> {line}" for line in escape(block.text).split("\n"))
    if kind in _ASIDE:
        return comment(f"{kind.replace('_', ' ')}: {block.text}")
    return _broken(block.text)


def _broken(text: str) -> str:
    """Escaped text whose lines, if they are kept, stay lines where Markdown is shown."""
    return escape(text).replace("\n", _BREAK)


def _guarded(closing: re.Match[str]) -> str:
    return f"\\{closing[1]}"


def _placeholder(page: Page, block: Block, figures: str | None) -> str:
    if figures is None or not has_picture(page, block):
        return comment(f"{block.kind}: page {page.number}, block {block.order}")
    return f"![{block.kind} on page {page.number}]({link_to(figures, page, block)})"


def _fenced(text: str) -> str:
    fence = "`" * max([3, *(len(run) + 1 for run in _FENCE.findall(text))])
    return f"{fence}\n{text}\n{fence}"


def _formula(text: str) -> str:
    """LaTeX on one line, so that it cannot end the formula or start a list."""
    line = _TAG.sub("< ", " ".join(text.split()))
    return line.replace("](", "] (").replace("][", "] [").replace("$$", "$ $")


def _items(siblings: Sequence[lists.Item]) -> Iterator[str]:
    """Items and their nested items, each line indented for Markdown."""
    before: int | None = None
    for run in lists.runs(siblings):
        if before is not None and run[0].number is not None:
            yield "\n<!-- -->\n"  # otherwise the numbers of the run before would continue
        for item in run:
            mark = "- " if item.number is None else f"{item.number}. "
            first, *rest = _item_lines(item)
            yield (mark + first).rstrip()
            indent = " " * len(mark)
            yield from (f"{indent}{line}" if line.strip() else line for line in rest)
        before = run[-1].number


def _item_lines(item: lists.Item) -> Iterator[str]:
    lines = [line for line in item.lines if line.strip()] or [""]
    # The mark before the first line is ours, but the text after it may start with a mark again.
    yield from (escape(line) for line in lines)
    if item.below and item.below[0].number not in (None, 1):
        yield ""  # a list that does not start with 1 needs one before it
    for part in _items(item.below):
        yield from part.split("\n")


def _cell_text(text: str) -> str:
    lines = map(markup.without_leader, text.split("\n"))
    return "<br>".join(escape_within(line) for line in lines if line.strip())
