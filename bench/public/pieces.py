"""The pieces of a page's Markdown: tables, formulas and texts, each with its position.

Source: what OmniDocBench's evaluator takes from Markdown (`md_tex_filter`),
https://github.com/opendatalab/OmniDocBench; tables as pipes and in LaTeX, which we never write,
are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from bench.public.normal import formula, letters

_IMAGE = re.compile(r"!\[.*?\]\(.*?\)")
_FENCE = re.compile(r"^```(?:markdown|html|latex)?\n?|```\n?$", re.MULTILINE)
_TABLE = re.compile(r"<table[^>]*>.*?</table>", re.DOTALL)
_FORMULA = re.compile(r"\$\$(.*?)\$\$|\\\[(.*?)\\\]|(\$.*?\$|\\\(.*?\\\))", re.DOTALL)
_ARRAY = re.compile(r"\\begin\{array\}\{([^}]*)\}(.*?)\\end\{array\}", re.DOTALL)
_NOT_A_COLUMN = re.compile(r"[\s|]|[@!]\{[^}]*\}")


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A text or a formula of the Markdown.

    Attributes:
        text: In the form that is compared.
        place: Where it begins.
        kind: An inline formula is also part of its text.
    """

    text: str
    place: int
    kind: Literal["text", "formula", "inline"]


def tables_and_pieces(markdown: str) -> tuple[list[str], list[Piece]]:
    """The tables in HTML, and everything else in order, inline formulas last."""
    markdown = _FENCE.sub("", _IMAGE.sub("", markdown))
    tables = [table[0] for table in _TABLE.finditer(markdown)]
    rest = _TABLE.sub(_blank, markdown)
    found = [*_formulas(rest), *_texts(_FORMULA.sub(_blank_display, rest))]
    pieces = [piece for piece in found if piece.text]
    return tables, sorted(pieces, key=lambda piece: (piece.kind == "inline", piece.place))


def rows_of_array(latex: str) -> list[str]:
    """The rows of a formula that is an array of one column; any other formula itself."""
    array = _ARRAY.search(latex)
    if not array or _NOT_A_COLUMN.sub("", array[1]) not in ("l", "c", "r"):
        return [latex]
    return [row.strip() for row in array[2].split("\\\\") if row.strip()]


def _formulas(markdown: str) -> Iterator[Piece]:
    for found in _FORMULA.finditer(markdown):
        if found[3]:
            bare = formula(found[3].removeprefix("\\(").removesuffix("\\)"))
            yield Piece(text=bare, place=found.start(), kind="inline")
            continue
        for row in rows_of_array(" ".join((found[1] or found[2] or "").split("\n"))):
            yield Piece(text=formula(row), place=found.start(), kind="formula")


def _texts(markdown: str) -> Iterator[Piece]:
    gap = "\n\n" if "\n\n" in markdown else "\n"
    place = 0
    for part in markdown.split(gap):
        yield Piece(text=letters(part), place=place, kind="text")
        place += len(part) + len(gap)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _blank_display(found: re.Match[str]) -> str:
    return found[0] if found[3] else _blank(found)
