"""Words of lines that run to the left, from letters by place.

What is seen is written from left to right as a reader sees it, a word behind `<` being drawn to
the left. It is what UAX #9 makes of what is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.geometry import Box
from pagetide.inputs import Sandbox, open_input
from pagetide.inputs.text.layer import PageText
from pagetide.inputs.text.leftward import Letter, share_leftward, words_of
from pagetide.inputs.text.lines import NEW_LINE, SAME_LINE
from tests.unit.test_text_layer import meaning
from tests.written_pdf import FONT, written_pdf

WIDE, HIGH, SPACE = 6.0, 12.0, 3.0
LINES = [
    (["<سنوي", "<تقرير"], "تقرير سنوي"),
    (["<(ب)هذا"], "(ب)هذا"),
    (["<ريال", "001", "3", "<قيمة"], "قيمة 3 001 ريال"),
    (["<هنا", "(2024)", "<في"], "في (2024) هنا"),
    (["<هنا.", "PDF", "file", "v2.1", "<نص"], "نص PDF file v2.1 هنا."),
    ([".1,234", "<מתוך", "25%", "<חדשות:"], "חדשות: 25% מתוך 1,234."),
    (["abc", "12", "<דוח", "xyz"], "abc 12 דוח xyz"),
    (["The", "<תקציר", "means"], "The תקציר means"),
    (["<فقط", "%25", "<السعر"], "السعر 25% فقط"),
    (["<אביב", "<תל", ",12/4", "<הרצל"], "הרצל 12/4, תל אביב"),
    (["<היה", "2004–1999", "<בשנת"], "בשנת 1999–2004 היה"),
    (["<ريال", "1,250.75", "<سعر"], "سعر 1,250.75 ريال"),
    (["<متر", "5-3", "<طول"], "طول 3-5 متر"),
    (["<עולם", "abc", "def", "12", "<שלום"], "שלום abc def 12 עולם"),
    (["<אחד,", "<(שני)", "<«שלוש»"], "«שלוש» (שני) אחד,"),
]


def letters(seen: Sequence[str]) -> list[list[Letter]]:
    """The letters of each word, from left to right."""
    words, x = [], 0.0
    for word in seen:
        drawn = word[:0:-1] if word[0] == "<" else word
        words.append(
            [
                (each, (x + i * WIDE, 0.0, x + (i + 1) * WIDE, HIGH))
                for i, each in enumerate(drawn)
            ]
        )
        x += len(drawn) * WIDE + SPACE
    return words


def read(words: Sequence[Sequence[Letter]], page_is_leftward: bool) -> str:
    told = [each for word in words for each in (*word, (" ", (0.0, 0.0, 0.0, 0.0)))]
    found = list(words_of(told, page_is_leftward))
    assert [joint for _, _, joint, _ in found] == [NEW_LINE, *[SAME_LINE] * (len(found) - 1)]
    return " ".join(text for text, *_ in found)


def is_leftward(text: str) -> bool:
    return share_leftward(text[0]) > 0


@pytest.mark.parametrize(("seen", "meant"), LINES)
def test_it_is_read_as_it_was_meant(seen: list[str], meant: str) -> None:
    assert read(letters(seen), is_leftward(meant)) == meant


@given(st.sampled_from(LINES), st.randoms(use_true_random=False))
def test_the_order_in_which_words_come_does_not_matter(
    line: tuple[list[str], str], random: Random
) -> None:
    seen, meant = line
    words = letters(seen)
    random.shuffle(words)
    mixed = [word[:: random.choice((1, -1))] for word in words]
    assert read(mixed, is_leftward(meant)) == meant


def test_marks_and_ligatures_stay_with_their_letters() -> None:
    drawn = [("\u064e", (6.0, 0.0, 12.0, 12.0)), ("ح", (6.0, 0.0, 12.0, 12.0))]
    ligature = [("ا", (0.0, 0.0, 6.0, 12.0)), ("ل", (0.0, 0.0, 6.0, 12.0))]
    assert read([[*drawn, *ligature]], True) == "ح\u064eلا"
    assert read([[("\ufefb", (0.0, 0.0, 6.0, 12.0))]], True) == "لا"


@pytest.mark.parametrize(
    ("seen", "meant"),
    [
        (["mm", "30", "×", "54"], "54 × 30 mm"),
        (["kg", "12.5"], "12.5 kg"),
        (["<وزن", "kg", "7"], "7 kg وزن"),
        (["A", "5"], "A 5"),
        (["Model", "5"], "Model 5"),
    ],
)
def test_a_unit_left_of_its_number_comes_after_it(seen: list[str], meant: str) -> None:
    assert read(letters(seen), page_is_leftward=True) == meant


def test_a_unit_on_a_page_that_runs_to_the_right_stays() -> None:
    assert read(letters(["mm", "30", "×", "54"]), page_is_leftward=False) == "mm 30 × 54"


@pytest.mark.parametrize(("spaced", "meant"), [(True, ["كتاب"]), (False, ["كت", "اب"])])
def test_where_spaces_are_written_a_gap_in_a_word_makes_none(
    spaced: bool, meant: list[str]
) -> None:
    places = zip("كتاب", (24.0, 18.0, 6.0, 0.0), strict=True)  # six apart in the middle
    told = [(letter, (x, 0.0, x + WIDE, HIGH)) for letter, x in places]
    assert [word for word, *_ in words_of(told, True, spaced=spaced)] == meant


def test_where_spaces_are_written_those_part_words() -> None:
    words = letters(["<سنوي", "<تقرير"])
    told = [each for word in words for each in (*word, (" ", (0.0, 0.0, 0.0, 0.0)))]
    assert [word for word, *_ in words_of(told, True, spaced=True)] == ["تقرير", "سنوي"]


def test_a_word_with_a_new_line_within_is_one() -> None:
    places = zip("كتاب", (21.0, 15.0, 6.0, 0.0), strict=True)  # three apart in the middle
    told = [(letter, (x, 0.0, x + WIDE, HIGH)) for letter, x in places]
    breaks = [("\r", (0.0, 0.0, 0.0, 0.0)), ("\n", (0.0, 0.0, 0.0, 0.0))]
    assert [word for word, *_ in words_of([*told[:2], *breaks, *told[2:]], True)] == ["كتاب"]


def test_columns_come_from_the_right_and_are_lines_of_their_own() -> None:
    left = [("א", (0.0, 0.0, 6.0, 12.0))]
    right = [("ב", (100.0, 0.0, 106.0, 12.0))]
    found = list(words_of([*left, *right], True))
    assert [(text, joint) for text, _, joint, _ in found] == [("ב", NEW_LINE), ("א", NEW_LINE)]


def test_a_text_of_other_scripts_costs_a_look_only() -> None:
    assert share_leftward("") == share_leftward("plain, здорово, 中文") == 0
    assert share_leftward("אב cd") == 0.5


@given(st.text("אبتل٣5aב \u064e\u05b8().,", max_size=12), st.booleans())
def test_no_letter_is_lost(text: str, leftward: bool) -> None:
    told = [(each, (6.0 * i, 0.0, 6.0 * i + 6, 12.0)) for i, each in enumerate(text)]
    found = "".join(word for word, *_ in words_of(told, leftward))
    turned = str.maketrans("()", "..")
    kept = text.replace(" ", "") if text.strip(" \u064e\u05b8") else ""
    assert sorted(found.translate(turned)) == sorted(kept.translate(turned))


@pytest.mark.parametrize("bold", range(3))
def test_a_word_is_set_as_its_own_letters_are(bold: int) -> None:
    """Whichever of a line's words is bold, the first one to be read as well."""
    words = ["ab", "cde", "fgh"]
    drawn = [
        f"/{'B' if at == bold else 'F1'} 12 Tf ({word} ) Tj" for at, word in enumerate(words)
    ]
    usual = ["/F1 12 Tf (ab cde fgh ab cde fgh) Tj"] * 3
    content = "".join(
        f"BT 72 {700 - 30 * at} Td {row} ET "
        for at, row in enumerate([*usual, " ".join(drawn)])
    )
    coded = FONT[:-2] + b"/ToUnicode 7 0 R>>"
    pdf = written_pdf(
        content.encode(),
        font=coded,
        resources=b"/Font<</F1 5 0 R/B 6 0 R>>",
        extra=(
            coded.replace(b"Helvetica", b"Helvetica-Bold"),
            meaning(**dict(zip("abcdefgh", "אבגדהוזח", strict=True))),
        ),
    )
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as document:
        *_, line = document.page(1, text_layer="only").lines
    assert [word.text for word in line.words] == ["חזו", "הדג", "בא"]
    told = [(style.kind, line.text[style.start : style.end]) for style in line.styles]
    assert told == [("bold", line.words[2 - bold].text)]
    assert not line.bold


class _Placed(PageText):
    """Characters at places, as PDFium tells them."""

    def __init__(self, lines: Sequence[tuple[str, float, float]]) -> None:
        self.characters = "\r\n".join(text for text, _, _ in lines)
        self._boxes: list[Box] = []
        for text, x, y in lines:
            self._boxes += [(x + n, y, x + n + 1, y + 10) for n in range(len(text))]
            self._boxes += [(x, y, x, y)] * 2

    def _letters(self, start: int, stop: int) -> Iterator[Letter]:
        return iter(list(zip(self.characters, self._boxes, strict=False))[start:stop])

    def _degrees(self, index: int) -> float:
        return 0.0


@pytest.mark.parametrize("stop", [".", "؟", "،", " ."])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_stop_drawn_apart_belongs_to_its_sentence(stop: str, is_first: bool) -> None:
    parts = [(stop, 19.0 - len(stop), 700.0), ("هاتفيا", 19.0, 700.0)]
    lines = [("توصية", 40.0, 730.0), *(parts if is_first else parts[::-1])]
    text = _Placed(lines)
    found = [text.characters[slice(*span)].split("\r\n") for span in text._spans(1.0)]
    assert found == [["توصية"], [each for each, *_ in lines[1:]]]
