"""Slides: a few words in large letters, a list, a table or a chart."""

from __future__ import annotations

from html import escape

from bench.drawn.charts import figure
from bench.drawn.markup import (
    Maker,
    Sheets,
    block,
    heading,
    listed,
    sheet,
    slot,
    text,
    title,
)
from bench.drawn.reports import figures_table
from bench.drawn.running import number


def slide(maker: Maker) -> Sheets:
    """One slide, of one of four arrangements."""
    w, chance = maker.writer, maker.chance
    size = chance.choice(((960, 540), (960, 720), (1280, 720)))
    form = chance.choice(("points", "two", "chart", "table"))
    name = title(w.heading())
    foot = (
        f'<div class="running bottom">{block("footer", escape(w.firm()))}{number(maker)}</div>'
    )
    if form == "points":
        body, flow = (
            slot(),
            _points(maker, 3, 6) + (text(escape(w.sentence())) if maker.maybe(0.3) else ""),
        )
    elif form == "table":
        body, flow = slot(), figures_table(maker)
    else:
        other = (
            figure(maker, 380, 240)
            if form == "chart"
            else heading(w.heading()) + _points(maker, 2, 4)
        )
        first = (
            _points(maker, 2, 4)
            if form == "chart"
            else heading(w.heading()) + _points(maker, 2, 4)
        )
        halves = "".join(f'<div class="column">{half}</div>' for half in (first, other))
        body = f'<div class="columns">{halves}</div>'
        flow = ""
    return Sheets(
        size=size,
        first=sheet(name + body + foot),
        flows={"main": flow} if flow else {},
        cut=True,
        css=_SLIDE.replace("SIZE", str(round(size[1] / chance.uniform(25, 32)))).replace(
            "TOP",
            chance.choice(
                ("", f"background: {maker.style.ink}; color: #fff; padding: 10px 14px")
            ),
        ),
    )


_SLIDE = """\
body { font-size: SIZEpx; line-height: 1.3 } h1 { font-size: 1.7em; TOP }
h2 { font-size: 1.15em } .running { font-size: .55em } .columns { gap: 40px }
figure svg { max-width: 100%; height: auto } table.grid { font-size: .7em }
td, th { padding: 3px 8px } .slot { flex: 1 } li { margin-bottom: .5em }
"""


def _points(maker: Maker, least: int, most: int) -> str:
    w = maker.writer
    said = [
        escape(w.clause() if maker.maybe(0.5) else w.heading())
        for _ in range(maker.chance.randint(least, most))
    ]
    mark = maker.chance.choice(("•", "–", "▪", "{}."))
    return listed([mark.format(place) for place in range(1, len(said) + 1)], said)
