"""The look of an official table: rules, spacing, letters, alignment of values; as CSS."""

from __future__ import annotations

import random
from dataclasses import dataclass

RULES = ("none", "booktabs", "rows", "grid", "zebra", "head", "frame")
_WEIGHTS = (20, 24, 14, 14, 10, 12, 6)


@dataclass(frozen=True, kw_only=True)
class Look:
    """The look of a table.

    Attributes:
        rules: One of `RULES`.
        gutter: Minimum space between the texts of two columns, in CSS pixels.
        pad: Above and below a cell's text, likewise.
        size: Of the letters, likewise.
        leading: Line height in sizes.
        full: Whether the table takes the full width of its column.
        sides: Alignment of values: `end`, `middle`, `start`, or `mixed`.
        bottom: Position of heads that are lower than others: `bottom`, `top` or `middle`.
        level: Position of values beside a name of several lines.
        bold: Whether heads are.
        ruled_spans: Whether a rule is drawn under a head over several columns.
    """

    rules: str
    gutter: float
    pad: float
    size: float
    leading: float
    full: bool
    sides: str
    bottom: str
    level: str
    bold: bool
    ruled_spans: bool

    @property
    def is_open(self) -> bool:
        """Whether there is no rule between the rows of its head."""
        return self.rules not in ("rows", "grid")


def look_of(chance: random.Random) -> Look:
    """A random look."""
    tight = chance.random() < 0.35
    return Look(
        rules=chance.choices(RULES, _WEIGHTS)[0],
        gutter=round(
            chance.choices(
                (chance.uniform(4.5, 7), chance.uniform(8, 18), chance.uniform(20, 44)),
                (18, 60, 22),
            )[0],
            1,
        ),
        pad=round(chance.uniform(0, 0.8) if tight else chance.uniform(1, 6), 1),
        size=round(chance.uniform(8.5, 13), 1),
        leading=round(chance.uniform(1.12, 1.45), 2),
        full=chance.random() < 0.45,
        sides=chance.choices(("end", "middle", "start", "mixed"), (55, 18, 10, 17))[0],
        bottom=chance.choices(("bottom", "top", "middle"), (65, 20, 15))[0],
        level=chance.choices(("top", "bottom", "middle"), (50, 35, 15))[0],
        bold=chance.random() < 0.6,
        ruled_spans=chance.random() < 0.6,
    )


_RULES = {
    "none": "",
    "booktabs": "NAME { border-top: 1.6px solid #000; border-bottom: 1.6px solid #000 }"
    " NAME thead { border-bottom: 1px solid #000 }",
    "rows": "NAME tr { border-bottom: 1px solid #999 } NAME { border-top: 1px solid #555 }",
    "grid": "NAME td, NAME th { border: 1px solid #666 }",
    "zebra": "NAME tbody tr:nth-child(even) { background: #edf0f4 }"
    " NAME thead { background: #c9d3e0 }",
    "head": "NAME thead { border-bottom: 1px solid #000 }",
    "frame": "NAME { border: 1.2px solid #333 } NAME thead { border-bottom: 1px solid #333 }",
}
_SHEET = """\
NAME { font-size: SIZEpx; line-height: LEADING; WIDE }
NAME td, NAME th { padding: PADpx SIDEpx; vertical-align: LEVEL }
NAME thead th { vertical-align: BOTTOM; font-weight: BOLD }
NAME thead th.over { text-align: center }
"""
CSS = """\
table.official { margin: 0 0 4px } .official td, .official th { text-align: start }
.official .end { text-align: end !important }
.official .middle { text-align: center !important }
.official th { font-weight: normal }
.narrow { width: min-content } .end .narrow { margin-inline-start: auto }
.middle .narrow { margin: 0 auto } .ruled-span { border-bottom: 1px solid #333 }
.one-line { white-space: nowrap } .set-apart { display: flex; justify-content: space-between;
  gap: .6em } .official .bold { font-weight: bold } .official .slanted { font-style: italic }
.official .sum { font-weight: bold } .official .over-sum { border-top: 1px solid #000 }
.official .room { padding-top: 1.1em !important } .notes p { margin: 0; font-size: .8em;
  line-height: 1.25 } .above { margin: 0 0 3px !important } .below { margin: 4px 0 12px }
p.close { margin-bottom: 0 !important } .pair { display: flex; gap: 26px; align-items: start }
.pair > p { flex: 1; margin: 0 } .apart { margin-top: 18px } .after { margin-bottom: 16px }
.turned { position: absolute; left: 0; top: 0; width: HEIGHTpx; height: WIDTHpx;
  padding: 60px 50px; transform-origin: 0 0;
  transform: translateY(HEIGHTpx) rotate(-90deg); display: flex; flex-direction: column }
"""


def css_of(look: Look, name: str) -> str:
    """The style sheet of a table with a class of this name."""
    text = _SHEET + _RULES[look.rules]
    values = {
        "NAME": f"table.{name}",
        "SIZE": str(look.size),
        "LEADING": str(look.leading),
        "WIDE": "width: 100%" if look.full else "",
        "PAD": str(look.pad),
        "SIDE": str(round(look.gutter / 2, 2)),
        "LEVEL": look.level,
        "BOTTOM": look.bottom,
        "BOLD": "bold" if look.bold else "normal",
    }
    for key in sorted(values, key=len, reverse=True):
        text = text.replace(key, values[key])
    return text
