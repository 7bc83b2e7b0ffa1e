"""Code on a picture: told by the width of its letters, kept as it is set in."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

import pagetide
from pagetide.document import Line, Word
from pagetide.engines.pixels.code_lines import with_code_lines
from pagetide.geometry import polygon_of

FONTS = Path("/usr/share/fonts/truetype/dejavu")
CODE = (
    "def fetch(url: str, tries: int = 5) -> bytes:",
    "    for attempt in range(tries):",
    "        with urlopen(url, timeout=10) as answer:",
    "            return answer.read()",
    "    raise OSError(tries)",
)
PROSE = (
    "A request may fail for reasons that pass. The function below",
    "tries again and waits twice as long each time, until it has",
    "tried five times. The wait is shortened by chance, so that",
    "many clients do not come back at once and fail all together.",
)


def _line(text: str, top: float, widths: dict[str, float], *, left: float = 100) -> Line:
    """A line whose letters have these widths, those without one ten pixels."""
    words, x = [], left
    for said in text.split():
        start = x
        x += sum(widths.get(letter, 10.0) for letter in said)
        words.append(Word(text=said, polygon=polygon_of((start, top, x, top + 20))))
        x += widths.get(" ", 10.0)
    box = polygon_of((left, top, words[-1].polygon[1][0], top + 20))
    return Line(text=" ".join(text.split()), polygon=box, words=tuple(words))


FIXED: dict[str, float] = {}
OTHER = dict.fromkeys("iljtf.:,(", 4.0) | dict.fromkeys("mwMW", 15.0) | {" ": 5.0}


def _told(lines: list[Line]) -> list[bool]:
    found = with_code_lines(lines)
    assert [line.text for line in found] == [line.text for line in lines]
    return [any(style.kind == "code" for style in line.styles) for line in found]


def _page(texts: tuple[str, ...], widths: dict[str, float]) -> list[Line]:
    """Prose, these lines, and prose again."""
    above = [_line(text, 26 * n, OTHER) for n, text in enumerate(PROSE)]
    own = [_line(text, 120 + 26 * n, widths) for n, text in enumerate(texts)]
    below = [_line(text, 300 + 26 * n, OTHER) for n, text in enumerate(PROSE)]
    return [*above, *own, *below]


def test_code_in_letters_of_one_width_is_told() -> None:
    found = _told(_page(CODE, FIXED))
    assert found == [False] * 4 + [True] * 5 + [False] * 4


@pytest.mark.parametrize(
    ("texts", "widths"),
    [
        (CODE, OTHER),  # letters differ
        (PROSE, FIXED),  # a letter from a typewriter
        (CODE[:2], FIXED),  # two lines tell nothing
        (tuple(f"• {text}" for text in CODE), FIXED),  # items
    ],
)
def test_other_lines_are_not(texts: tuple[str, ...], widths: dict[str, float]) -> None:
    assert not any(_told(_page(texts, widths)))


def test_a_page_set_in_it_is_not_code() -> None:
    lines = [_line(text, 26 * n, FIXED) for n, text in enumerate(CODE * 3)]
    assert not any(_told(lines))


def test_lines_without_words_or_letters_are_left() -> None:
    bare = Line(text="def fetch(url)", polygon=polygon_of((0, 0, 100, 20)))
    assert _told([bare, bare, bare]) == [False] * 3
    assert _told([]) == []


def test_a_picture_of_code_is_read_as_it_is_set_in() -> None:
    picture = Image.new("L", (1100, 700), 255)
    draw = ImageDraw.Draw(picture)
    plain = ImageFont.truetype(FONTS / "DejaVuSerif.ttf", 26)
    fixed = ImageFont.truetype(FONTS / "DejaVuSansMono.ttf", 22)
    for row, text in enumerate((*PROSE, "", *CODE, "", *PROSE)):
        font = fixed if text in CODE else plain
        draw.text((60, 40 + 42 * row), text, 0, font=font)
    file = BytesIO()
    picture.save(file, "PNG")
    blocks = pagetide.read(file.getvalue(), model="structure-lite").pages[0].blocks
    [code] = [block.text for block in blocks if block.kind == "code"]
    rows = code.split("\n")
    assert ["".join(row.split()) for row in rows] == ["".join(row.split()) for row in CODE]
    assert [len(row) - len(row.lstrip()) for row in rows] == [0, 4, 8, 12, 4]
