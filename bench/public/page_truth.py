"""A page's truth in the form of OmniDocBench and PureDocBench, and the blocks to match.

Format: the README of https://github.com/opendatalab/OmniDocBench; which kinds count and how
paragraphs are put together: its evaluator of 2025-09-25.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from msgspec import Struct

from bench.public.normal import formula, letters
from bench.public.pieces import rows_of_array

FORMULA = "equation_isolated"
TEXTS = frozenset({"text_block", "title", "code_txt", "code_txt_caption", "reference"})
# Matched so that the pieces that belong to them are not compared with other blocks.
IGNORED = frozenset(
    (
        *("figure_caption", "figure_footnote", "table_caption", "table_footnote"),
        *("code_algorithm", "code_algorithm_caption", "header", "footer", "page_footnote"),
        *("page_number", "equation_caption"),
    )
)


class Annotation(Struct):
    """A box of the truth; `anno_id` names it in relations."""

    category_type: str
    anno_id: int | str | None = None
    order: float | None = None
    text: str | None = None
    latex: str | None = None
    html: str | None = None


class Relation(Struct):
    """Links two boxes; `truncated` means that both are one paragraph."""

    source_anno_id: int | str
    target_anno_id: int | str
    relation_type: str | None = None


class Extra(Struct):
    """The truth's content beside its boxes."""

    relation: list[Relation] | None = None


class PageInfo(Struct):
    """Data of the page itself; the name of its picture is the last part of the path."""

    image_path: str = ""


class PageTruth(Struct):
    """A page as the benchmark's JSON has it."""

    layout_dets: list[Annotation]
    page_info: PageInfo = msgspec.field(default_factory=PageInfo)
    extra: Extra = msgspec.field(default_factory=Extra)


@dataclass(frozen=True)
class Block:
    """A block that a piece of a reading should match.

    Attributes:
        text: In the form that is compared.
        raw: As annotated.
        order: Its place in the reading order; 0 if it has none.
    """

    kind: str
    text: str
    raw: str
    order: float


def blocks_of(truth: PageTruth) -> list[Block]:
    """The blocks to match, in reading order; parts of one paragraph together."""
    parts = _parts(truth)
    blocks = []
    for together in parts:
        first = min(together, key=_order_of)
        kind, order = first.category_type, _order_of(first)
        if kind == FORMULA:
            for row in rows_of_array(first.latex or ""):
                blocks.append(Block(kind, formula(row), row, order))
        elif kind in TEXTS | IGNORED:
            raw = "".join(part.text or "" for part in sorted(together, key=_order_of))
            blocks.append(Block(kind, letters(raw), raw, order))
    return sorted((block for block in blocks if block.text), key=lambda block: block.order)


def _parts(truth: PageTruth) -> list[list[Annotation]]:
    groups: list[set[int | str]] = []
    for relation in truth.extra.relation or ():
        if relation.relation_type == "truncated":
            pair = {relation.source_anno_id, relation.target_anno_id}
            overlapping = [group for group in groups if group & pair]
            groups = [group for group in groups if not group & pair]
            groups.append(pair.union(*overlapping))
    tied = set[int | str]().union(*groups)
    alone = [[each] for each in truth.layout_dets if each.anno_id not in tied]
    together = [[e for e in truth.layout_dets if e.anno_id in group] for group in groups]
    return [*alone, *filter(None, together)]


def _order_of(annotation: Annotation) -> float:
    return annotation.order or 0
