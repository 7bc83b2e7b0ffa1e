"""The look of a drawn document: fonts, sizes, rules, shades, picked at random, as CSS."""

from __future__ import annotations

import random
from dataclasses import dataclass

LATIN = (
    "'DejaVu Sans'",
    "'DejaVu Sans'; font-stretch: condensed",
    "'DejaVu Serif'",
    "'DejaVu Serif'; font-stretch: condensed",
    "'Noto Sans CJK SC'",
    "'Noto Sans CJK SC'",
    "'Noto Serif CJK SC'",
    "'Noto Serif CJK SC'",
)
CHINESE = ("'Noto Sans CJK SC'", "'Noto Serif CJK SC'")
ARABIC = ("'DejaVu Sans'", "'DejaVu Sans'; font-stretch: condensed")
INKS = ("#1f3a5f", "#7a1f1f", "#1f5f3a", "#444", "#5a3a7a", "#0b6fa4", "#b35900", "#000")
RULES = ("grid", "rows", "head", "none", "frame", "columns", "dotted")


@dataclass(frozen=True, kw_only=True)
class Style:
    """A look.

    Attributes:
        font: CSS after `font-family:`, without a semicolon at its end.
        size: Of the letters, in CSS pixels.
        leading: Line height in sizes.
        ink: The colour of emphasis.
        rules: Which rules tables have, of `RULES`.
        shade: The colour behind every second row of a table, or empty.
        head: The look of a table's head: `dark`, `light`, `bold` or `plain`.
        pad: Space above and below a cell's text, in CSS pixels.
        align: Of running text: `justify` or `start`.
        indent: Whether paragraphs begin with an indent, and have no space between them.
        numbered: Whether headings are.
        margin: Of the sheet, left and right, in CSS pixels.
    """

    font: str
    size: float
    leading: float
    ink: str
    rules: str
    shade: str
    head: str
    pad: float
    align: str
    indent: bool
    numbered: bool
    margin: int


def style_of(chance: random.Random, language: str) -> Style:
    """A look for a language."""
    fonts = {"zh": CHINESE, "ar": ARABIC}.get(language, LATIN)
    return Style(
        font=chance.choice(fonts),
        size=round(chance.uniform(10.5, 14.5), 1),
        leading=round(chance.uniform(1.2, 1.6), 2),
        ink=chance.choice(INKS),
        rules=chance.choice(RULES),
        shade=chance.choice(("", "", "#f2f2f2", "#eaf1f8", "#f6f0e4")),
        head=chance.choice(("dark", "light", "bold", "plain", "light")),
        pad=round(chance.uniform(1.5, 7), 1),
        align=chance.choice(("justify", "start")),
        indent=chance.random() < 0.35,
        numbered=chance.random() < 0.5,
        margin=chance.randint(46, 96),
    )


