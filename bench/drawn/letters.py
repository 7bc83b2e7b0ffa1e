"""Letters and contracts."""

from __future__ import annotations

from html import escape

from bench.drawn.markup import (
    A4,
    LETTER,
    Maker,
    Sheets,
    block,
    columns,
    heading,
    lines,
    listed,
    pairs,
    rich,
    sheet,
    slot,
    text,
    title,
)
from bench.drawn.running import firm_footer, footer, header


def letter(maker: Maker) -> Sheets:
    """A letter: sender and recipient, date, subject, and a signature."""
    w, chance = maker.writer, maker.chance
    units = [*_heads(maker), *_greeting(maker)]
    units += [text(rich(maker, w.text(2, 6))) for _ in range(chance.randint(2, 7))]
    if maker.maybe(0.35):
        count = chance.randint(2, 5)
        marks = _marks(maker, count)
        units.insert(len(units) - 1, listed(marks, [escape(w.clause()) for _ in range(count)]))
    units += [lines([w.label("regards")]), lines([w.person(), w.heading()], "flush signed")]
    if maker.maybe(0.4):
        units.append(lines([w.label("enclosure"), w.heading()]))
    foot = firm_footer(maker) if maker.maybe(0.5) else ""
    gap = chance.randint(8, 18)
    return Sheets(
        size=chance.choice((A4, LETTER)),
        first=sheet(slot() + foot),
        rest=sheet(header(maker, [w.person()]) + slot() + footer(maker)),
        flows={"main": "".join(units)},
        css=".signed { margin-top: 46px } .end { text-align: end !important }"
        f".slot > p {{ margin-bottom: {gap}px }} .slot > .side {{ margin: 24px 0 }}",
    )


def _heads(maker: Maker) -> list[str]:
    """The letterhead and the addresses, in one of three places."""
    w = maker.writer
    own, to = w.address(), w.address(firm=maker.maybe(0.5))
    date = lines([f"{w.word('towns')}, {w.date()}"], "end" if maker.maybe(0.6) else "flush")
    form = maker.chance.randint(0, 2)
    if form == 0:
        logo = block(
            "header", escape(own[0]), look="flush", also="title heading text", more=_big(maker)
        )
        return [logo, lines(to), date]
    if form == 1:
        facts = [(w.label("reference"), w.code()), (w.label("phone"), w.phone())]
        return [f'<div class="side">{lines(to)}{pairs(maker, facts)}</div>', date]
    return [lines(own, "end", also="header"), lines(to), date]


def _big(maker: Maker) -> str:
    return f'style="font-size: {maker.chance.choice((1.4, 1.8))}em; color: {maker.style.ink}"'


def _greeting(maker: Maker) -> list[str]:
    w = maker.writer
    comma = {"zh": "：", "ar": "،"}.get(w.language, ",")
    greeting = lines([w.joined(w.label("dear"), w.person()) + comma])
    if maker.maybe(0.2):
        return [greeting]
    said = escape(w.heading())
    if maker.maybe(0.3):
        said = escape(w.label("subject")) + ": " + said
    return [block("text", f"<b>{said}</b>", look="flush", also="heading title"), greeting]


def _marks(maker: Maker, count: int) -> list[str]:
    forms = ("•", "–", "■", "{}.", "({})", "{})")
    form = maker.chance.choice(forms)
    return [form.format(number) for number in range(1, count + 1)]


def contract(maker: Maker) -> Sheets:
    """An agreement of two parties in numbered clauses, over pages, signed at its end."""
    w, chance = maker.writer, maker.chance
    sides = [lines(w.address()) for _ in range(2)]
    units = [title(w.label("contract") + (": " + w.heading() if maker.maybe(0.5) else ""))]
    units += _sides(maker, sides)
    form = chance.choice(("{n}. {t}", "{c} {n} {t}", "{c} {n}: {t}"))
    for number in range(1, chance.randint(5, 12)):
        said = form.format(n=number, c=w.label("clause"), t=w.heading())
        units.append(heading(said, 1))
        units += _clause(maker, number)
    signed = "".join(
        lines(["_" * 24, w.label("place")], "flush")
        if place
        else lines(["_" * 24, w.label("signature")], "flush")
        for place in range(2)
    )
    units.append(f'<div class="side signatures">{signed}</div>')
    foot = footer(maker, [w.label("contract")] if maker.maybe(0.5) else [])
    body = slot() if maker.maybe(0.85) else columns(2)
    return Sheets(
        size=chance.choice((A4, LETTER)),
        first=sheet(body + foot),
        rest=sheet((header(maker, [w.firm()]) if maker.maybe(0.4) else "") + body + foot),
        flows={"main": "".join(units)},
        css=".signatures { margin-top: 60px }"
        + ("h1 { text-align: center } h2 { font-size: 1.1em }" if maker.maybe(0.6) else ""),
    )


def _sides(maker: Maker, sides: list[str]) -> list[str]:
    w = maker.writer
    between, both = (lines([w.label(key)]) for key in ("between", "and"))
    if maker.maybe(0.4):
        return [between, f'<div class="side">{sides[0]}{sides[1]}</div>']
    return [between, sides[0], both, sides[1]]


def _clause(maker: Maker, number: int) -> list[str]:
    """A clause: paragraphs with or without numbers of their own, or lettered points."""
    w, chance = maker.writer, maker.chance
    form = chance.randint(0, 2)
    if form == 0:
        return [text(rich(maker, w.text(1, 4))) for _ in range(chance.randint(1, 2))]
    if form == 1:
        count = chance.randint(2, 4)
        return [
            text(f"{number}.{place} {escape(w.text(1, 3))}") for place in range(1, count + 1)
        ]
    points = [escape(w.sentence()) for _ in range(chance.randint(2, 5))]
    letters = "أبجدهوز" if w.language == "ar" else "abcdefg"
    marks = [f"({letter})" for letter in letters[: len(points)]]
    return [text(escape(w.sentence())), listed(marks, points)]
