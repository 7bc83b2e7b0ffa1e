"""Ways to set paragraphs on pages: HTML and CSS, and what must be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from random import Random
from typing import NamedTuple

COUNT = 26  # paragraphs of a document
FONTS = {"ja": "'Noto Serif CJK JP'", "zh_CN": "'Noto Sans CJK SC'", "ko": "'Noto Sans CJK KR'"}
_LATIN = ("'DejaVu Serif'", "'DejaVu Sans'", "'Liberation Serif'", "'Liberation Sans'")


class Setting(NamedTuple):
    """A way to set paragraphs.

    Attributes:
        size: Of the type, in pixels.
        leading: Times the size.
        css: Of the paragraphs.
        html: One of them, from its place and its text; None if it is a plain `p`.
        truth: What is read of it, from its place and its text.
    """

    size: float
    leading: float
    css: str
    html: Callable[[int, str], str] | None = None
    truth: Callable[[int, str], str] = lambda _, text: text


def _every(place: int, step: int, kind: str) -> Callable[[int, str], str]:
    def html(at: int, text: str) -> str:
        return _p(text, kind if at % step == place else "")

    return html


def _p(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escape(text)}</p>'


def _in_box(at: int, text: str) -> str:
    return f"<div class=s>{_p(text)}</div>" if at % 6 == 1 else _p(text)


def _run_in(_: int, text: str) -> str:
    first, *others = text.split(" ", maxsplit=1)
    rest = "".join(others)
    return f"<p><b>{escape(first)}</b> {escape(rest)}</p>"


SETTINGS = {
    "hanging": Setting(13, 1.3, "p{padding-left:2em;text-indent:-2em;margin-bottom:.35em}"),
    "close": Setting(14, 1.15, "p{margin-bottom:.25em}"),
    "wide": Setting(14, 1.7, "p{margin-bottom:.5em}body{width:60%}"),
    "bold words": Setting(13, 1.35, "p{margin-bottom:.5em;text-align:justify}", _run_in),
    "quotations": Setting(
        14,
        1.35,
        "p{margin-bottom:.6em}.q{margin:.4em 3em .8em;font-size:.88em;font-style:italic}",
        _every(1, 3, "q"),
    ),
    "quotations in set-in text": Setting(
        14,
        1.3,
        "p{text-indent:1.3em;text-align:justify}"
        ".q{margin:.5em 2.2em;font-size:.9em;text-indent:0}",
        _every(1, 3, "q"),
    ),
    "numbers": Setting(
        13,
        1.3,
        "p{margin-bottom:.4em;text-align:justify}",
        lambda at, text: _p(f"{at + 1}. {text}"),
        lambda at, text: f"{at + 1}. {text}",
    ),
    "centered": Setting(14, 1.4, "p{text-align:center;margin-bottom:.7em}body{padding:0 3em}"),
    "boxes in the text": Setting(
        13,
        1.35,
        "p{margin-bottom:.6em}.s{float:right;width:32%;margin:0 0 .6em 1.2em;padding:.6em;"
        "background:#eee;font-size:.85em}",
        _in_box,
    ),
    "two columns": Setting(
        12, 1.25, "body{column-count:2;column-gap:5mm}p{margin-bottom:.4em}"
    ),
    "two columns, set in": Setting(
        12, 1.3, "body{column-count:2;column-gap:6mm}p{text-indent:1.5em;text-align:justify}"
    ),
    "three columns, set in": Setting(
        11, 1.3, "body{column-count:3;column-gap:5mm}p{text-indent:1em}"
    ),
    "large initials": Setting(
        14,
        1.35,
        "p{text-indent:1.2em}.d{text-indent:0}.d::first-letter{font-size:3.1em;float:left;"
        "line-height:.85;padding-right:.06em}",
        _every(0, 7, "d"),
    ),
}


def page(setting: Setting, texts: Sequence[str], language: str, chance: Random) -> str:
    """The HTML of a document of some paragraphs."""
    font = FONTS.get(language) or chance.choice(_LATIN)
    html = setting.html or (lambda _, text: _p(text))
    body = "".join(html(at, text) for at, text in enumerate(texts))
    margin = chance.choice([14, 18, 22])
    return (
        f"<html lang={language[:2]}><style>@page{{size:A4;margin:{margin}mm}}"
        f"body{{margin:0;font:{setting.size}px/{setting.leading} {font}}}p{{margin:0}}"
        f"{setting.css}</style>{body}</html>"
    )
