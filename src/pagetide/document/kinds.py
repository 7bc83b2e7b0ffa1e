"""The names of kinds and of ways to do things: the same in Python and JSON."""

from __future__ import annotations

from typing import Literal, get_args

BlockKind = Literal[
    "title",
    "heading",
    "text",
    "list",
    "table",
    "figure",
    "chart",
    "formula",
    "caption",
    "header",
    "footer",
    "page_number",
    "footnote",
    "aside",
    "code",
    "toc",
    "reference",
    "seal",
    "other",
]
TextSource = Literal["ocr", "text_layer", "vl"]
TextLayerMode = Literal["auto", "never", "only"]
LineBreaks = Literal["join", "keep"]
SelectionKind = Literal["checkbox", "radio"]
FormFieldKind = Literal["text", "choice", "signature"]
StyleKind = Literal["bold", "italic", "code", "superscript", "subscript"]
PictureEnding = Literal["png", "jpeg"]
ChunkBy = Literal["heading", "page", "block"]
ResultFormat = Literal[
    "json",
    "raw",
    "md",
    "txt",
    "html",
    "chunks",
    "fields",
    "hocr",
    "pdf",
    "csv",
    "xlsx",
    "figures",
]
RESULT_FORMATS: tuple[ResultFormat, ...] = get_args(ResultFormat)
"""A server's result formats; `raw` is the engine's own output."""
FIGURE_KINDS: frozenset[BlockKind] = frozenset({"figure", "chart", "seal"})
"""The kinds of blocks that are pictures."""
