"""Every layout label that a model is known to use, and the kind of block it means.

The same word means different things to different models, and letters' case distinguishes them
(`title` heads a section in PubLayNet, `Title` heads the document in DocLayNet), so each
family has its own table. Sources: the label lists that the models' own configurations carry.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pagetide.document import BlockKind

UNKNOWN: BlockKind = "other"

# All editions of PP-DocLayout, the older layout models of the same family, and the block names
# of the pipelines PP-StructureV3 and PaddleOCR-VL.
_PADDLE: dict[str, BlockKind] = {
    "doc_title": "title",
    "paragraph_title": "heading",
    "text": "text",
    "abstract": "text",
    "vertical_text": "text",
    "Region": "text",
    "ocr": "text",
    "spotting": "text",
    "formula_number": "text",
    "list": "list",
    "table": "table",
    "figure": "figure",
    "image": "figure",
    "header_image": "figure",
    "footer_image": "figure",
    "chart": "chart",
    "formula": "formula",
    "display_formula": "formula",
    "inline_formula": "formula",
    "figure_title": "caption",
    "table_title": "caption",
    "chart_title": "caption",
    "figure_table_title": "caption",
    "figure_table_chart_title": "caption",
    "header": "header",
    "footer": "footer",
    "number": "page_number",
    "footnote": "footnote",
    "vision_footnote": "footnote",
    "aside_text": "aside",
    "algorithm": "code",
    "content": "toc",
    "reference": "reference",
    "reference_content": "reference",
    "seal": "seal",
}
_CDLA: dict[str, BlockKind] = {
    "text": "text",
    "title": "heading",
    "figure": "figure",
    "figure_caption": "caption",
    "table": "table",
    "table_caption": "caption",
    "header": "header",
    "footer": "footer",
    "reference": "reference",
    "equation": "formula",
}
_PUBLAYNET: dict[str, BlockKind] = {
    "text": "text",
    "title": "heading",
    "list": "list",
    "table": "table",
    "figure": "figure",
}
_DOCLAYNET: dict[str, BlockKind] = {
    "Caption": "caption",
    "Footnote": "footnote",
    "Formula": "formula",
    "List-item": "list",
    "Page-footer": "footer",
    "Page-header": "header",
    "Picture": "figure",
    "Section-header": "heading",
    "Table": "table",
    "Text": "text",
    "Title": "title",
}

FAMILIES: Mapping[str, Mapping[str, BlockKind]] = MappingProxyType(
    {
        "paddle": MappingProxyType(_PADDLE),
        "cdla": MappingProxyType(_CDLA),
        "publaynet": MappingProxyType(_PUBLAYNET),
        "doclaynet": MappingProxyType(_DOCLAYNET),
    }
)


def kind_of(family: str, label: str) -> BlockKind:
    """What a model's label means; `other` for a label its family does not have.

    Args:
        family: `paddle`, `cdla`, `publaynet` or `doclaynet`.
        label: As the model writes it; case matters.
    """
    return FAMILIES[family].get(label, UNKNOWN)
