"""Invoices, receipts and price lists."""

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

Money = Callable[[float], str]
_NAMES = {  # the `Document.fields` names of what has another name here
    "number": "number",
    "date": "date",
    "due": "due_date",
    "customer": "customer_number",
    "order": "order_number",
    "tax_number": "tax_number",
    "vat": "tax",
}


def invoice(maker: Maker) -> Sheets:
    """An invoice: addresses, particulars, positions, sums, terms; long ones continue."""
    w, chance = maker.writer, maker.chance
    firm = w.firm()
    name = escape(firm)
    told = _particulars(maker)
    particulars = pairs(maker, [(w.label(key), value) for key, value in told.items()])
    to = [w.label("bill_to"), *w.address()]
    other = [w.label("ship_to"), *w.address()] if maker.maybe(0.4) else None
    heads = [
        title(w.label("invoice")) if maker.maybe(0.8) else _small_title(w.label("invoice"))
    ]
    beside = maker.maybe(0.6)
    sides = [lines(to), *([lines(other)] if other else []), *([particulars] * beside)]
    units = [*_letterhead(maker, name), f'<div class="side">{"".join(sides)}</div>']
    units = units[:1] + heads + units[1:] if maker.maybe(0.4) else units + heads
    units += [] if beside else [particulars]
    units += [text(escape(w.text(1, 2)))] if maker.maybe(0.5) else []
    count = chance.choice((chance.randint(1, 6), chance.randint(5, 14), chance.randint(20, 48)))
    tables, items, sums = _positions(maker, count)
    units += [*tables, *_terms(maker)]
    foot = firm_footer(maker) if maker.maybe(0.7) else footer(maker)
    w.code()  # which was once in the next line: seeds must keep drawing the same
    running = header(maker, [f"{w.label('invoice')} {told['number']}"])
    return Sheets(
        size=chance.choice((A4, A4, LETTER)),
        first=sheet(slot() + foot),
        rest=sheet((running if maker.maybe(0.5) else "") + slot() + foot),
        flows={"main": "".join(units)},
        css=".side { margin: 14px 0 22px } h1 { margin: 10px 0 }"
        ".right { display: flex; justify-content: flex-end }",
        fields={
            "supplier": firm,
            "customer": to[1],
            "customer_address": "\n".join(to[2:]),
            **({"ship_to": "\n".join(other[1:])} if other else {}),
            **{_NAMES[key]: value for key, value in told.items() if key in _NAMES},
            **sums,
        },
        items=tuple(items),
    )


def _small_title(said: str) -> str:
    return block("title", escape(said), tag="h3", also="heading", more="data-keep")


def _letterhead(maker: Maker, name: str) -> list[str]:
    logo = block(
        "header", name, also="title heading text", look="flush logo", more=_logo_style(maker)
    )
    if maker.maybe(0.5):
        return [logo]
    own = lines(maker.writer.address()[1:], look="flush label", kind="header", also="text")
    return [f'<div class="side">{logo}{own}</div>']


def _logo_style(maker: Maker) -> str:
    size = maker.chance.choice((1.3, 1.7, 2.1))
    return f'style="font-size: {size}em; font-weight: bold; color: {maker.style.ink}"'


def _particulars(maker: Maker) -> dict[str, str]:
    w = maker.writer
    values = {
        "number": w.code,
        "date": w.date,
        "due": w.date,
        "customer": w.code,
        "order": w.code,
        "tax_number": w.phone,
        "contact": w.person,
    }
    kept = [
        *("number", "date"),
        *maker.chance.sample(list(values)[2:], maker.chance.randint(1, 4)),
    ]
    return {key: values[key]() for key in kept}


