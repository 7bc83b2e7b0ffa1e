"""Sets blocks of words on a page, as a printer would: paragraphs in columns and the rest."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from bench.order_pages import Part, Piece

_WORDS = (
    "the of and to in a is that for it as with on by at from this river boat water harbour "
    "captain measures depth current season market grain price report winter valley mountain "
    "train station engineer bridge design stone wall garden village school teacher lesson "
    "history language letter reader library paper printer column margin figure shows result "
    "method sample value average growth rate number large small early late north south east "
    "west council member vote policy budget committee answer question light sound colour "
    "glass window summer autumn spring however because between although several another"
)
ENGLISH = _WORDS.split()
WIDTHS = {**dict.fromkeys("iljtf.,:' ", 0.28), **dict.fromkeys("mwMW", 0.85)}


@dataclass
class Sheet:
    """A page being set; parts are added in reading order."""

    chance: random.Random
    ragged: bool = False
    parts: list[Part] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.width, self.height = self.chance.choice([(1224.0, 1584.0), (1191.0, 1684.0)])
        self.size = self.chance.uniform(17, 22)
        self.pitch = self.size * self.chance.uniform(1.12, 1.35)
        self.gap = self.chance.choice([0.0, 0.0, 0.5, 1.0]) * self.pitch
        self.margin = self.chance.uniform(90, 150)
        self.gutter = self.size * self.chance.uniform(1.5, 3.0)
        self.top, self.bottom = self.margin, self.height - self.margin

    @property
    def inner(self) -> tuple[float, float]:
        """The left and right edge of the printed area."""
        return self.margin, self.width - self.margin

    def columns(self, *shares: float) -> list[tuple[float, float]]:
        """The edges of columns with widths in these proportions."""
        left, right = self.inner
        room = right - left - self.gutter * (len(shares) - 1)
        edges = []
        for share in shares:
            wide = room * share / sum(shares)
            edges.append((left, left + wide))
            left += wide + self.gutter
        return edges

    def add(self, kind: str, pieces: list[Piece], size: float) -> float:
        """Add a block; returns its bottom."""
        self.parts.append(Part(kind=kind, pieces=tuple(pieces), size=size))
        return pieces[-1].box[3]

    def line(
        self, words: list[str], x: float, y: float, size: float, gap: float = 0.28
    ) -> Piece:
        """Words from x on, y the top."""
        boxes = []
        for word in words:
            wide = size * sum(WIDTHS.get(letter, 0.54) for letter in word)
            boxes.append((x, y, x + wide, y + size))
            x += wide + gap * size
        return Piece(words=tuple(words), boxes=tuple(boxes))

    def words(self, count: int) -> list[str]:
        """This many words, the first capitalised."""
        found = [self.chance.choice(ENGLISH) for _ in range(count)]
        return [found[0].capitalize(), *found[1:]]

    def set_lines(
        self,
        edges: tuple[float, float],
        y: float,
        *,
        count: int,
        size: float,
        indent: float = 0.0,
    ) -> list[Piece]:
        """This many lines that fill the width, the last one shorter."""
        pitch = self.pitch * size / self.size
        pieces = []
        for number in range(count):
            left = edges[0] + (indent if number == 0 else 0)
            room = (edges[1] - left) * (
                1 if number < count - 1 else self.chance.uniform(0.15, 1)
            )
            pieces.append(self._filled(left, left + room, y, size, last=number == count - 1))
            y += pitch
        return pieces

    def _filled(self, left: float, right: float, y: float, size: float, *, last: bool) -> Piece:
        words = self.words(1)
        while True:
            more = [*words, self.chance.choice(ENGLISH)]
            if self.line(more, left, y, size).box[2] > right:
                break
            words = more
        piece = self.line(words, left, y, size)
        if last or self.ragged or len(words) < 3:
            return piece
        spare = (right - piece.box[2]) / (len(words) - 1) / size
        return self.line(words, left, y, size, 0.28 + spare)

    def paragraph(
        self, edges: tuple[float, float], y: float, bottom: float, *, most: int = 14
    ) -> float:
        """A paragraph that ends above the bottom; returns the next one's top."""
        room = int((bottom - y + self.pitch - self.size) / self.pitch)
        count = min(self.chance.randint(3, most), room)
        if count < 1:
            return bottom
        if room - count == 1:
            count = room
        indent = self.size * 1.5 if not self.gap else 0.0
        pieces = self.set_lines(edges, y, count=count, size=self.size, indent=indent)
        self.add("text", pieces, self.size)
        return y + count * self.pitch + self.gap

    def heading(self, edges: tuple[float, float], y: float, scale: float = 1.2) -> float:
        """A short heading; returns the next line's top."""
        size = self.size * scale
        words = [f"{self.chance.randint(1, 9)}", *self.words(self.chance.randint(1, 3))]
        self.add("heading", [self.line(words, edges[0], y, size)], size)
        return y + size * 1.5

    def column(
        self, edges: tuple[float, float], top: float, bottom: float, *, headings: bool = True
    ) -> None:
        """A column of paragraphs, some under a heading."""
        y = top
        while y + self.size <= bottom:
            begins = y == top or self.chance.random() < 0.3
            fits = headings and begins and y + 6 * self.pitch < bottom
            if fits and self.chance.random() < 0.6:
                y = self.heading(edges, y + (0 if y == top else self.pitch * 0.5))
            y = self.paragraph(edges, y, bottom)

    def title(self, scale: float = 1.8) -> float:
        """The page's title, centred; returns the top of what follows."""
        size, (left, right) = self.size * scale, self.inner
        piece = self.line(self.words(self.chance.randint(3, 5)), 0, self.top, size)
        off = (left + right - piece.box[2]) / 2
        self.add("title", [_moved(piece, off)], size)
        return self.top + size * 1.9

    def figure(self, edges: tuple[float, float], y: float, tall: float) -> float:
        """A figure, maybe with labels in it, and its caption; returns what follows' top."""
        box = (edges[0], y, edges[1], y + tall)
        size = self.size * 0.75
        labels = [
            self.line(
                self.words(1),
                self.chance.uniform(edges[0], edges[1] - 8 * size),
                y + tall * (number + 0.5) / 4,
                size,
            )
            for number in range(self.chance.choice([0, 0, 3, 4]))
        ]
        self.parts.append(Part(kind="figure", pieces=tuple(labels), size=size, picture=box))
        return self._caption("Figure", edges, y + tall + size)

    def table(self, edges: tuple[float, float], y: float, rows: int) -> float:
        """A caption and a table of short cells, often with rules; returns what follows' top."""
        y = self._caption("Table", edges, y) - self.size * 0.6
        size = self.size * 0.9
        count = max(3, round((edges[1] - edges[0]) / (9 * size)))
        step = (edges[1] - edges[0]) / count
        cells = []
        for row in range(rows):
            for place in range(count):
                number = f"{self.chance.uniform(0, 900):.1f}"
                word = self.words(1) if row == 0 or place == 0 else [number]
                top = y + row * size * 1.5
                cells.append(self.line(word, edges[0] + place * step, top, size))
        tall = rows * size * 1.5
        heights = (-0.3, 1.2, tall / size - 0.2) if self.chance.random() < 0.7 else ()
        rules = tuple(
            ((edges[0], y + size * each), (edges[1], y + size * each)) for each in heights
        )
        self.parts.append(Part(kind="table", pieces=tuple(cells), size=size, rules=rules))
        return y + tall + self.pitch * 1.3

    def _caption(self, name: str, edges: tuple[float, float], y: float) -> float:
        size = self.size * 0.9
        pieces = self.set_lines(edges, y, count=self.chance.randint(1, 3), size=size)
        first = Piece(words=(name, *pieces[0].words[1:]), boxes=pieces[0].boxes)
        return self.add("caption", [first, *pieces[1:]], size) + self.pitch * 1.3

    def footnotes(self, edges: tuple[float, float]) -> float:
        """One or two footnotes at the bottom of a column; returns the bottom of its text."""
        size = self.size * 0.8
        counts = [self.chance.randint(1, 3) for _ in range(self.chance.randint(1, 2))]
        tall = sum(counts) * size * self.pitch / self.size
        y = top = self.bottom - tall
        for count in counts:
            pieces = self.set_lines(edges, y, count=count, size=size)
            y = self.add("footnote", pieces, size) + (self.pitch / self.size - 1) * size
        return top - self.pitch * 0.8

    def running(self) -> None:
        """A header on some pages."""
        if self.chance.random() < 0.7:
            size, (left, right) = self.size * 0.85, self.inner
            y = self.top - size * self.chance.uniform(2.6, 3.6)
            self.add("header", [self.line(self.words(4), left, y, size)], size)
            if self.chance.random() < 0.5:
                number = self.line(["17"], right - size, y, size)
                self.add("page_number", [number], size)

    def number(self) -> None:
        """A page number at the bottom of some pages."""
        if self.chance.random() < 0.7:
            size = self.size * 0.9
            y = self.bottom + size * self.chance.uniform(1.8, 3.0)
            number = f"{self.chance.randint(2, 300)}"
            self.add("page_number", [self.line([number], self.width / 2, y, size)], size)


def _moved(piece: Piece, right: float) -> Piece:
    boxes = tuple((x0 + right, y0, x1 + right, y1) for x0, y0, x1, y1 in piece.boxes)
    return replace(piece, boxes=boxes)
