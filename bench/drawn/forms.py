"""Forms to be filled in, and statements of accounts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from bench.drawn.markup import (
    A4,
    LETTER,
    Maker,
    Sheets,
    Td,
    block,
    heading,
    lines,
    pairs,
    sheet,
    slot,
    table,
    text,
    title,
)
from bench.drawn.running import firm_footer, footer, header, iban

FIELDS = (
    "last_name",
    "first_name",
    "born",
    "street",
    "city",
    "country",
    "work",
    "phone",
    "email",
)


def form(maker: Maker) -> Sheets:
    """A form: sections of fields, filled in or not, boxes to tick, a signature."""
    w, chance = maker.writer, maker.chance
    units = [title(w.label("form"))]
    if maker.maybe(0.7):
        units.append(text(escape(w.text(1, 2))))
    fields = chance.choice((_lined, _boxed, _celled))
    for number in range(1, chance.randint(3, 5)):
        said = chance.choice((w.label("applicant"), w.heading()))
        name = f"{w.label('section')} {number}: {said}" if maker.maybe(0.3) else said
        units.append(heading(f"{number}. {name}" if maker.style.numbered else name))
        keys = chance.sample(FIELDS, chance.randint(3, 8))
        units += fields(maker, [(w.label(key), _filled(maker, key)) for key in keys])
        units += _ticks(maker) if maker.maybe(0.6) else []
    units += [text(escape(f"{w.label('declare')} {w.clause()}.")), _signed(maker)]
    code = [w.code()] if maker.maybe(0.5) else []
    return Sheets(
        size=chance.choice((A4, LETTER)),
        first=sheet(header(maker, [w.firm(), *code]) + slot() + footer(maker)),
        rest=sheet(slot() + footer(maker)),
        flows={"main": "".join(units)},
        css=_FORM.replace("INK", maker.style.ink),
    )


_FORM = """\
h2 { font-size: 1.1em; background: #e6eaee; padding: 3px 6px; color: #111 }
.fields { display: grid; grid-template-columns: 1fr 1fr; gap: 8px 20px; margin-bottom: 12px }
.fields p { margin: 0; text-align: start } .fields .wide { grid-column: 1 / -1 }
.lined p { border-bottom: 1px solid #555; min-height: 1.5em }
.boxed p { border: 1px solid #666; padding: 2px 6px 5px; min-height: 3.2em }
.boxed small { color: #555; font-size: .75em; display: block }
.hand { color: #123a8c; font-style: italic } .ticks { margin-bottom: 12px }
.tick { display: inline-block; width: .85em; height: .85em; border: 1px solid #222 }
.celled td, .celled th { border: 1px solid #555 !important }
.ticks p { margin: 0 0 4px; text-align: start } .signed { margin-top: 44px }
.signed p { border-top: 1px solid #333; min-width: 200px }
"""


def _filled(maker: Maker, key: str) -> str:
    """The content of a field, which may be empty."""
    w = maker.writer
    if maker.maybe(0.25):
        return ""
    values: dict[str, Callable[[], str]] = {
        "last_name": lambda: w.word("lasts"),
        "first_name": lambda: w.word("firsts"),
        "born": w.date,
        "street": lambda: w.address()[2],
        "city": lambda: w.word("towns"),
        "country": lambda: w.word("countries"),
        "work": lambda: w.word("nouns"),
        "phone": w.phone,
        "email": lambda: f"box{maker.chance.randint(1, 99)}@tarn.example",
    }
    return values[key]()


def _lined(maker: Maker, fields: Sequence[tuple[str, str]]) -> list[str]:
    """Names with values on a line."""
    colon = maker.chance.choice((":", "", " :"))
    made = (
        block(
            "text",
            f"{escape(name + colon)} <span class=hand>{escape(value)}</span>",
            also="table",
        )
        for name, value in fields
    )
    return [f'<div class="fields lined">{"".join(made)}</div>']


def _boxed(maker: Maker, fields: Sequence[tuple[str, str]]) -> list[str]:
    """Boxes with a small name in their corner."""
    made = (
        block("text", f"<small>{escape(name)}</small>{escape(value)}", also="table")
        for name, value in fields
    )
    return [f'<div class="fields boxed">{"".join(made)}</div>']


def _celled(maker: Maker, fields: Sequence[tuple[str, str]]) -> list[str]:
    """A ruled table of names and values, in two columns or four."""
    wide = len(fields) > 4 and maker.maybe(0.5)
    step = 2 if wide else 1
    rows = []
    for place in range(0, len(fields) - len(fields) % step, step):
        row = fields[place : place + step]
        rows.append(
            [Td(text=t, header=not k, look="") for pair in row for k, t in enumerate(pair)]
        )
    if maker.maybe(0.3):
        rows.append(
            [
                Td(text=maker.writer.label("note"), header=True),
                Td(text="", columns=2 * step - 1),
            ]
        )
    return [table([], rows, look="grid celled")]


def _ticks(maker: Maker) -> list[str]:
    """Boxes to tick, drawn as signs or as frames."""
    w = maker.writer
    drawn = maker.maybe(0.4)
    said = (
        [w.label("yes"), w.label("no")] if maker.maybe(0.4) else [w.heading() for _ in range(3)]
    )
    rows = []
    for one in said:
        sign = (
            '<span class="tick"></span>' if drawn else maker.chance.choice(("☐", "☑", "☒", "☐"))
        )
        rows.append(f"{sign} {escape(one)}")
    if maker.maybe(0.5):
        inner = "&emsp;&emsp;".join(rows)
        return [block("text", f"{escape(w.heading())}: {inner}", look="ticks flush")]
    return [block("text", "<br>".join(rows), look="ticks flush", also="list")]


def _signed(maker: Maker) -> str:
    w = maker.writer
    both = "".join(block("text", escape(w.label(key))) for key in ("place", "signature"))
    return f'<div class="side signed">{both}</div>'


def statement(maker: Maker) -> Sheets:
    """A bank's statement: an account, its movements over pages, balances."""
    w, chance = maker.writer, maker.chance
    facts = [
        (w.label("holder"), w.person()),
        (w.label("account"), w.code()),
        (w.label("iban"), iban(maker)),
        (w.label("period"), f"{w.date()} – {w.date()}"),
    ]
    to, given = lines(w.address(firm=False)), pairs(maker, facts)
    units = [f'<div class="side">{to}{given}</div>', title(w.label("statement"))]
    if maker.maybe(0.3):
        units.append(text(escape(w.text(1, 2))))
    units += _movements(maker, chance.choice((chance.randint(4, 15), chance.randint(24, 70))))
    units.append(text(escape(w.text(1, 3)), "body small"))
    bank = header(maker, [w.firm()])
    foot = firm_footer(maker) if maker.maybe(0.6) else footer(maker)
    return Sheets(
        size=chance.choice((A4, LETTER)),
        first=sheet(bank + slot() + foot),
        rest=sheet(header(maker, [w.label("statement"), w.code()]) + slot() + foot),
        flows={"main": "".join(units)},
        css=".slot > .side { margin-bottom: 20px } .small { font-size: .85em }",
    )


def _movements(maker: Maker, count: int) -> list[str]:
    w, chance = maker.writer, maker.chance
    two, valued, running = maker.maybe(0.6), maker.maybe(0.4), maker.maybe(0.6)
    keys = ["date", *(["value_date"] if valued else []), "details"]
    keys += ["debit", "credit"] if two else ["amount"]
    keys += ["balance"] if running else []
    sums = {"debit", "credit", "amount", "balance"}
    head = [Td(text=w.label(key), look="end" if key in sums else "") for key in keys]
    level = chance.uniform(500, 9000)
    rows = [_edge_row(maker, "opening", level, len(keys))] if maker.maybe(0.6) else []
    for _ in range(count):
        change = round(chance.uniform(-400, 450), 2)
        level += change
        rows.append([_movement_cell(maker, key, change, level) for key in keys])
    rows += [_edge_row(maker, "closing", level, len(keys))] if maker.maybe(0.7) else []
    return [table([head], rows, tied=1)]


def _edge_row(maker: Maker, key: str, level: float, count: int) -> list[Td]:
    said = Td(text=maker.writer.label(key), columns=count - 1, look="sum")
    return [said, Td(text=maker.writer.number(level), look="end sum")]


def _movement_cell(maker: Maker, key: str, change: float, level: float) -> Td:
    w = maker.writer
    if key in ("date", "value_date"):
        day, month = maker.chance.randint(1, 28), maker.chance.randint(1, 12)
        return Td(text=f"{day:02}.{month:02}.")
    if key == "details":
        more = f"\n{w.label('reference')} {w.code()}" if maker.maybe(0.35) else ""
        return Td(text=w.chance.choice((w.firm, w.person, w.good))() + more)
    shown = {
        "debit": w.number(-change) if change < 0 else "",
        "credit": w.number(change) if change >= 0 else "",
        "amount": f"{'-' if change < 0 else '+'}{w.number(abs(change))}",
        "balance": w.number(level),
    }[key]
    return Td(text=shown, look="end")