_RULES = {
    "grid": "td, th { border: 1px solid #777 }",
    "rows": "tbody tr { border-bottom: 1px solid #bbb } thead { border-bottom: 2px solid INK }",
    "head": "thead { border-top: 1.5px solid #000; border-bottom: 1px solid #000 }"
    " table.grid { border-bottom: 1.5px solid #000 }",
    "none": "",
    "frame": "table.grid { border: 1px solid #555 } thead { border-bottom: 1px solid #555 }",
    "columns": "td, th { border-left: 1px solid #999; border-right: 1px solid #999 }"
    " table.grid { border: 1px solid #999 } thead { border-bottom: 1px solid #999 }",
    "dotted": "tbody tr { border-bottom: 1px dotted #666 }",
}
_HEADS = {
    "dark": "thead th { background: INK; color: #fff }",
    "light": "thead th { background: #e4e8ec }",
    "bold": "",
    "plain": "thead th { font-weight: normal }",
}
_SHEET = """\
* { box-sizing: border-box; -webkit-print-color-adjust: exact }
@page { size: WIDTHpx HEIGHTpx; margin: 0 }
html, body { margin: 0; padding: 0; background: #fff }
body { font-family: FONT; font-size: SIZEpx; line-height: LEADING; color: #111;
  hyphens: manual; overflow-wrap: break-word }
.sheet { width: WIDTHpx; height: HEIGHTpx; padding: 40px MARGINpx 34px; position: relative;
  display: flex; flex-direction: column; overflow: hidden; break-after: page }
.sheet:last-of-type { break-after: auto }
.columns { display: flex; gap: 24px; flex: 1; min-height: 0 }
.column { display: flex; flex-direction: column; flex: 1; min-width: 0; min-height: 0 }
.slot { flex: 1; min-height: 0; overflow: hidden }
.feet { border-top: 1px solid #888; margin-top: 6px; padding-top: 3px }
.feet:empty { display: none }
.note { font-size: .8em; margin: 1px 0; line-height: 1.25 }
.side { display: flex; justify-content: space-between; gap: 28px }
.running { display: flex; justify-content: space-between; font-size: .82em; color: #444;
  gap: 20px }
.row { display: flex; justify-content: space-between; overflow: hidden }
.running p { margin: 0 }
.top { padding-bottom: 6px; margin-bottom: 14px }
.bottom { padding-top: 6px; margin-top: 12px }
.ruled.top { border-bottom: 1px solid #888 } .ruled.bottom { border-top: 1px solid #888 }
p { margin: 0 0 GAP; text-align: ALIGN } .flush p, p.flush { text-align: start }
p.body { text-indent: INDENT } p.rest { text-indent: 0 }
p.cut { text-align-last: LASTALIGN; margin-bottom: 0 }
h1, h2, h3, h4 { line-height: 1.2; margin: .9em 0 .4em; color: INK; text-align: start }
h1 { font-size: 1.9em; margin-top: 0 } h2 { font-size: 1.45em } h3 { font-size: 1.18em }
h4 { font-size: 1em }
.slot > :first-child { margin-top: 0 }
ul, ol { list-style: none; margin: 0 0 .7em; padding: 0 }
li { margin: 0 0 .25em; padding-inline-start: 1.9em; position: relative }
li.drawn { list-style: disc; padding: 0; margin-inline-start: 1.9em }
li > ul, li > ol { margin: .25em 0 0 }
.mark { position: absolute; inset-inline-start: .4em }
table { border-collapse: collapse; margin: 0 0 12px }
table.grid { width: 100% }
td, th { padding: PADpx 6px; text-align: start; vertical-align: top }
.end { text-align: end } .middle { text-align: center }
.sum td { font-weight: bold }
.pairs { border: none }
.pairs td, .pairs th { border: none !important; padding: 1px 10px 1px 0 }
.pairs tr { border: none !important; background: none !important }
.pairs th { font-weight: normal; color: #444 }
.label { color: #555; font-size: .86em; margin: 0 0 2px }
.caption { font-size: .87em; margin: 4px 0 12px; text-align: start }
a { color: #0645ad } sup { font-size: .65em; line-height: 0 }
.box { border: 1px solid #666; padding: 8px 10px }
.panel { background: #eef2f5; padding: 8px 12px }
figure { margin: 8px 0 4px; text-align: center } svg { display: inline-block }
svg text { font-size: 10px } svg .key { font-size: 9px }
"""


def css_of(style: Style, width: int, height: int) -> str:
    """The style sheet; the size of a sheet is in CSS pixels."""
    values = {
        "WIDTH": str(width),
        "HEIGHT": str(height),
        "FONT": style.font,
        "SIZE": str(style.size),
        "LEADING": str(style.leading),
        "LASTALIGN": "justify" if style.align == "justify" else "auto",
        "ALIGN": style.align,
        "INDENT": "1.4em" if style.indent else "0",
        "GAP": "0" if style.indent else ".7em",
        "MARGIN": str(style.margin),
        "PAD": str(style.pad),
        "INK": style.ink,
    }
    text = _SHEET + _RULES[style.rules] + _HEADS[style.head]
    if style.shade:
        text += f"table.grid tbody tr:nth-child(even) {{ background: {style.shade} }}"
    for name in sorted(values, key=len, reverse=True):
        text = text.replace(name, values[name])
    return text
