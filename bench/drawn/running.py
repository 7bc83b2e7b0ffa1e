"""Headers, footers and page numbers of sheets."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from bench.drawn.markup import Maker, block


def header(maker: Maker, said: Sequence[str]) -> str:
    """A line at the top of a sheet, with the page's number or without."""
    parts = [block("header", escape(one)) for one in said]
    if maker.maybe(0.3):
        parts.append(number(maker))
    return f'<div class="running top {_rule(maker)}">{"".join(parts)}</div>'


def footer(maker: Maker, said: Sequence[str] = ()) -> str:
    """A line at the bottom of a sheet, with the page's number in its middle or at its end."""
    parts = [block("footer", escape(one)) for one in said]
    look = ' style="justify-content: center"' if not parts and maker.maybe(0.6) else ""
    inner = "".join(parts) + number(maker)
    return f'<div class="running bottom {_rule(maker)}"{look}>{inner}</div>'


def firm_footer(maker: Maker) -> str:
    """Columns of a company's particulars at the bottom: address, contact, bank."""
    w = maker.writer
    columns = [
        w.address()[:4],
        [f"{w.label('phone')} {w.phone()}", f"{w.label('web')} {w.site()}"],
        [f"{w.label('bank')} {w.word('towns')}", f"{w.label('iban')} {iban(maker)}"],
    ]
    parts = (block("footer", "<br>".join(map(escape, one))) for one in columns)
    page = number(maker) if maker.maybe(0.5) else ""
    return f'<div class="running bottom {_rule(maker)}">{"".join(parts)}{page}</div>'


def number(maker: Maker) -> str:
    """A page's number, in one of its forms."""
    w = maker.writer
    page, of = w.label("page"), w.label("of")
    forms = ["{n}", "– {n} –", "{n}/{N}", f"{page} {{n}}", f"{page} {{n}} {of} {{N}}"]
    if w.language == "zh":
        forms = ["{n}", "第 {n} 页", "第 {n} 页 共 {N} 页", "{n}/{N}"]
    return block("page_number", "0", more=f'data-number="{maker.chance.choice(forms)}"')


def iban(maker: Maker) -> str:
    """Something that looks like an account's number."""
    return " ".join(["XX00", *(f"{maker.chance.randint(0, 9999):04}" for _ in range(4))])


def _rule(maker: Maker) -> str:
    return "ruled" if maker.maybe(0.5) else ""
