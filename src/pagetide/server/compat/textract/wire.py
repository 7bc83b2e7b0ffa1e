"""Blocks as Textract sends them."""

from __future__ import annotations

from msgspec import Struct


class Point(Struct, frozen=True, gc=False, rename="pascal"):
    """A point; 0–1 of the page's width and height."""

    x: float
    y: float


class BoundingBox(Struct, frozen=True, kw_only=True, gc=False, rename="pascal"):
    """An upright box; 0–1 of the page's width and height."""

    width: float
    height: float
    left: float
    top: float


class Geometry(Struct, frozen=True, kw_only=True, gc=False, rename="pascal"):
    """Where something stands; the polygon runs clockwise from the text's own top left."""

    bounding_box: BoundingBox
    polygon: tuple[Point, ...]


class Relationship(Struct, frozen=True, kw_only=True, gc=False, rename="pascal"):
    """Other blocks: `CHILD`, `VALUE`, `MERGED_CELL`, `TABLE_TITLE` or `ANSWER`."""

    type: str
    ids: tuple[str, ...]


class Query(Struct, frozen=True, kw_only=True, gc=False, rename="pascal", omit_defaults=True):
    """A question, and what its asker calls it."""

    text: str
    alias: str | None = None


class Block(Struct, frozen=True, kw_only=True, gc=False, rename="pascal", omit_defaults=True):
    """Something found on a page.

    Attributes:
        confidence: 0–100.
        row_index: Of a cell, from 1; so is `column_index`.
        page: From 1.
    """

    block_type: str
    id: str
    geometry: Geometry
    page: int
    confidence: float | None = None
    text: str | None = None
    row_index: int | None = None
    column_index: int | None = None
    row_span: int | None = None
    column_span: int | None = None
    selection_status: str | None = None
    entity_types: tuple[str, ...] = ()
    query: Query | None = None
    relationships: tuple[Relationship, ...] = ()
