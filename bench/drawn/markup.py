"""The HTML that kinds of documents are composed of; every block states its kind."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from html import escape

from bench.drawn.style import Style
from bench.drawn.words import Writer

A4 = (794, 1123)
LETTER = (816, 1056)


@dataclass(frozen=True, kw_only=True)
class Sheets:
    """A document as HTML, before it is broken over pages.

    Attributes:
        size: Width and height of a sheet, in CSS pixels.
        first: The first sheet, with slots for flowing text.
        rest: The sheets after it; empty if all are alike.
        flows: What flows into the slots of a name; content of `cut` ends with its slots.
        css: Styles in addition to those of all documents.
        fields: A bill's content, by the names of `Document.fields`.
        items: A bill's items, likewise, a row each.
    """

    size: tuple[int, int] = A4
    first: str
    rest: str = ""
    flows: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    css: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    items: tuple[dict[str, str], ...] = ()


@dataclass(frozen=True)
class Maker:
    """The inputs for a kind of document: randomness, words, a look."""

    chance: random.Random
    writer: Writer
    style: Style

    def maybe(self, share: float) -> bool:
        """True with this probability, 0–1."""
        return self.chance.random() < share


@dataclass(frozen=True, kw_only=True)
class Td:
    """A cell of a table to be drawn; `look` names classes of the style sheet.

    `inner`, if given, is HTML drawn in place of the text.
    """

    text: str = ""
    rows: int = 1
    columns: int = 1
    header: bool = False
    look: str = ""
    inner: str = ""

    @property
    def html(self) -> str:
        """The cell's element."""
        tag = "th" if self.header else "td"
        spans = f' rowspan="{self.rows}"' if self.rows > 1 else ""
        spans += f' colspan="{self.columns}"' if self.columns > 1 else ""
        look = f' class="{self.look}"' if self.look else ""
        text = self.inner or "<br>".join(escape(line) for line in self.text.split("\n"))
        return f"<{tag}{spans}{look}>{text}</{tag}>"


def block(
    kind: str,
    inner: str,
    *,
    tag: str = "p",
    look: str = "",
    also: str = "",
    level: int | None = None,
    more: str = "",
) -> str:
    """An element that is a block of a kind; `inner` is HTML, `more` further attributes."""
    parts = [f'data-kind="{kind}"', more]
    parts += [f'data-also="{also}"'] if also else []
    parts += [f'data-level="{level}"'] if level else []
    parts += [f'class="{look}"'] if look else []
    return f"<{tag} {' '.join(filter(None, parts))}>{inner}</{tag}>"


def text(inner: str, look: str = "body") -> str:
    """A paragraph of HTML that may continue in the next column or page."""
    return block("text", inner, look=look, more="data-split")


def lines(rows: Iterable[str], look: str = "flush", kind: str = "text", also: str = "") -> str:
    """Lines that stay lines: an address, for instance."""
    return block(kind, "<br>".join(map(escape, rows)), look=look, also=also)


def title(said: str) -> str:
    """The document's own title."""
    return block("title", escape(said), tag="h1", also="heading", more="data-keep")


def heading(said: str, level: int = 1) -> str:
    """A heading; level 1 is the largest below the title."""
    tag = f"h{min(level + 1, 4)}"
    return block("heading", escape(said), tag=tag, level=level, more="data-keep")


def rich(maker: Maker, said: str) -> str:
    """The text as HTML, with a few of its words bold, slanted or a link."""
    words = escape(said).split(" ")
    if not maker.writer.is_spaced:  # only a few letters at the start
        front = maker.chance.randint(2, 6) if maker.maybe(0.15) else 0
        return f"<b>{said[:front]}</b>{said[front:]}" if front else escape(said)
    for place, word in enumerate(words):
        chance = maker.chance.random()
        if chance < 0.02:
            words[place] = f"<b>{word}</b>"
        elif chance < 0.035:
            words[place] = f"<i>{word}</i>"
        elif chance < 0.042:
            words[place] = f'<a href="https://{maker.writer.site()}/">{word}</a>'
    return " ".join(words)


