"""A document as one HTML page that needs nothing else: no script, no other host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version

from pagetide.document import Block, BlockKind, Document, Notice, Page
from pagetide.errors import UnknownLanguage
from pagetide.exports import markup
from pagetide.exports.markdown import BULLET
from pagetide.exports.markup import escaped
from pagetide.languages import AUTO, find

# `plaintext` lets each paragraph run the way its own letters do.
_STYLE = """\
body { margin: 0 auto; max-width: 48rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif }
h1, h2, h3, h4, p, li, td, th, figcaption, small { unicode-bidi: plaintext }
section { border-top: 1px solid #aaa; margin-top: 2rem }
h2 { font-size: 0.9rem; font-weight: normal }
h2 a { color: #666; text-decoration: none }
table { border-collapse: collapse }
td, th { border: 1px solid #aaa; padding: 0.2rem 0.5rem; vertical-align: top }
pre { overflow-x: auto; background: #f4f4f4; padding: 0.5rem }
aside { border-inline-start: 3px solid #aaa; padding-inline-start: 1rem }
figure { margin: 1rem 0; border: 1px dashed #aaa; padding: 0.5rem }
.error { border-inline-start: 4px solid #b00; padding-inline-start: 0.5rem }
.notice { border-inline-start: 4px solid #c80; padding-inline-start: 0.5rem }"""
# The browser is told too that nothing is to be fetched or run, whatever a document holds.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_FIGURES: frozenset[BlockKind] = frozenset({"figure", "chart", "seal"})
_WITH_CAPTION: frozenset[BlockKind] = _FIGURES | {"table"}
# What opens and closes a block's text; the document's name is h1 and a page's number h2.
_AROUND: dict[BlockKind, tuple[str, str]] = {
    "title": ("<h3>", "</h3>"),
    "heading": ("<h4>", "</h4>"),
    "formula": ('<p class="formula">', "</p>"),
    "header": ("<header><small>", "</small></header>"),
    "footer": ("<footer><small>", "</small></footer>"),
    "page_number": ("<footer><small>", "</small></footer>"),
    "footnote": ('<p role="doc-footnote"><small>', "</small></p>"),
    "aside": ("<aside><p>", "</p></aside>"),
    "caption": ('<p class="caption">', "</p>"),
    "toc": ('<p class="toc">', "</p>"),
    "reference": ('<p class="reference">', "</p>"),
}


def write(document: Document) -> str:
    """The document as one HTML file: a section for each page, blocks in reading order.

    Lines stay lines. A page that could not be read says so in its place, and so does every
    warning. The file is shown without running or fetching anything.
    """
    name = escaped(document.source.name) or "Document"
    parts = [f"<h1>{name}</h1>", *_notices(document.warnings)]
    parts += [part for page in document.pages for part in _page(page)]
    body = "\n".join(parts)
    return f"""<!doctype html>
<html{_language(document.model.language)}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
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


def _language(code: str) -> str:
    """The attributes `lang` and `dir`, where a language was asked for."""
    try:
        language = find(code)
    except UnknownLanguage:
        return ""
    if language.code == AUTO:
        return ""
    direction = "rtl" if language.script == "Arabic" else "ltr"
    return f' lang="{escaped(language.tag)}" dir="{direction}"'


def _page(page: Page) -> Iterator[str]:
    name = f"page-{page.number}"
    yield f'<section id="{name}" aria-labelledby="{name}-head">'
    yield f'<h2 id="{name}-head"><a href="#{name}">Page {page.number}</a></h2>'
    if page.error:
        reason = escaped(page.error.message)
        yield f'<p class="error">Page {page.number} could not be read: {reason}</p>'
    yield from _notices(page.warnings)
    if page.lines_below_confidence:
        yield f'<p class="notice">Unsure lines left out: {page.lines_below_confidence}.</p>'
    yield from _blocks(page, sorted(page.blocks, key=lambda block: block.order))
    owned = {index for block in page.blocks for index in block.line_indexes}
    for index, line in enumerate(page.lines):
        if index not in owned and line.text.strip():
            yield f"<p>{escaped(line.text)}</p>"
    yield "</section>"


def _notices(notices: Sequence[Notice]) -> Iterator[str]:
    for notice in notices:
        yield f'<p class="notice">{escaped(notice.message)}</p>'


def _blocks(page: Page, blocks: Sequence[Block]) -> Iterator[str]:
    """The blocks; a caption next to a figure or a table stands inside it."""
    place = 0
    while place < len(blocks):
        pair = blocks[place : place + 2]
        if len(pair) == 2 and _belong(*pair):
            yield _captioned(page, pair)
            place += 2
        else:
            yield from _block(page, blocks[place])
            place += 1


def _belong(first: Block, second: Block) -> bool:
    if first.kind == "caption":
        return second.kind in _WITH_CAPTION
    return first.kind in _WITH_CAPTION and second.kind == "caption"


def _captioned(page: Page, pair: Sequence[Block]) -> str:
    inner = (
        f"<figcaption>{_lines(block.text)}</figcaption>"
        if block.kind == "caption"
        else _content(page, block)
        for block in pair
    )
    return f"<figure>{''.join(inner)}</figure>"


def _block(page: Page, block: Block) -> Iterator[str]:
    if block.kind in _FIGURES:
        yield f"<figure>{_content(page, block)}</figure>"
    elif block.table or block.text.strip():
        yield _content(page, block)


def _content(page: Page, block: Block) -> str:
    if block.table:
        return markup.table(block.table) + _beside_table(page, block)
    if block.kind == "list":
        return _list(block.text)
    if block.kind == "code":
        return f"<pre><code>{escaped(block.text)}</code></pre>"
    if block.kind in _FIGURES and not block.text.strip():
        return f'<p role="img" aria-label="{block.kind}"></p>'
    opening, closing = _AROUND.get(block.kind, ("<p>", "</p>"))
    return f"{opening}{_lines(block.text)}{closing}"


def _beside_table(page: Page, block: Block) -> str:
    """Lines of a table's block that are in none of its cells, where cells name their lines."""
    placed = {i for cell in block.table.cells for i in cell.line_indexes} if block.table else ()
    missing = [i for i in block.line_indexes if i not in placed] if placed else []
    return "".join(f"<p>{escaped(page.lines[i].text)}</p>" for i in missing)


def _list(text: str) -> str:
    """Lines that begin with a bullet as items, the others as lines of the item before."""
    items: list[list[str]] = []
    for line in text.split("\n"):
        bullet = BULLET.match(line)
        if bullet or not items:
            items.append([])
        items[-1].append(line[bullet.end() :] if bullet else line)
    return f"<ul>{''.join(f'<li>{_lines(chr(10).join(item))}</li>' for item in items)}</ul>"


def _lines(text: str) -> str:
    return "<br>\n".join(escaped(line) for line in text.split("\n") if line.strip())
