"""Office forms filled in by typewriter, drawn with the words of each question and answer."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageFont

from bench.drawn.measuring import MEASURING
from bench.fields.pen import FACES, Pen, font
from bench.fields.tills import without_last
from bench.fields.worn import Turn, worn
from pagetide.geometry import Box

_WIDTH, _MARGIN, _FOOT = 1000, 70, 1180  # of a sheet, in pixels
Answered = tuple[list[Box], list[Box]]
"""The boxes of a question's words, and those of its answer's."""


@dataclass
class Form:
    """A drawn form.

    Attributes:
        picture: As a fax or a scanner gives it.
        pairs: Boxes in the picture.
        styles: Of each pair, the style of its section.
        texts: Of each pair, its question and answer.
    """

    picture: Image.Image
    pairs: list[Answered] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


@cache
def _words(*, developed: bool) -> dict[str, dict[str, list[str]]]:
    text = (Path(__file__).parent / "blanks.toml").read_text(encoding="utf-8")
    words: Any = tomllib.loads(text)
    told: dict[str, dict[str, list[str]]] = without_last(words) if developed else words
    return told


def form(seed: int) -> Form:
    """The form of a seed; those for measuring have words that others do not have."""
    chance = random.Random(f"form {seed}")  # noqa: S311 - the same seed draws the same
    return _Blank(chance, _words(developed=seed < MEASURING)).form()


class _Blank:
    """Draws a form section by section, down the sheet."""

    def __init__(self, chance: random.Random, words: dict[str, dict[str, list[str]]]) -> None:
        self._chance, self._words = chance, words
        size = chance.randint(17, 23)
        faces = [face for face in FACES if face != "narrow"]
        self._print: ImageFont.FreeTypeFont = font(chance.choice(faces), size)
        self._small = font(chance.choice(faces), size - 4)
        self._typed = font(chance.choice(("mono", "mono", "thermal", "serif")), size)
        self._upper, self._size = chance.random() < 0.5, size
        self._pen = Pen(_WIDTH, 1280)
        self._y: float = 60
        self._form = Form(self._pen.picture)
        self._asked: set[str] = set()

    def form(self) -> Form:
        """A head, some sections, notes between them."""
        head = self._pick("heads", "all")
        x = (_WIDTH - self._print.getlength(head)) / 2
        self._pen.write(x, self._y, head, self._print)
        self._y += 2.5 * self._size
        styles: list[Callable[[], None]] = [
            self._colons, self._colons, self._blanks, self._boxes, self._ruled, self._tabbed,
            self._long, self._ticks, self._note, self._section,
        ]  # fmt: skip
        while self._y < _FOOT - 260:
            self._chance.choice(styles)()
            self._y += self._chance.uniform(0.8, 2) * self._size
        picture, turn = worn(self._pen.picture, self._chance, fax=self._chance.random() < 0.5)
        pairs = [(_turned(q, turn), _turned(a, turn)) for q, a in self._form.pairs]
        return Form(picture, pairs, self._form.styles, self._form.texts)

    def _pick(self, group: str, key: str) -> str:
        return self._chance.choice(self._words[group][key])

    def _question(self) -> tuple[str, str]:
        """An unused question, and its answer."""
        kinds = [kind for kind in self._words["questions"] if kind != "long"]
        for _ in range(50):
            kind = self._chance.choice(kinds)
            question = self._pick("questions", kind)
            if question not in self._asked:
                break
        self._asked.add(question)
        return self._cased(question), self._answer(kind)

    def _cased(self, question: str) -> str:
        return question.upper() if self._upper else question

    def _answer(self, kind: str) -> str:
        chance = self._chance
        day, month, year = chance.randint(1, 28), chance.randint(1, 12), chance.randint(79, 99)
        made: dict[str, Callable[[], str]] = {
            "code": lambda: f"{chance.choice('ABRX')}-{chance.randint(100, 99999)}",
            "date": lambda: f"{month}/{day}/{year}",
            "phone": lambda: (
                f"({chance.randint(201, 919)}) {chance.randint(200, 999)}-"
                f"0{chance.randint(100, 999)}"
            ),
            "count": lambda: str(chance.randint(1, 5000)),
        }
        return made[kind]() if kind in made else self._pick("answers", kind)

    def _tell(
        self, style: str, texts: tuple[str, str], question: list[Box], answer: list[Box]
    ) -> None:
        self._form.pairs.append((question, answer))
        self._form.texts.append(" | ".join(texts))
        self._form.styles.append(style)

    def _colons(self) -> None:
        """Rows of one, two or three questions with colons."""
        columns = self._chance.choice((1, 1, 2, 2, 3))
        wide = (_WIDTH - 2 * _MARGIN) / columns
        aligned = self._chance.random() < 0.4 and columns < 3
        for _ in range(self._chance.randint(1, 4)):
            for column in range(columns):
                question, answer = self._question()
                x = _MARGIN + column * wide
                if self._print.getlength(question) > 0.8 * wide:
                    continue
                asked = self._pen.write(x, self._y, question + ":", self._print)
                gap = wide * 0.5 if aligned else asked[-1][2] - x + 0.6 * self._size
                at = max(x + gap, asked[-1][2] + 0.4 * self._size)
                if at + self._typed.getlength(answer) > x + wide:
                    continue
                told = self._pen.write(at, self._y, answer, self._typed)
                self._tell("colon", (question, answer), asked, told)
            self._y += 1.6 * self._size

    def _blanks(self) -> None:
        """Questions with a rule to write on, without a colon or with one."""
        columns = self._chance.choice((1, 2))
        wide = (_WIDTH - 2 * _MARGIN) / columns
        colon = self._chance.choice(("", ":"))
        for _ in range(self._chance.randint(2, 4)):
            for column in range(columns):
                question, answer = self._question()
                x = _MARGIN + column * wide
                if self._print.getlength(question) > 0.6 * wide:
                    continue
                asked = self._pen.write(x, self._y, question + colon, self._print)
                start, foot = asked[-1][2] + 0.4 * self._size, self._y + 1.15 * self._size
                self._pen.rule((start, foot, x + wide - 20, foot))
                at = start + self._chance.uniform(1.3, 3) * self._size
                if at + self._typed.getlength(answer) > x + wide - 20:
                    continue
                told = self._pen.write(at, self._y, answer, self._typed)
                self._tell("blank", (question, answer), asked, told)
            self._y += 1.9 * self._size

    def _boxes(self) -> None:
        """Boxes side by side, the question small at the top of each."""
        columns = self._chance.choice((2, 3, 4))
        wide = (_WIDTH - 2 * _MARGIN) / columns
        colon, tall = self._chance.choice(("", "", ":")), 2.9 * self._size
        for _ in range(self._chance.randint(1, 3)):
            for column in range(columns):
                x = _MARGIN + column * wide
                self._pen.frame((x, self._y, x + wide, self._y + tall))
                question, answer = self._question()
                if self._small.getlength(question) > wide - 16:
                    continue
                asked = self._pen.write(x + 6, self._y + 4, question + colon, self._small)
                if self._typed.getlength(answer) > wide - 20 or self._chance.random() < 0.15:
                    continue
                top = self._y + 1.45 * self._size
                told = self._pen.write(x + 10, top, answer, self._typed)
                self._tell("box", (question, answer), asked, told)
            self._y += tall

    def _ruled(self) -> None:
        """A ruled table of questions and answers, in two columns or four."""
        count = self._chance.choice((1, 2))
        wide, tall = (_WIDTH - 2 * _MARGIN) / (2 * count), 1.9 * self._size
        colon = self._chance.choice(("", "", ":"))
        for _ in range(self._chance.randint(2, 5)):
            for pair in range(count):
                x = _MARGIN + 2 * pair * wide
                for part in range(2):
                    left = x + part * wide
                    self._pen.frame((left, self._y, left + wide, self._y + tall))
                question, answer = self._question()
                if max(map(self._print.getlength, (question, answer))) > wide - 16:
                    continue
                top = self._y + 0.35 * self._size
                asked = self._pen.write(x + 8, top, question + colon, self._print)
                told = self._pen.write(x + wide + 8, top, answer, self._typed)
                self._tell("ruled", (question, answer), asked, told)
            self._y += tall

    def _tabbed(self) -> None:
        """Questions without colons, their answers flush behind them."""
        rows = [self._question() for _ in range(self._chance.randint(3, 6))]
        widest = max(self._print.getlength(question) for question, _ in rows)
        for question, answer in rows:
            asked = self._pen.write(_MARGIN, self._y, question, self._print)
            x = _MARGIN + widest + 2.2 * self._size
            told = self._pen.write(x, self._y, answer, self._typed)
            self._tell("tab", (question, answer), asked, told)
            self._y += 1.6 * self._size

    def _long(self) -> None:
        """A question with an answer of several lines, behind it or below."""
        question = self._cased(self._pick("questions", "long"))
        asked = self._pen.write(_MARGIN, self._y, question + ":", self._print)
        below = self._chance.random() < 0.5
        x = _MARGIN + (0 if below else asked[-1][2] - _MARGIN + self._size)
        self._y += 1.5 * self._size if below else 0
        words = " ".join(
            self._pick("answers", "long") for _ in range(self._chance.randint(1, 2))
        ).split()
        told: list[Box] = []
        for line in _broken(words, self._typed, _WIDTH - _MARGIN - x):
            told += self._pen.write(x, self._y, line, self._typed)
            self._y += 1.35 * self._size
        self._tell("long", (question, " ".join(words)), asked, told)

    def _ticks(self) -> None:
        """Checkboxes, which are not pairs."""
        x: float = _MARGIN
        for tick in self._chance.sample(self._words["heads"]["ticks"], 3):
            sign = self._chance.choice(("[ ]", "[X]", "( )", "(X)"))
            boxes = self._pen.write(x, self._y, f"{sign} {tick}", self._print)
            x = boxes[-1][2] + 3 * self._size
        self._y += 1.5 * self._size

    def _note(self) -> None:
        words = self._pick("heads", "notes").split()
        for line in _broken(words, self._print, _WIDTH - 2 * _MARGIN):
            self._pen.write(_MARGIN, self._y, line, self._print)
            self._y += 1.35 * self._size

    def _section(self) -> None:
        self._pen.write(_MARGIN, self._y, self._pick("heads", "sections"), self._print)
        self._y += 1.6 * self._size


def _broken(words: Sequence[str], face: ImageFont.FreeTypeFont, wide: float) -> list[str]:
    """Words in lines that are no wider."""
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        if face.getlength(longer) <= wide:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _turned(boxes: Sequence[Box], turn: Turn) -> list[Box]:
    """Boxes of the clean picture as they are in the worn one: their centres are rotated."""
    found = []
    for x0, y0, x1, y1 in boxes:
        dx, dy = turn @ np.array([(x0 + x1) / 2, (y0 + y1) / 2, 1]) - [
            (x0 + x1) / 2,
            (y0 + y1) / 2,
        ]
        found.append((float(x0 + dx), float(y0 + dy), float(x1 + dx), float(y1 + dy)))
    return found
