"""Pages in the form of PaddleOCR's pipelines, without what its services prune.

The names and forms are those of PaddleOCR 3.7. Places are whole pixels of the page as
displayed; text that a document carries itself has the score 1, for nothing was guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from pagetide.document import Block, BlockKind, Document, Line, ModelInfo, Page, Table
from pagetide.document import SourceInfo as Source
from pagetide.exports.figures import figures_of, file_name
from pagetide.exports.text import markdown
from pagetide.exports.text.markup import comment
from pagetide.exports.text.markup import table as html_of
from pagetide.geometry import Polygon, box_of
from pagetide.layout.labels import kind_of

Json = dict[str, Any]
FigureLink = Callable[[Page, Block], str]

_LABELS: Mapping[BlockKind, str] = {
    "title": "doc_title",
    "heading": "paragraph_title",
    "table": "table",
    "figure": "image",
    "chart": "chart",
    "formula": "formula",
    "caption": "figure_title",
    "header": "header",
    "footer": "footer",
    "page_number": "number",
    "footnote": "footnote",
    "aside": "aside_text",
    "code": "algorithm",
    "toc": "content",
    "reference": "reference",
    "seal": "seal",
}
_TEXT: BlockKind = "text"
# What the layout networks of PP-StructureV3 and PaddleOCR-VL call what they find.
_KNOWN = frozenset(
    {
        "abstract",
        "algorithm",
        "aside_text",
        "chart",
        "content",
        "display_formula",
        "doc_title",
        "figure_title",
        "footer",
        "footer_image",
        "footnote",
        "formula",
        "formula_number",
        "header",
        "header_image",
        "image",
        "inline_formula",
        "number",
        "paragraph_title",
        "reference",
        "reference_content",
        "seal",
        "table",
        "text",
        "vertical_text",
        "vision_footnote",
    }
)
_NOBODY = ModelInfo(name="", engine="", version="", runtime="", language="")
_NOTHING = Source(name="", sha256="", bytes=0, media_type="", page_count=0)


def ocr_result(page: Page) -> Json:
    """`prunedResult` of a page whose lines were asked for."""
    return {
        "model_settings": {"use_doc_preprocessor": False, "use_textline_orientation": False},
        "dt_polys": [_points(line.polygon) for line in page.lines],
        "text_type": "general",
        **_lines(page.lines),
        **_failure(page),
    }


def layout_result(page: Page) -> Json:
    """`prunedResult` of a page whose layout was asked for.

    Lines that are in no block follow as blocks of their own, so that none is lost.
    """
    blocks = sorted(page.blocks, key=lambda block: block.order)
    return {
        "width": page.width,
        "height": page.height,
        "model_settings": {"use_doc_preprocessor": False, "use_layout_detection": True},
        "parsing_res_list": [*map(_block, blocks), *_loose(page, len(blocks))],
        "layout_det_res": {"boxes": [_area(block) for block in blocks]},
        "overall_ocr_res": {
            "model_settings": {"use_doc_preprocessor": False},
            "dt_polys": [_points(line.polygon) for line in page.lines],
            "text_type": "general",
            **_lines(page.lines),
        },
        "table_res_list": [_table(page, block, block.table) for block in blocks if block.table],
        **_failure(page),
    }


def markdown_of(page: Page, link: FigureLink | None = None) -> Json:
    """`markdown` of a page: its text, and where its pictures are.

    Args:
        page: As read.
        link: Gives the URL of a figure's picture; without, none is shown.
    """
    whole = Document(source=_NOTHING, model=_NOBODY, pages=(page,))
    text = markdown.write(whole, figures=None if link is None else "")
    images = {}
    for block in figures_of(page):
        if link is None:
            break
        name = file_name(page, block)
        images[name] = link(page, block)
        shown = f"![{block.kind} on page {page.number}]({name})"
        # So their own Markdown has it, and so their clients look for it.
        text = text.replace(shown, f'<img src="{name}" alt="{block.kind}" />')
    return {
        "text": text.removeprefix(comment(f"page {page.number}")).strip(),
        "images": images,
    }


def without(page: Page, labels: Iterable[str]) -> Page:
    """The page for a Markdown that leaves out what PaddleOCR gives these labels."""
    unwanted = frozenset(labels)
    return replace(
        page,
        blocks=tuple(
            replace(block, kind=_TEXT, text="", table=None, warnings=())
            if label_of(block) in unwanted
            else block
            for block in page.blocks
        ),
    )


def about_source(source: Source, sizes: Sequence[tuple[int, int]]) -> Json:
    """`dataInfo`: what the document is.

    Args:
        source: The document.
        sizes: Width and height in pixels of each page that was read.
    """
    if source.media_type == "application/pdf":
        pages = [{"width": width, "height": height} for width, height in sizes]
        return {"type": "pdf", "numPages": source.page_count, "pages": pages}
    width, height = sizes[0] if sizes else (0, 0)
    if source.page_count == 1:
        return {"type": "image", "width": width, "height": height}
    pages = [{"width": width, "height": height} for width, height in sizes]
    return {"type": "tiff", "numPages": source.page_count, "pages": pages}


def label_of(block: Block) -> str:
    """What PaddleOCR calls such a block: the layout network's own word, if it is theirs."""
    label = block.label or ""
    if label in _KNOWN and kind_of("paddle", label) == block.kind:
        return label
    return _LABELS.get(block.kind, _TEXT)