def table(
    head: Sequence[Sequence[Td]],
    rows: Sequence[Sequence[Td]],
    *,
    look: str = "grid",
    tied: int = 0,
    widths: Sequence[int] = (),
) -> str:
    """A table; its last `tied` rows are not separated from those before them.

    Args:
        head: Rows that are repeated where it continues; their cells become headers.
        rows: Those below it.
        look: Classes of the style sheet.
        tied: How many rows at the end are not separated from those before them.
        widths: Of the columns, in per cent.
    """
    columns = "".join(f'<col style="width: {width}%">' for width in widths)
    said = f"<colgroup>{columns}</colgroup>" if widths else ""
    if head:
        cells = (_row([replace(cell, header=True) for cell in row]) for row in head)
        said += f"<thead>{''.join(cells)}</thead>"
    bound = _bound(rows, tied)
    body = (_row(row, tied=place in bound) for place, row in enumerate(rows))
    return block("table", f"{said}<tbody>{''.join(body)}</tbody>", tag="table", look=look)


def _bound(rows: Sequence[Sequence[Td]], tied: int) -> set[int]:
    """The rows that a cell from above reaches into, and the last ones."""
    bound = set(range(len(rows) - tied, len(rows)))
    for place, row in enumerate(rows):
        bound |= {place + down for cell in row for down in range(1, cell.rows)}
    return bound


def _row(cells: Sequence[Td], *, tied: bool = False) -> str:
    sums = bool(cells) and all("sum" in cell.look for cell in cells)
    marks = (" data-tied" if tied else "") + (' class="sum"' if sums else "")
    return f"<tr{marks}>{''.join(cell.html for cell in cells)}</tr>"


def pairs(maker: Maker, given: Sequence[tuple[str, str]]) -> str:
    """Names and their values, in one of three forms."""
    if maker.maybe(0.4):
        colon = "：" if maker.writer.language == "zh" else ": "
        return lines(f"{name}{colon}{value}" for name, value in given)
    if maker.maybe(0.25):
        joined = "".join(f"<b>{escape(n)}</b><br>{escape(v)}<br>" for n, v in given)
        return block("text", joined, look="flush")
    colon = maker.chance.choice(("", ":"))
    rows = "".join(_row([Td(text=name + colon), Td(text=value)]) for name, value in given)
    return block(
        "text",
        f"<tbody>{rows}</tbody>",
        tag="table",
        look="pairs",
        also="table",
        more="data-keep",
    )


def items(marks: Sequence[str], said: Sequence[str], inner: Sequence[str] = ()) -> str:
    """A list of HTML; an item's own inner list follows its text.

    Every second list has the browser's own bullets: drawn, where others are letters.
    """
    below = [*inner, *[""] * (len(said) - len(inner))]
    drawn = {*marks} == {"•"} and len(said) % 2
    rows = (
        f'<li class="drawn">{one}{more}</li>'
        if drawn
        else f'<li><span class="mark">{escape(mark)}</span>{one}{more}</li>'
        for mark, one, more in zip(marks, said, below, strict=False)
    )
    return f"<ul>{''.join(rows)}</ul>"


def listed(
    marks: Sequence[str], said: Sequence[str], inner: Sequence[str] = (), look: str = ""
) -> str:
    """A list that is a block of its own."""
    plain = items(marks, said, inner)
    return plain.replace("<ul>", f'<ul data-kind="list" class="{look}">', 1)


def slot(name: str = "main", look: str = "") -> str:
    """A column that text flows into, footnotes below it."""
    return (
        f'<div class="column {look}"><div class="slot" data-flow="{name}"></div>'
        '<div class="feet"></div></div>'
    )


def columns(count: int, name: str = "main", look: str = "") -> str:
    """Columns side by side."""
    return f'<div class="columns {look}">{slot(name) * count}</div>'


def sheet(inner: str, look: str = "", more: str = "") -> str:
    """One sheet of paper."""
    return f'<section class="sheet {look}" {more}>{inner}</section>'
