"""Reports with headings, lists, tables and figures, and manuals with steps."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from bench.drawn.charts import figure
from bench.drawn.markup import (
    A4,
    LETTER,
    Maker,
    Sheets,
    Td,
    block,
    columns,
    heading,
    items,
    lines,
    listed,
    rich,
    sheet,
    slot,
    table,
    text,
    title,
)
from bench.drawn.running import footer, header


def report(maker: Maker) -> Sheets:
    """A report: a title, sections and their parts, lists, tables, figures, notes."""
    w, chance = maker.writer, maker.chance
    units = [title(f"{w.heading()}: {w.heading()}" if maker.maybe(0.4) else w.heading())]
    if maker.maybe(0.6):
        units.append(lines([w.person(), w.date()]))
    if maker.maybe(0.3):
        units.append(_contents(maker))
    counts = {"figure": 0, "table": 0}
    for number in range(1, chance.randint(3, 7)):
        units.append(
            heading(f"{number}. {w.heading()}" if maker.style.numbered else w.heading())
        )
        units += body(maker, counts)
        for part in range(1, chance.randint(1, 3)):
            name = w.heading()
            units.append(
                heading(f"{number}.{part} {name}" if maker.style.numbered else name, 2)
            )
            units += body(maker, counts)
    name = w.heading()
    foot = footer(maker, [w.firm()] if maker.maybe(0.4) else [])
    return Sheets(
        size=chance.choice((A4, A4, LETTER)),
        first=sheet(slot() + foot),
        rest=sheet((header(maker, [name]) if maker.maybe(0.6) else "") + slot() + foot),
        flows={"main": "".join(units)},
    )


def _contents(maker: Maker) -> str:
    w = maker.writer
    rows = (
        f'<span class="row"><span>{escape(w.heading())} '
        f"{'.' * maker.chance.randint(30, 60)}</span> <span>{3 * place + 2}</span></span>"
        for place in range(maker.chance.randint(4, 8))
    )
    return f"{heading(w.label('contents'))}{block('toc', ''.join(rows), tag='div')}"


def body(maker: Maker, counts: dict[str, int]) -> list[str]:
    """The content below a heading; `counts` numbers figures and tables, and is changed."""
    w, chance = maker.writer, maker.chance
    units = [paragraph(maker) for _ in range(chance.randint(1, 3))]
    if maker.maybe(0.35):
        units.append(points(maker))
    if maker.maybe(0.22):
        units.append(captioned(maker, counts, "figure", figure(maker)))
    if maker.maybe(0.28):
        units.append(captioned(maker, counts, "table", figures_table(maker)))
    if maker.maybe(0.12):
        units.append(block("aside", escape(w.text(1, 3)), look="panel flush", also="text"))
    return units


def paragraph(maker: Maker) -> str:
    """Running text; one in eight has a note at the bottom of the page."""
    said = rich(maker, maker.writer.text(3, 8))
    if not maker.maybe(0.12):
        return text(said)
    number = maker.chance.randint(1, 9)
    note = escape(f"{number} {maker.writer.text(1, 2)}", quote=True)
    return block("text", f'{said}<sup data-note="{note}">{number}</sup>', look="body")


def points(maker: Maker) -> str:
    """A list with bullets or numbers; some of its items have lists of their own."""
    w, chance = maker.writer, maker.chance
    count = chance.randint(2, 6)
    long = maker.maybe(0.3)
    said = [rich(maker, w.text(1, 2) if long else w.clause()) for _ in range(count)]
    form = chance.choice(("•", "–", "▪", "{}.", "{})", "({})"))
    inner = [_inner(maker) if maker.maybe(0.15) else "" for _ in range(count)]
    return listed([form.format(place) for place in range(1, count + 1)], said, inner)


def _inner(maker: Maker) -> str:
    count, form = maker.chance.randint(2, 3), maker.chance.choice(("◦", "-", "{})"))
    letters = "أبج" if maker.writer.language == "ar" else "abc"
    marks = [form.format(letters[place]) for place in range(count)]
    return items(marks, [escape(maker.writer.clause()) for _ in range(count)])


def captioned(maker: Maker, counts: dict[str, int], key: str, drawn: str) -> str:
    """A figure or a table with its caption, above or below it, kept together."""
    w = maker.writer
    counts[key] += 1
    dot = maker.chance.choice((":", ".", " –"))
    said = f"<b>{w.label(key)} {counts[key]}{dot}</b> {escape(w.sentence())}"
    caption = block("caption", said, look="caption")
    above = key == "table" and maker.maybe(0.7)
    return f'<div class="together">{caption + drawn if above else drawn + caption}</div>'


def figures_table(maker: Maker) -> str:
    """A table of numbers: years over regions, heads of one row or two, some cells empty."""
    w, chance = maker.writer, maker.chance
    count, deep = chance.randint(2, 5), maker.maybe(0.3)
    first = [Td(text=w.label("region"), rows=2 if deep else 1)]
    years = [
        Td(text=str(2015 + place), columns=2 if deep else 1, look="middle" if deep else "end")
        for place in range(count if not deep else 2)
    ]
    head: list[Sequence[Td]] = [[*first, *years]]
    wide = 4 if deep else count
    if deep:
        head.append([Td(text=w.label(k), look="end") for k in ("amount", "share") * 2])
    rows = [_row(maker, wide) for _ in range(chance.randint(3, 9))]
    if maker.maybe(0.4):
        rows.append([Td(text=w.label("total"), look="sum"), *_numbers(maker, wide, "end sum")])
    if maker.maybe(0.2):
        rows.insert(0, [Td(text=w.heading(), columns=wide + 1, look="group")])
    return table(head, rows)


def _row(maker: Maker, wide: int) -> list[Td]:
    name = Td(text=maker.writer.word("towns"), header=maker.style.head == "bold")
    return [name, *_numbers(maker, wide, "end")]


def _numbers(maker: Maker, wide: int, look: str) -> list[Td]:
    made = []
    for _ in range(wide):
        value = maker.writer.number(maker.chance.uniform(0, 9000), maker.chance.choice((0, 1)))
        made.append(
            Td(text=maker.chance.choice(("", "–")) if maker.maybe(0.06) else value, look=look)
        )
    return made


def manual(maker: Maker) -> Sheets:
    """Instructions: chapters with steps, warnings in frames, drawings, lists of parts."""
    w, chance = maker.writer, maker.chance
    units = [title(w.heading())] if maker.maybe(0.7) else []
    counts = {"figure": 0, "table": 0}
    for number in range(1, chance.randint(3, 7)):
        units.append(
            heading(f"{number} {w.heading()}" if maker.style.numbered else w.heading())
        )
        units += [text(escape(w.text(1, 3))), _steps(maker)]
        if maker.maybe(0.4):
            units.append(_warning(maker))
        if maker.maybe(0.4):
            drawn = figure(maker, 300, 160)
            units.append(
                captioned(maker, counts, "figure", drawn) if maker.maybe(0.6) else drawn
            )
        if maker.maybe(0.35):
            units += [heading(w.label("parts_list"), 2), _parts(maker)]
    size = chance.choice((A4, LETTER, (559, 794)))
    body_ = columns(2) if size == A4 and maker.maybe(0.25) else slot()
    foot = footer(maker, [w.code()] if maker.maybe(0.4) else [])
    return Sheets(
        size=size,
        first=sheet(body_ + foot),
        rest=sheet((header(maker, [w.heading()]) if maker.maybe(0.5) else "") + body_ + foot),
        flows={"main": "".join(units)},
        css=".warning { border-inline-start: 5px solid #c33 } figure svg { max-width: 100% }",
    )


def _steps(maker: Maker) -> str:
    w = maker.writer
    stop = "。" if w.language == "zh" else "."
    said = []
    for _ in range(maker.chance.randint(3, 7)):
        one = (
            w.joined(w.word("imperatives"), w.phrase(), w.word("preps"), w.word("nouns")) + stop
        )
        said.append(rich(maker, w.joined(one, w.sentence()) if maker.maybe(0.3) else one))
    form = maker.chance.choice(("{}.", "{}.", "{})", "•"))
    return listed([form.format(place) for place in range(1, len(said) + 1)], said)


def _warning(maker: Maker) -> str:
    w = maker.writer
    key = maker.chance.choice(("note", "warning"))
    look = maker.chance.choice(("box", "panel", "box warning"))
    said = f"<b>{escape(w.label(key))}:</b> {escape(w.text(1, 2))}"
    return block("aside", said, look=f"{look} flush", also="text")


def _parts(maker: Maker) -> str:
    w = maker.writer
    head = [Td(text=w.label(k)) for k in ("position", "article", "quantity")]
    rows = [
        [Td(text=str(place)), Td(text=w.good()), Td(text=str(maker.chance.randint(1, 12)))]
        for place in range(1, maker.chance.randint(4, 10))
    ]
    return table([head], rows)