def _block(block: Block) -> Json:
    group = block.order if block.continues is None else block.continues
    return {
        "block_label": label_of(block),
        "block_content": _content(block),
        "block_bbox": _box(block.polygon),
        "block_id": block.order,
        "block_order": block.order + 1,
        "group_id": group,
    }


def _content(block: Block) -> str:
    if block.table and block.table.cells:
        return _html(block.table)
    if block.kind == "formula" and block.text.strip():
        return f" $$ {block.text} $$ "
    return block.text


def _loose(page: Page, first: int) -> list[Json]:
    owned = {index for block in page.blocks for index in block.line_indexes}
    loose = [line for i, line in enumerate(page.lines) if i not in owned]
    return [
        {
            "block_label": _TEXT,
            "block_content": line.text,
            "block_bbox": _box(line.polygon),
            "block_id": number,
            "block_order": number + 1,
            "group_id": number,
        }
        for number, line in enumerate(loose, first)
    ]


def _area(block: Block) -> Json:
    return {
        "label": label_of(block),
        "score": _score(block.confidence),
        "coordinate": [round(number, 1) for number in box_of(block.polygon)],
        "order": block.order + 1,
    }


def _table(page: Page, block: Block, table: Table) -> Json:
    cells = [cell for cell in table.cells if cell.polygon]
    return {
        "cell_box_list": [
            [round(number, 1) for number in box_of(cell.polygon)]
            for cell in cells
            if cell.polygon
        ],
        "pred_html": _html(table),
        "table_ocr_pred": _lines(page.lines_of(block)),
    }


def _html(table: Table) -> str:
    """A table as their networks write it: rows of plain cells, without a line feed."""
    plain = replace(table, cells=tuple(replace(cell, header=False) for cell in table.cells))
    return f"<html><body>{html_of(plain)}</body></html>".replace("\n", "")


def _lines(lines: Sequence[Line]) -> Json:
    return {
        "rec_texts": [line.text for line in lines],
        "rec_scores": [_score(line.confidence) for line in lines],
        "rec_polys": [_points(line.polygon) for line in lines],
        "rec_boxes": [_box(line.polygon) for line in lines],
    }


def _failure(page: Page) -> Json:
    """The mark of a page that was not read: their form has no word for it."""
    return {"errorMsg": page.error.message} if page.error else {}


def _score(confidence: float | None) -> float:
    return 1.0 if confidence is None else confidence


def _points(polygon: Polygon) -> list[list[int]]:
    return [[round(x), round(y)] for x, y in polygon]


def _box(polygon: Polygon) -> list[int]:
    return [round(number) for number in box_of(polygon)]
