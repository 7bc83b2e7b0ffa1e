"""Formulas within lines: letters, indices, powers, relations, as mathematics is printed.

A formula is a sequence of marks. Their texts in order are its label: what stands raised or
lowered follows what it belongs to, as the bundled recogniser writes it.
"""

from __future__ import annotations

import random
import string
from dataclasses import dataclass, replace

ITALIC, UPRIGHT, GREEK, SCRIPT, DOUBLE = "italic", "upright", "greek", "script", "double"
"""The styles of a mark: alphabets of mathematics, and the text's own face."""

_GREEK = "αβγδεζηθικλμνξπρστφχψωΓΔΘΛΞΠΣΦΨΩ"
_RELATIONS = "=======<>≤≥≤≥∈∈∈⊂⊆→→↦≠≠≈≡∼∼⇒⇔|:"
_OPERATIONS = "++++−−−−·×⊗⊕∘∩∪/∗±∧∨"
_NAMES = ("sin", "cos", "log", "exp", "max", "min", "det", "dim", "deg", "lim", "ker", "rank",
          "sup", "inf", "ln", "arg", "diag", "Pr", "Var", "tr")  # fmt: skip
_TIGHT, _THIN, _WIDE = 0.0, 0.167, 0.27  # of the letters' height: TeX's gaps


@dataclass(frozen=True)
class Mark:
    """Letters of one style.

    Attributes:
        text: What is printed, in plain letters.
        level: 1 raised, -1 lowered, 0 on the line.
        gap: The room before it, as a share of the letters' height.
        spaced: Whether the label has a space before it.
    """

    text: str
    style: str = UPRIGHT
    level: int = 0
    gap: float = _TIGHT
    spaced: bool = False


def formula(pick: random.Random, terms: int) -> list[Mark]:
    """A formula of about this many terms."""
    marks = _term(pick)
    for _ in range(terms - 1):
        if pick.random() < 0.12:
            marks += [Mark(","), *_after(_term(pick), _THIN, spaced=True)]
            continue
        is_relation = pick.random() < 0.6
        sign = pick.choice(_RELATIONS if is_relation else _OPERATIONS)
        sign = ":=" if sign == "=" and pick.random() < 0.2 else sign
        gap = _WIDE if is_relation else pick.choice((_WIDE, _THIN + 0.055))
        tight = sign in "/" or pick.random() < 0.12
        gap, spaced = (pick.choice((0, 0.05)), False) if tight else (gap, True)
        marks += [Mark(sign, gap=gap, spaced=spaced), *_after(_term(pick), gap, spaced=spaced)]
    return marks


def _after(marks: list[Mark], gap: float, *, spaced: bool) -> list[Mark]:
    return [replace(marks[0], gap=gap, spaced=spaced), *marks[1:]]


def _term(pick: random.Random, depth: int = 0) -> list[Mark]:
    way = pick.random()
    if way < 0.5 or depth > 1:
        return _indexed(pick, _letter(pick))
    if way < 0.64:
        return [*_indexed(pick, _letter(pick)), *_closed(pick, "()", depth)]
    if way < 0.72:
        return [Mark(str(pick.choice((0, 0, 1, 1, 2, 3, 10, pick.randint(2, 999)))))]
    if way < 0.78:
        return [
            Mark(pick.choice(_NAMES)),
            *_after(_indexed(pick, _letter(pick)), _THIN, spaced=True),
        ]
    if way < 0.84:
        return _closed(pick, pick.choice(("()", "[]", "{}", "||", "‖‖")), depth)
    if way < 0.88:
        return [Mark(pick.choice("∂∇∀∃√−¬")), *_indexed(pick, _letter(pick))]
    if way < 0.92:
        return [Mark(pick.choice(("∞", "∅", "...", "ℓ", "0,1")))]
    return [Mark(str(pick.randint(2, 20))), *_indexed(pick, _letter(pick))]


def _letter(pick: random.Random) -> Mark:
    way = pick.random()
    if way < 0.66:
        usual = "xyztuvwnmkijabcpqrsfghXYUVIARSTKGHFEMNPQ"
        return Mark(pick.choice(usual if pick.random() < 0.7 else string.ascii_letters), ITALIC)
    if way < 0.84:
        return Mark(pick.choice(_GREEK), GREEK)
    if way < 0.90:
        return Mark(pick.choice("RRRNZCQKPEF"), DOUBLE)
    if way < 0.94:
        return Mark(pick.choice(string.ascii_uppercase), SCRIPT)
    return Mark(pick.choice(string.ascii_letters))


def _indexed(pick: random.Random, letter: Mark) -> list[Mark]:
    """A letter with an index, a power or a prime, or none."""
    way = pick.random()
    if way < 0.45:
        return [letter]
    if way < 0.74:
        return [letter, *_raised(_index(pick), -1)]
    if way < 0.9:
        return [letter, *_raised(_power(pick), 1)]
    primes = pick.choice(("′", "′", "″"))
    return [letter, Mark(primes)]


def _raised(marks: list[Mark], level: int) -> list[Mark]:
    return [replace(mark, level=level) for mark in marks]


def _index(pick: random.Random) -> list[Mark]:
    way = pick.random()
    if way < 0.35:
        return [Mark(str(pick.choice((0, 1, 1, 2, 2, 3, pick.randint(4, 20)))))]
    if way < 0.7:
        return [Mark(pick.choice("ijknmtxyzspqij"), ITALIC)]
    if way < 0.8:
        return [Mark("".join(pick.choices("ijklmnpq", k=2)), ITALIC)]
    if way < 0.88:
        first, second = pick.choice("ijkxmn0"), pick.choice("ijky12")
        return [Mark(first, ITALIC), Mark(","), Mark(second, ITALIC)]
    if way < 0.95:
        return [Mark(pick.choice("nkim"), ITALIC), Mark(pick.choice("+−")), Mark("1")]
    return [Mark(pick.choice(("max", "min", "eff", "tot", "in", "out", "total", "ref")))]


def _power(pick: random.Random) -> list[Mark]:
    way = pick.random()
    if way < 0.45:
        return [Mark(str(pick.choice((2, 2, 2, 3, 3, 4, pick.randint(5, 12)))))]
    if way < 0.6:
        return [Mark("−1")]
    if way < 0.82:
        return [Mark(pick.choice("nkmTtpi"), ITALIC)]
    if way < 0.92:
        return [Mark(pick.choice("∗∗∞+−†"))]
    return [Mark(pick.choice("nk"), ITALIC), Mark(pick.choice("+−")), Mark("1")]


def _closed(pick: random.Random, pair: str, depth: int) -> list[Mark]:
    """Terms between brackets."""
    inside = _term(pick, depth + 1)
    for _ in range(pick.choice((0, 0, 1, 1, 2))):
        if pick.random() < 0.7:
            inside += [Mark(","), *_after(_term(pick, depth + 1), _THIN, spaced=True)]
        else:
            sign = pick.choice("=+−|∈→")
            gap = pick.choice((_THIN, _WIDE))
            inside += [Mark(sign, gap=gap, spaced=True),
                       *_after(_term(pick, depth + 1), gap, spaced=True)]  # fmt: skip
    if pair == "{}" and pick.random() < 0.5:
        inside = _after(inside, _THIN, spaced=True)
        return [Mark(pair[0]), *inside, Mark(pair[1], gap=_THIN, spaced=True)]
    return [Mark(pair[0]), *inside, Mark(pair[1])]