def _positions(
    maker: Maker, count: int
) -> tuple[list[str], list[dict[str, str]], dict[str, str]]:
    """The table of positions, its sums in it or beside it; the positions; the sums."""
    w, chance = maker.writer, maker.chance
    sign = w.sign()

    def money(value: float) -> str:
        return sign.format(w.number(value))

    optional = chance.sample(["position", "article", "unit", "vat"], chance.randint(0, 3))
    keys: list[str] = [k for k in ("position", "article") if k in optional]
    keys += ["description", "quantity", *(["unit"] if "unit" in optional else []), "price"]
    keys += [*(["vat"] if "vat" in optional else []), "amount"]
    rows, total = [], 0.0
    for place in range(count):
        quantity, price = chance.randint(1, 40), round(chance.uniform(0.8, 900), 2)
        total += quantity * price
        rows.append([_position_cell(maker, k, place, quantity, price, money) for k in keys])
    head = [Td(text=w.label(key), look=_side_of(key)) for key in keys]
    names = [_NAMES.get(key, key) for key in keys]
    items = [dict(zip(names, (cell.text for cell in row), strict=True)) for row in rows]
    sums = _sums(maker, total, money)
    summed = {key: value for key, _, value, _ in sums}
    if maker.maybe(0.55):
        rows += [
            [
                Td(text=name, columns=len(keys) - 1, look=f"end {look}"),
                Td(text=value, look=f"end {look}"),
            ]
            for _, name, value, look in sums
        ]
        return [table([head], rows, tied=len(sums))], items, summed
    below = [[Td(text=n, look=k), Td(text=v, look=f"end {k}")] for _, n, v, k in sums]
    look = "pairs sums" if maker.maybe(0.7) else "sums"
    made = table([], below, look=look, tied=len(sums)).replace(
        'data-kind="table"', 'data-kind="table" data-also="text"'
    )
    return [table([head], rows), f'<div class="right">{made}</div>'], items, summed


def _side_of(key: str) -> str:
    return "end" if key in ("quantity", "price", "vat", "amount") else ""


def _position_cell(
    maker: Maker, key: str, place: int, quantity: int, price: float, money: Money
) -> Td:
    w, chance = maker.writer, maker.chance
    if key == "description":
        more = "\n" + w.text(1, 1) if maker.maybe(0.18) else ""
        return Td(text=w.good() + more)
    said: dict[str, Callable[[], str]] = {
        "position": lambda: str(place + 1),
        "article": w.code,
        "quantity": lambda: str(quantity),
        "unit": lambda: chance.choice(("", "kg", "m", "h", "l")) if place else "kg",
        "price": lambda: money(price),
        "vat": lambda: f"{chance.choice((7, 19, 20))}%",
        "amount": lambda: money(quantity * price),
    }
    return Td(text=said[key](), look=_side_of(key))


def _sums(maker: Maker, total: float, money: Money) -> list[tuple[str, str, str, str]]:
    """The sums of the positions: name of the field, label, sum, look.

    A lone total is theirs: it includes nothing that the page does not show.
    """
    w, rate = maker.writer, maker.chance.choice((7, 19, 20))
    sums = [("subtotal", w.label("subtotal"), money(total), "")]
    net = round(total, 2)
    if maker.maybe(0.25):
        off = round(total * 0.05, 2)
        sums.append(("discount", w.label("discount"), "-" + money(off), ""))
        net -= off
    if maker.maybe(0.25):
        sums.append(("shipping", w.label("shipping"), money(14.9), ""))
        net += 14.9
    tax = round(net * rate / 100, 2)
    sums.append(("tax", f"{w.label('vat')} {rate}%", money(tax), ""))
    sums.append(("total", w.label("total"), money(net + tax), "sum"))
    alone = [("total", w.label("total"), money(total), "sum")]
    return alone if maker.maybe(0.15) else sums


def _terms(maker: Maker) -> list[str]:
    w = maker.writer
    units = []
    if maker.maybe(0.5):
        units.append(heading(w.label("terms"), 3))
    units.append(text(escape(w.text(1, 3))))
    if maker.maybe(0.5):
        given = [
            (w.label("holder"), w.firm()),
            (w.label("bank"), w.word("towns")),
            (w.label("iban"), iban(maker)),
        ]
        units.append(pairs(maker, given))
    return units


