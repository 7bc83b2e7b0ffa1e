"""Slides: a few words in large letters, a list, a table or a chart."""

from __future__ import annotations

from html import escape

from bench.drawn.charts import figure
from bench.drawn.markup import Maker, Sheets, block, heading, listed, sheet, slot, text, title
from bench.drawn.reports import figures_table
from bench.drawn.running import number


def slide(maker: Maker) -> Sheets:
    """One slide, of one of four arrangements."""
    chance = maker.chance
    size = chance.choice(((960, 540), (960, 720), (1280, 720)))
    name = title(maker.writer.heading())
    body, flow = chance.choice((_full, _tabled, _halves, _halves))(maker)
    firm = block("footer", escape(maker.writer.firm()))
    foot = f'<div class="running bottom">{firm}{number(maker)}</div>'
    letters = round(size[1] / chance.uniform(25, 32))
    band = f"background: {maker.style.ink}; color: #fff; padding: 10px 14px"
    return Sheets(
        size=size,
        first=sheet(name + body + foot),
        flows={"main": flow} if flow else {},
        cut=True,
        css=_SLIDE.replace("SIZE", str(letters)).replace("TOP", chance.choice(("", band))),
    )


_SLIDE = """\
body { font-size: SIZEpx; line-height: 1.3 }
h1 { font-size: 1.7em; TOP }
h2 { font-size: 1.15em }
.running { font-size: .55em }
.columns { gap: 40px }
figure svg { max-width: 100%; height: auto }
table.grid { font-size: .7em }
td, th { padding: 3px 8px }
li { margin-bottom: .5em }
"""


def _full(maker: Maker) -> tuple[str, str]:
    closing = text(escape(maker.writer.sentence())) if maker.maybe(0.3) else ""
    return slot(), _points(maker, 3, 6) + closing


def _tabled(maker: Maker) -> tuple[str, str]:
    return slot(), figures_table(maker)


def _halves(maker: Maker) -> tuple[str, str]:
    headed = maker.maybe(0.5)
    halves = [_half(maker, headed=headed) for _ in range(2)]
    if not headed:
        halves[maker.chance.randint(0, 1)] = figure(maker, 380, 240)
    columns = "".join(f'<div class="column">{half}</div>' for half in halves)
    return f'<div class="columns">{columns}</div>', ""


def _half(maker: Maker, *, headed: bool) -> str:
    return (heading(maker.writer.heading()) if headed else "") + _points(maker, 2, 4)


def _points(maker: Maker, least: int, most: int) -> str:
    w = maker.writer
    said = [
        escape(w.clause() if maker.maybe(0.5) else w.heading())
        for _ in range(maker.chance.randint(least, most))
    ]
    mark = maker.chance.choice(("•", "–", "▪", "{}."))
    return listed([mark.format(place) for place in range(1, len(said) + 1)], said)
