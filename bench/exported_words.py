"""A page's text in every export and every compatible API, for comparison.

Letters and digits are compared: a bullet becomes a list's mark, and signs may be escaped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from html import escape, unescape
from html.parser import HTMLParser

from markdown_it import MarkdownIt
from msgspec.structs import replace

from pagetide.document import Document, ModelInfo, Page, SourceInfo
from pagetide.exports.pdf.text_layer import layer_of
from pagetide.exports.text import hocr, html, markdown, plain_text
from pagetide.server.compat.azure.page_answer import Answering, Before
from pagetide.server.compat.docling.tree import docling_document
from pagetide.server.compat.mistral.pages import Pages
from pagetide.server.compat.mistral.request import request_of
from pagetide.server.compat.paddle_results import layout_result, markdown_of, ocr_result
from pagetide.server.compat.textract.answers import blocks_of

_LETTERS = re.compile(r"[^\W_]")
_COMMENT = re.compile(
    r"<!-- (?:(?:header|footer|page number): (.*?)|Page(?:Header|Footer|Number)=\"(.*?)\") -->"
    r"|<!--.*?-->",
    re.DOTALL,
)
_NO_SOURCE = SourceInfo(
    name="", sha256="0" * 64, bytes=0, media_type="application/pdf", page_count=1
)
_OF_LINES = ("hocr", "searchable pdf", "paddleocr, lines")  # which a page without lines has not
_NO_MODEL = ModelInfo(name="", engine="", version="", runtime="", language="en")
_ASKED = request_of(
    {
        "model": "fake",
        "document": {"type": "document_url", "document_url": "https://a.example/b.pdf"},
    }
)


def letters(text: str) -> Counter[str]:
    """The parts of a text that must be neither lost nor doubled."""
    return Counter(_LETTERS.findall(text))


def said(page: Page) -> Iterator[tuple[str, str]]:
    """Each output format of a page, and the page's text in it."""
    bare = replace(
        page,
        warnings=(),
        lines_below_confidence=0,
        lines_unread=0,
        blocks=tuple(replace(block, warnings=()) for block in page.blocks),
    )
    document = Document(source=_NO_SOURCE, model=_NO_MODEL, pages=(bare,))
    for name, tell in _EXPORTS.items():
        yield name, tell(document)
    for name, answer in _FACADES.items():
        yield name, answer(bare)


def amiss(page: Page) -> dict[str, tuple[int, int]]:
    """By output format, how many letters are lost and how many are doubled, if any."""
    read = letters(" ".join(line.text for line in page.lines) or page.text)
    found = {}
    for name, text in said(page):
        told = letters(text)
        if told != read and (page.lines or name not in _OF_LINES):
            found[name] = ((read - told).total(), (told - read).total())
    return found


class _Shown(HTMLParser):
    """The text of HTML as a browser shows it, with the numbers of lists."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self._lists: list[int | None] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "ol":
            self._lists.append(int(dict(attrs).get("start") or 1))
        elif tag == "ul":
            self._lists.append(None)
        elif tag == "li" and (number := self._lists[-1]) is not None:
            self._lists[-1] = number + 1
            self.text.append(f"{number}. ")
        elif tag in ("head", "h1", "h2"):  # our own: the document's name, a page's number
            self._hidden += 1

    def handle_endtag(self, tag: str) -> None:
        if tag in ("ol", "ul"):
            self._lists.pop()
        elif tag in ("head", "h1", "h2"):
            self._hidden -= 1

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.text.append(data)


def _shown(markup: str) -> str:
    parser = _Shown()
    parser.feed(markup)
    parser.close()
    return "".join(parser.text)


def _rendered(text: str) -> str:
    """Markdown as rendered, with the page's content in its comments."""
    markup = _MARKDOWN.render(_COMMENT.sub(_uncovered, text))
    return _shown(re.sub(r"<(/?)h([12])>", r"<\1h3>", markup))


def _uncovered(comment: re.Match[str]) -> str:
    held = escape(comment[1] or unescape(comment[2] or ""))
    return f"\n\n<p>{held}</p>\n\n" if held else comment[0]


def _docling(page: Page) -> str:
    tree = docling_document(Document(source=_NO_SOURCE, model=_NO_MODEL, pages=(page,)))
    texts = [
        (each.get("marker", "").strip("-") if each.get("enumerated") else "") + each["text"]
        for each in tree["texts"]
    ]
    cells = [c["text"] for table in tree["tables"] for c in table["data"]["table_cells"]]
    return "\n".join([*texts, *cells])


def _mistral(page: Page) -> str:
    head = Document(source=_NO_SOURCE, model=_NO_MODEL, pages=())
    told = Pages(head, _ASKED, lambda number, order: "data:,").page(page)
    text: str = told["markdown"]
    return _rendered(re.sub(r"!\[.*?\]\(.*?\)", "", text))


def _textract(page: Page) -> str:
    blocks = blocks_of(page, "job", ("TABLES", "LAYOUT"))
    return " ".join(block.text or "" for block in blocks if block.block_type == "WORD")


def _azure(page: Page, *, markdown: bool) -> str:
    answering = Answering(
        page, Before(), markdown=markdown, index_type="unicodeCodePoint", inches=False
    )
    text = answering.answer(layout=True).draft.text
    return _rendered(text) if markdown else text


_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")
_EXPORTS: Mapping[str, Callable[[Document], str]] = {
    "text": plain_text.write,
    "markdown": lambda document: _rendered(markdown.write(document)),
    "html": lambda document: _shown(html.write(document)),
    "hocr": lambda document: _shown(hocr.write(document)),
    "searchable pdf": lambda document: " ".join(
        word.text for page in document.pages for word in layer_of(page).words
    ),
}
_FACADES: Mapping[str, Callable[[Page], str]] = {
    "docling": _docling,
    "mistral": _mistral,
    "paddleocr, lines": lambda page: " ".join(ocr_result(page)["rec_texts"]),
    "paddleocr, layout": lambda page: " ".join(
        _shown(str(block["block_content"]))
        if block["block_content"].startswith("<html>")
        else block["block_content"]
        for block in layout_result(page)["parsing_res_list"]
    ),
    "paddleocr, markdown": lambda page: _rendered(markdown_of(page)["text"]),
    "textract": _textract,
    "azure": lambda page: _azure(page, markdown=False),
    "azure, markdown": lambda page: _azure(page, markdown=True),
}