def receipt(maker: Maker) -> Sheets:
    """A till's narrow receipt, as long as the purchase."""
    w, chance = maker.writer, maker.chance
    width, sign = chance.choice((260, 302, 340)), w.sign()
    top = lines(
        [w.firm(), *w.address(firm=False)[1:3]], "middle", "header", "text title heading"
    )
    rows, total = [], 0.0
    for _ in range(chance.randint(3, 18)):
        price = round(chance.uniform(0.5, 60), 2)
        total += price
        rows.append([Td(text=w.good()), Td(text=w.number(price), look="end")])
    last = [("total", total, "sum"), ("card" if maker.maybe(0.6) else "cash", total, "")]
    rows += [
        [Td(text=w.label(k), look=x), Td(text=sign.format(w.number(v)), look=f"end {x}")]
        for k, v, x in last
    ]
    made = table([], rows, look="grid till")
    facts = [f"{w.label('date')} {w.date()}", f"{w.label('cashier')} {chance.randint(1, 20)}"]
    thanks = lines([w.label("thanks")], "middle", "text", "footer")
    inner = top + lines(facts, "middle" if maker.maybe(0.5) else "flush") + made
    inner += lines([f"{w.label('tax_number')} {w.code()}"], "middle flush") + thanks
    return Sheets(
        size=(width, 900),
        first=sheet(inner, more="data-shrink"),
        css=_RECEIPT.replace("FONT", chance.choice(("monospace", "inherit"))),
    )


_RECEIPT = """\
.sheet { height: auto !important; padding: 16px 14px !important; overflow: visible;
  font-size: 11px; font-family: FONT }
.middle { text-align: center !important }
.till td { border: none !important; padding: 2px 0 !important; background: none }
.till { border: none !important; border-top: 1px dashed #333 !important }
.till .sum { border-top: 1px dashed #333 } tr { border: none !important }
"""


def price_list(maker: Maker) -> Sheets:
    """Groups of goods with their prices, over pages, in one column or two."""
    w, chance = maker.writer, maker.chance
    sign, wide = w.sign(), maker.maybe(0.7)
    keys = ["article", "size", "packing", "price"] if wide else ["article", "price"]
    head = [Td(text=w.label("number")), *(Td(text=w.label(k), look=_side_of(k)) for k in keys)]
    units = []
    grouped = maker.maybe(0.4)
    rows: list[Sequence[Td]] = []
    for _ in range(chance.randint(2, 5)):
        group = w.heading()
        goods = [_good_row(maker, sign, wide) for _ in range(chance.randint(4, 16))]
        if grouped:
            rows += [[Td(text=group, columns=len(head), header=True, look="group")], *goods]
        else:
            units += [heading(group, 2), table([head], goods)]
    units += [table([head], rows)] if grouped else []
    name = title(w.label("price_list"))
    valid = lines([f"{w.label('valid')} {w.date()}"])
    body = slot() if wide else f'<div class="columns">{slot()}{slot()}</div>'
    foot = footer(maker, [w.firm()])
    return Sheets(
        first=sheet(name + valid + body + foot),
        rest=sheet(header(maker, [w.label("price_list")]) + body + foot),
        flows={"main": "".join(units)},
        css=".group { background: #ddd; font-weight: bold }",
    )


def _good_row(maker: Maker, sign: str, wide: bool) -> list[Td]:
    w, chance = maker.writer, maker.chance
    price = Td(text=sign.format(w.number(chance.uniform(1, 400))), look="end")
    if not wide:
        return [Td(text=w.code()), Td(text=w.word("goods")), price]
    size = f"{chance.randint(2, 90)} × {chance.randint(2, 90)} mm" if maker.maybe(0.8) else ""
    packing = str(chance.choice((1, 5, 10, 25))) if maker.maybe(0.85) else "–"
    return [Td(text=w.code()), Td(text=w.good()), Td(text=size), Td(text=packing), price]
