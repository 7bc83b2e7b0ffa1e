"""Papers in two columns and pages of newspapers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from bench.drawn.charts import figure
from bench.drawn.markup import (
    A4,
    LETTER,
    Maker,
    Sheets,
    block,
    columns,
    heading,
    lines,
    sheet,
    text,
    title,
)
from bench.drawn.reports import captioned, figures_table, paragraph, points
from bench.drawn.running import footer, header


def paper(maker: Maker) -> Sheets:
    """A paper: title, authors and abstract across, sections in two columns, references."""
    w, chance = maker.writer, maker.chance
    people = ", ".join(w.person() for _ in range(chance.randint(1, 4)))
    top = title(f"{w.heading()}: {w.heading()}") + lines([people, w.firm()], "byline")
    abstract = block(
        "text", f"<b>{w.label('abstract')}.</b> {escape(w.text(3, 6))}", look="abstract"
    )
    counts = {"figure": 0, "table": 0}
    units = []
    for number in range(1, chance.randint(4, 7)):
        units.append(
            heading(f"{number} {w.heading()}" if maker.style.numbered else w.heading())
        )
        units += [paragraph(maker) for _ in range(chance.randint(2, 5))]
        units += _between(maker, counts)
    units += _references(maker)
    running = header(maker, [f"{w.heading()} {w.code()}"]) if maker.maybe(0.5) else ""
    body = columns(2, look="tight")
    return Sheets(
        size=chance.choice((A4, LETTER)),
        first=sheet(running + top + abstract + body + footer(maker)),
        rest=sheet(running + body + footer(maker)),
        flows={"main": "".join(units)},
        css=_PAPER.replace("PLACE", chance.choice(("center", "start"))),
    )


_PAPER = """\
body { font-size: 11.5px } h1 { text-align: PLACE; font-size: 1.75em }
h2 { font-size: 1.2em } .byline { text-align: PLACE }
figure svg { max-width: 100%; height: auto }
.abstract { margin: 0 30px 16px; font-size: .93em } .tight { gap: 22px }
.reference { font-size: .88em }
td, th { padding: 1.5px 3px } table.grid { font-size: .86em }
"""


def _between(maker: Maker, counts: dict[str, int]) -> list[str]:
    units = []
    if maker.maybe(0.35):
        units.append(captioned(maker, counts, "figure", figure(maker, 320, 170)))
    if maker.maybe(0.3):
        units.append(captioned(maker, counts, "table", figures_table(maker)))
    if maker.maybe(0.2):
        units.append(points(maker))
    return units


def _references(maker: Maker) -> list[str]:
    w = maker.writer
    form = maker.chance.choice(("[{}]", "{}."))
    entries = [
        f"{form.format(place)} {w.person()}, {w.person()}. {w.heading()}. {w.word('towns')}, "
        f"{maker.chance.randint(1980, 2025)}."
        for place in range(1, maker.chance.randint(5, 14))
    ]
    made = (
        block("reference", escape(one), look="reference flush", also="list text")
        for one in entries
    )
    return [heading(w.label("references")), *made]


def newspaper(maker: Maker) -> Sheets:
    """A page of a newspaper: its name, articles of several widths, pictures, a box."""
    w, chance = maker.writer, maker.chance
    name = block(
        "header",
        escape(f"{w.word('towns')} {w.word('nouns')}"),
        look="name",
        also="title heading",
    )
    date = "".join(
        block("header", escape(one)) for one in (w.date(), w.label("edition") + f" {w.code()}")
    )
    flows: dict[str, str] = {}
    parts = [_article(maker, flows, chance.randint(3, 4), 0)]
    left = _article(maker, flows, chance.randint(1, 2), 1)
    right = _box(maker) if maker.maybe(0.4) else _article(maker, flows, chance.randint(1, 2), 2)
    parts.append(f'<div class="pair">{left}{right}</div>')
    top = f'{name}<div class="running top ruled">{date}</div>'
    return Sheets(
        size=chance.choice((A4, (900, 1280), (1000, 1300))),
        first=sheet(top + "".join(parts) + (footer(maker) if maker.maybe(0.4) else "")),
        flows=flows,
        cut=True,
        css=_NOTIFIER,
    )


_NOTIFIER = """\
body { font-size: 11.5px; line-height: 1.3 } h2 { font-size: 1.9em; margin: 4px 0; color: #000 }
.name { font-size: 3em; text-align: center; font-weight: bold; margin: 0; line-height: 1.25 }
.article { flex: 1; min-height: 0; min-width: 0; display: flex; flex-direction: column;
  margin-bottom: 10px } .pair { flex: 1; min-height: 0; display: flex; gap: 26px;
  border-top: 1px solid #333; padding-top: 8px }
.pair h3 { font-size: 1.4em; color: #000; margin: 4px 0 }
.lead { font-weight: bold; font-size: 1.08em; text-align: start }
.columns { gap: 16px } figure svg { max-width: 100%; height: auto } p { margin-bottom: 3px }
.inset { flex: .6; align-self: start; padding: 10px; border: 1.5px solid #333;
  margin: 0 0 12px }
"""


def _article(maker: Maker, flows: dict[str, str], count: int, place: int) -> str:
    w = maker.writer
    name = f"article{place}"
    units = [lines([w.person()], "flush label")] if maker.maybe(0.5) else []
    picture = figure(maker, 300, 180) if maker.maybe(0.6) else ""
    if picture:
        said = block("caption", escape(w.sentence()), look="caption")
        units.append(f'<div class="together">{picture}{said}</div>')
    units += [text(escape(w.text(2, 5))) for _ in range(count * 9)]
    flows[name] = "".join(units)
    lead = (
        block("text", escape(w.text(1, 2)), look="lead", also="heading")
        if maker.maybe(0.5)
        else ""
    )
    top = heading(w.heading(), 2 if place else 1) + lead
    return f'<div class="article">{top}{columns(count, name)}</div>'


def _box(maker: Maker) -> str:
    w = maker.writer
    head = f"<b>{escape(w.heading())}</b><br>"
    rest: Sequence[str] = [escape(w.text(1, 3)) for _ in range(maker.chance.randint(3, 6))]
    return block("aside", head + "<br>".join(rest), look="inset flush", tag="div", also="text")
