"""Invoices as they would have been read, with their content; seeded."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any

from pagetide.document import (
    Block,
    Cell,
    Document,
    Line,
    ModelInfo,
    Page,
    SourceInfo,
    Table,
    TextLayerDecision,
    Word,
)
from pagetide.geometry import polygon_of

GLYPH, ROW, LEFT = 9, 24, 60  # pixels
COLUMNS = (60, 400, 500, 640)
NAMES = ("Nordsee Handel GmbH", "Atlas & Sons Ltd", "Café du Port", "Müller Söhne KG")
GOODS = ("Rope", "Paint, blue", "Anchor chain", "Lamp oil", "Sail cloth", "Brass bell")

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "number": {"type": "string", "description": "The invoice's number."},
        "supplier": {"type": "string"},
        "date": {"type": "string", "format": "date"},
        "iban": {"type": "string"},
        "currency": {"type": "string", "enum": ["EUR", "USD", "GBP"]},
        "total": {"type": "number"},
        "paid": {"type": "boolean"},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "article": {"type": "string"},
                    "quantity": {"type": "integer"},
                    "amount": {"type": "number"},
                },
            },
        },
    },
}


@dataclass(frozen=True)
class Invoice:
    """A document, and its content by the schema."""

    document: Document
    truth: dict[str, Any]


def invoice(seed: int, orders: Sequence[str] = ()) -> Invoice:
    """An invoice of one page.

    Args:
        seed: Of its content.
        orders: Rows that a stranger wrote between the others.
    """
    random = Random(seed)  # noqa: S311 - seeded
    day = date(2024, 1, 1) + timedelta(days=random.randrange(700))
    goods = random.sample(GOODS, random.randint(2, 5))
    items = [(each, random.randint(1, 9), random.randint(100, 99_999) / 100) for each in goods]
    total = round(sum(amount for _, _, amount in items), 2)
    truth: dict[str, Any] = {
        "number": f"R-{random.randint(10_000, 99_999)}/{day.year % 100}",
        "supplier": random.choice(NAMES),
        "date": day.isoformat(),
        "iban": "DE89370400440532013000",
        "currency": "EUR",
        "total": total,
        "paid": bool(random.randrange(2)),
        "items": [{"article": a, "quantity": q, "amount": s} for a, q, s in items],
    }
    written = f"{day:%d.%m.%Y}" if random.randrange(2) else f"{day:%d %B %Y}"
    texts = [
        truth["supplier"],
        f"Number: {truth['number']}",
        f"Date: {written}",
        f"Total: {_money(total, random)} €",
        "IBAN: DE89 3704 0044 0532 0130 00",
        "Paid with thanks." if truth["paid"] else "Payable within 14 days.",
    ]
    for order in orders:
        texts.insert(random.randint(1, len(texts)), order)
    return Invoice(_document(seed, texts, items, random), truth)


def _money(amount: float, random: Random) -> str:
    plain = f"{amount:,.2f}"
    return plain if random.randrange(2) else plain.translate(str.maketrans(",.", ".,"))


def _document(
    seed: int, texts: Sequence[str], items: Sequence[tuple[str, int, float]], random: Random
) -> Document:
    lines = [_line(text, LEFT, row) for row, text in enumerate(texts)]
    cells: list[Cell] = []
    for row, item in enumerate(items):
        shown = (item[0], str(item[1]), _money(item[2], random))
        for column, text in enumerate(shown):
            cells.append(Cell(row=row, column=column, text=text, line_indexes=(len(lines),)))
            lines.append(_line(text, COLUMNS[column], len(texts) + row))
    table = Block(
        kind="table",
        polygon=polygon_of((LEFT, ROW * len(texts), 900, ROW * (len(texts) + len(items)))),
        order=0,
        table=Table(rows=len(items), columns=3, cells=tuple(cells)),
        line_indexes=tuple(range(len(texts), len(lines))),
    )
    page = Page(
        number=1,
        width=1240,
        height=1754,
        dpi=150,
        width_pt=595,
        height_pt=842,
        text_layer=TextLayerDecision(used=True, reason="trusted"),
        lines=tuple(lines),
        blocks=(table,),
    )
    name = f"invoice-{seed}.pdf"
    known = SourceInfo(
        name=name,
        sha256=hashlib.sha256(name.encode()).hexdigest(),
        bytes=1,
        media_type="application/pdf",
        page_count=1,
    )
    model = ModelInfo(name="text-layer", engine="", version="", runtime="", language="auto")
    return Document(source=known, model=model, pages=(page,))


def _line(text: str, x: float, row: int) -> Line:
    words, place = [], 0
    for word in text.split():
        place = text.index(word, place)
        left = x + GLYPH * place
        box = (left, ROW * row, left + GLYPH * len(word), ROW * row + 16)
        words.append(Word(text=word, polygon=polygon_of(box)))
        place += len(word)
    box = (x, ROW * row, x + GLYPH * len(text), ROW * row + 16)
    return Line(text=text, polygon=polygon_of(box), words=tuple(words))
