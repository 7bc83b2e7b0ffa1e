"""A document as one self-contained HTML page: no script, no other host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from urllib.parse import urlsplit

from pagetide.document import Block, BlockKind, Document, LineBreaks, Notice, Page
from pagetide.errors import UnknownLanguage
from pagetide.exports.figures import has_picture, link_to
from pagetide.exports.flow import FIGURES, Piece, loose_lines, pieces
from pagetide.exports.tables.joined_tables import joined
from pagetide.exports.text import inline, lists, markup
from pagetide.exports.text.inline_written import html_of
from pagetide.exports.text.markup import broken_lines, escaped
from pagetide.exports.text.reflow import reflowed
from pagetide.exports.text.reflow.over_pages import further_parts, joined_over_pages
from pagetide.languages import AUTO, find

# `plaintext` gives each paragraph the direction of its letters; a table's columns run as on the
# page, from left to right, whatever the script.
_STYLE = """\
body { margin: 0 auto; max-width: 48rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif }
h1, h2, h3, h4, h5, h6, p, li, td, th, caption, figcaption, small { unicode-bidi: plaintext }
section { border-top: 1px solid #aaa; margin-top: 2rem }
h2 { font-size: 0.9rem; font-weight: normal }
h2 a { color: #666; text-decoration: none }
h3 { font-size: 1.6rem } h4 { font-size: 1.3rem } h5, h6 { font-size: 1.1rem }
table { border-collapse: collapse; direction: ltr; margin: 1rem 0 }
td, th { border: 1px solid #aaa; padding: 0.2rem 0.5rem; vertical-align: top }
th { background: #f4f4f4 }
caption, figcaption, .caption { color: #444; font-size: 0.9rem; text-align: start }
pre { overflow-x: auto; background: #f4f4f4; padding: 0.5rem; direction: ltr }
code.formula { direction: ltr; unicode-bidi: isolate }
aside { border-inline-start: 3px solid #aaa; padding-inline-start: 1rem }
figure { margin: 1rem 0; border: 1px dashed #aaa; padding: 0.5rem }
figure [role="img"]::before { content: attr(aria-label); color: #888; font-size: 0.9rem }
img { max-width: 100% }
.error { border-inline-start: 4px solid #b00; padding-inline-start: 0.5rem }
.notice { border-inline-start: 4px solid #c80; padding-inline-start: 0.5rem }"""
# The browser must fetch and run nothing, whatever a document holds.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
# Opening and closing tags of a block's text; the document's name is h1 and a page's number h2.
_AROUND: dict[BlockKind, tuple[str, str]] = {
    "title": ("<h3>", "</h3>"),
    "formula": ('<p><code class="formula">', "</code></p>"),
    "header": ("<header><small>", "</small></header>"),
    "footer": ("<footer><small>", "</small></footer>"),
    "page_number": ("<footer><small>", "</small></footer>"),
    "footnote": ('<p role="doc-footnote"><small>', "</small></p>"),
    "aside": ("<aside><p>", "</p></aside>"),
    "caption": ('<p class="caption">', "</p>"),
    "toc": ('<p class="toc">', "</p>"),
    "reference": ('<p class="reference">', "</p>"),
}


def write(
    document: Document, figures: str | None = None, line_breaks: LineBreaks = "join"
) -> str:
    """The document as one HTML file: a section for each page, blocks in reading order.

    A page that could not be read is reported in its place, and so is every warning. The file is
    displayed without running or fetching anything except figures' pictures, if requested.

    Args:
        document: As read.
        figures: The location of figures' pictures, as an address that a file name completes;
            None makes no links.
        line_breaks: Whether a paragraph's rows are joined; see `reflow`.
    """
    source, document = document, reflowed(document, line_breaks)
    document = joined(inline.marked(document), marked=True)
    further = further_parts(document, line_breaks)
    document = joined_over_pages(document, source, further, marked=True)
    name = escaped(document.source.name) or "Document"
    parts = [f"<h1>{name}</h1>", *_notices(document.warnings)]
    for page in document.pages:
        parts += html_of(_page(page, figures), page)
    body = "\n".join(parts)
    return f"""<!doctype html>
<html{_language(document.model.language)}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy(figures)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="pagetide {version("pagetide")}">
<title>{name}</title>
<style>
{_STYLE}
</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def _policy(figures: str | None) -> str:
    """What the browser may fetch: nothing, or pictures from the figures' location."""
    if figures is None:
        return _POLICY
    place = urlsplit(figures)
    where = escaped(f"{place.scheme}://{place.netloc}") if place.netloc else "'self' file:"
    return f"{_POLICY}; img-src {where}"


def _language(code: str) -> str:
    """The attributes `lang` and `dir`, if a language was requested."""
    try:
        language = find(code)
    except UnknownLanguage:
        return ""
    if language.code == AUTO:
        return ""
    direction = "rtl" if language.script == "Arabic" else "ltr"
    return f' lang="{escaped(language.tag)}" dir="{direction}"'


def _page(page: Page, figures: str | None) -> Iterator[str]:
    name = f"page-{page.number}"
    yield f'<section id="{name}" aria-labelledby="{name}-head">'
    yield f'<h2 id="{name}-head"><a href="#{name}">Page {page.number}</a></h2>'
    if page.error:
        reason = escaped(page.error.message)
        yield f'<p class="error">Page {page.number} could not be read: {reason}</p>'
    yield from _notices(page.warnings)
    if page.lines_left_out:
        yield f'<p class="notice">Lines left out: {page.lines_left_out}.</p>'
    for piece in pieces(page):
        yield from _piece(page, piece, figures)
    yield from (f"<p>{escaped(text)}</p>" for text in loose_lines(page))
    yield "</section>"


def _notices(notices: Sequence[Notice]) -> Iterator[str]:
    for notice in notices:
        yield f'<p class="notice">{escaped(notice.message)}</p>'


def _piece(page: Page, piece: Piece, figures: str | None) -> Iterator[str]:
    block = piece.block
    if block.kind == "table" and block.table and block.table.cells:
        captions = [*piece.above, *piece.below]
        lines = [text for each in captions if (text := broken_lines(each.text))]
        yield markup.table(block.table, "<br>\n".join(lines))
    elif block.kind in FIGURES or piece.above or piece.below:
        inner = [*map(_caption, piece.above), *_figure(page, block, figures)]
        yield f"<figure>{''.join([*inner, *map(_caption, piece.below)])}</figure>"
    elif block.text.strip():
        yield _content(page, block)
    yield from (f"<p>{escaped(text)}</p>" for text in piece.beside)
    yield from _notices(piece.notices)


def _caption(block: Block) -> str:
    return f"<figcaption>{broken_lines(block.text)}</figcaption>"


def _figure(page: Page, block: Block, figures: str | None) -> Iterator[str]:
    """A figure's picture, or its place; and the text in it."""
    label = f"{block.kind} on page {page.number}"
    has_table = block.table is not None and bool(block.table.cells)
    if figures is not None and has_picture(page, block):
        address = escaped(link_to(figures, page, block))
        yield f'<a href="{address}"><img src="{address}" alt="{label}"></a>'
    elif block.kind in FIGURES and not block.text.strip() and not has_table:
        yield f'<p role="img" aria-label="{label}"></p>'
    if block.table and has_table:
        yield markup.table(block.table)
    elif block.text.strip():
        yield _content(page, block)


def _content(page: Page, block: Block) -> str:
    if block.kind == "list":
        return _list(lists.items(page, block))
    if block.kind in ("code", "table"):  # a table without cells keeps its columns this way
        return f"<pre><code>{escaped(block.text)}</code></pre>"
    if block.kind == "heading":
        level = min(3 + (block.level or 1), 6)
        return f"<h{level}>{broken_lines(block.text)}</h{level}>"
    opening, closing = _AROUND.get(block.kind, ("<p>", "</p>"))
    return f"{opening}{broken_lines(block.text)}{closing}"


def _list(siblings: Sequence[lists.Item]) -> str:
    return "".join(map(_run, lists.runs(siblings)))


def _run(run: Sequence[lists.Item]) -> str:
    """Items that count on, or are bulleted, with their nested items."""
    start = run[0].number
    text = " ".join(line for item in run for line in item.lines)
    attributes = ' dir="rtl"' if markup.runs_right_to_left(text) else ""
    if start is not None and start != 1:
        attributes += f' start="{start}"'
    parts = (
        f"<li>{broken_lines(chr(10).join(item.lines))}{_list(item.below)}</li>" for item in run
    )
    tag = "ul" if start is None else "ol"
    return f"<{tag}{attributes}>{''.join(parts)}</{tag}>"
