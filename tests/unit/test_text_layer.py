"""The pure parts of taking a page's own text: lines from words, and whether to trust them."""

from __future__ import annotations

import math
import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.geometry import Box, box_of
from pagetide.inputs.frame import PageFrame
from pagetide.inputs.text_lines import (
    NEW_LINE,
    NO_SPACE,
    SPACE,
    Joint,
    PlacedWord,
    kept,
    lines_of,
    shown,
    turned,
)
from pagetide.inputs.trust import TextFacts, judge, letter_agreement

PAGE: Box = (0, 0, 600, 800)
PROSE = """When in the course of human events it becomes necessary for one people to dissolve
the political bands which have connected them with another and to assume among the powers of
the earth the separate and equal station to which the laws of nature entitle them, a decent
respect to the opinions of mankind requires that they should declare the causes which impel
them to the separation."""
TONGUES = {
    "de": """Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit
    Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen. Jeder
    hat Anspruch auf die in dieser Erklärung verkündeten Rechte und Freiheiten.""",
    "fi": """Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan.
    Heille on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden
    hengessä. Jokainen on oikeutettu kaikkiin tässä julistuksessa esitettyihin oikeuksiin.""",
    "vi": """Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền. Mọi
    con người đều được tạo hoá ban cho lý trí và lương tâm và cần phải đối xử với nhau trong
    tình bằng hữu. Mọi người đều được hưởng tất cả những quyền và tự do nêu trong bản này.""",
    "pl": """Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.
    Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.
    Każdy człowiek posiada wszystkie prawa i wolności zawarte w niniejszej Deklaracji.""",
    "tr": """Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana
    sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler. Herkes bu
    Beyannamede ilan olunan bütün haklardan ve bütün hürriyetlerden istifade edebilir.""",
    "sw": """Watu wote wamezaliwa huru, hadhi na haki zao ni sawa. Wote wamejaliwa akili na
    dhamiri, hivyo yapasa watendeane kindugu. Kila mtu anastahili kuwa na haki zote na uhuru
    wote ambao umeelezwa katika Taarifa hii bila ya ubaguzi wa rangi, taifa au dini.""",
}


def frame(rotation: int = 0) -> PageFrame:
    """A page of which a part away from the origin is shown, at 144 dpi."""
    width, height = (200, 300) if rotation in {0, 180} else (300, 200)
    return PageFrame(
        left=100,
        bottom=50,
        right=300,
        top=350,
        rotation=rotation,
        width_pt=width,
        height_pt=height,
        width=2 * width,
        height=2 * height,
    )


def word(
    text: str, x: float, y: float = 100, joint: Joint = SPACE, *, height: float = 10
) -> PlacedWord:
    return (text, (x, y, x + 5 * len(text), y + height), joint, 0.0)


def texts(*words: PlacedWord) -> list[str]:
    return [line.text for line in lines_of(words, frame().matrix())]


class TestLines:
    def test_words_on_one_level_are_a_line(self) -> None:
        assert texts(word("one", 100, joint=NEW_LINE), word("two", 118)) == ["one two"]

    def test_characters_without_a_space_stand_together(self) -> None:
        first, second = word("河", 100, joint=NEW_LINE), word("流", 105, joint=NO_SPACE)
        (line,) = lines_of([first, second], frame().matrix())
        assert line.text == "河流"
        assert [part.text for part in line.words] == ["河", "流"]

    def test_a_gap_between_columns_ends_a_line(self) -> None:
        assert texts(word("left", 100, joint=NEW_LINE), word("right", 134)) == ["left", "right"]

    def test_a_wide_space_of_justified_text_does_not(self) -> None:
        assert texts(word("wide", 100, joint=NEW_LINE), word("space", 129)) == ["wide space"]

    def test_a_superscript_stays_with_its_line(self) -> None:
        words = (
            word("E=mc", 100, joint=NEW_LINE),
            word("2", 120.5, 105, NEW_LINE, height=6),
            word("holds", 128, joint=NEW_LINE),
        )
        assert texts(*words) == ["E=mc2 holds"]

    def test_the_next_line_is_not_joined_however_close(self) -> None:
        words = (word("above", 100, 110, NEW_LINE), word("below", 126, 99, NEW_LINE))
        assert texts(*words) == ["above", "below"]

    def test_going_back_to_the_left_begins_a_line(self) -> None:
        assert texts(word("second", 180, joint=NEW_LINE), word("first", 100)) == [
            "second",
            "first",
        ]

    def test_hebrew_runs_to_the_left(self) -> None:
        assert texts(word("שלום", 180, joint=NEW_LINE), word("עולם", 157)) == ["שלום עולם"]

    def test_a_turned_word_is_not_on_an_upright_line(self) -> None:
        upright = word("up", 100, joint=NEW_LINE)
        assert texts(upright, ("side", (111, 100, 131, 110), SPACE, 90.0)) == ["up", "side"]

    @given(
        st.lists(
            st.tuples(
                st.text(string.ascii_letters, min_size=1, max_size=8),
                st.floats(0, 500),
                st.floats(0, 700),
                st.sampled_from([NO_SPACE, SPACE, NEW_LINE]),
                st.sampled_from([0.0, 30.0, 90.0]),
            ),
            min_size=1,
        )
    )
    def test_no_word_is_lost_and_lines_hold_their_words(
        self, drawn: list[tuple[str, float, float, Joint, float]]
    ) -> None:
        words: list[PlacedWord] = [
            (text, (x, y, x + 5 * len(text), y + 10), joint, angle)
            for text, x, y, joint, angle in drawn
        ]
        lines = lines_of(words, frame().matrix())
        assert [part.text for line in lines for part in line.words] == [w[0] for w in words]
        for line in lines:
            assert "".join(part.text for part in line.words) == line.text.replace(" ", "")
            x0, y0, x1, y1 = box_of(line.polygon)
            for part in line.words:
                left, top, right, bottom = box_of(part.polygon)
                assert x0 - 0.02 <= left and right <= x1 + 0.02
                assert y0 - 0.02 <= top and bottom <= y1 + 0.02


class TestPlaces:
    @pytest.mark.parametrize(
        ("rotation", "expected"),
        [
            (0, [(20, 480), (60, 480), (60, 500), (20, 500)]),
            (90, [(120, 20), (120, 60), (100, 60), (100, 20)]),
            (180, [(380, 120), (340, 120), (340, 100), (380, 100)]),
            (270, [(480, 380), (480, 340), (500, 340), (500, 380)]),
        ],
    )
    def test_a_polygon_begins_at_the_text_s_own_top_left(
        self, rotation: int, expected: list[tuple[float, float]]
    ) -> None:
        words: list[PlacedWord] = [("word", (110, 100, 130, 110), NEW_LINE, 0.0)]
        (line,) = lines_of(words, frame(rotation).matrix())
        assert list(line.polygon) == expected

    @pytest.mark.parametrize("rotation", [0, 90, 180, 270])
    def test_the_shown_part_fills_the_page(self, rotation: int) -> None:
        placed = frame(rotation)
        (line,) = lines_of([("all", placed.box, NEW_LINE, 0.0)], placed.matrix())
        assert box_of(line.polygon) == (0, 0, placed.width, placed.height)

    def test_text_that_runs_upwards_begins_at_its_lower_left(self) -> None:
        box: Box = (110, 100, 120, 140)
        (line,) = lines_of([("up", turned(box, 90), NEW_LINE, 90.0)], frame().matrix())
        assert list(line.polygon) == [(20, 500), (20, 420), (40, 420), (40, 500)]

    @given(
        st.sampled_from([0.0, 90.0, 180.0, 270.0]), st.floats(-500, 500), st.floats(-500, 500)
    )
    def test_turning_back_and_forth_changes_nothing(
        self, angle: float, x: float, y: float
    ) -> None:
        box = (x, y, x + 30, y + 10)
        assert turned(turned(box, angle), -angle) == pytest.approx(box)

    def test_a_slanted_line_keeps_its_length_and_height(self) -> None:
        words: list[PlacedWord] = [("slant", (50, 0, 90, 10), NEW_LINE, 30.0)]
        (line,) = lines_of(words, frame().matrix())
        top_left, top_right, bottom_right, _ = line.polygon
        assert math.dist(top_left, top_right) == pytest.approx(80, abs=0.1)
        assert math.dist(top_right, bottom_right) == pytest.approx(20, abs=0.1)

    def test_words_outside_the_page_are_known(self) -> None:
        words = [word("in", 10), word("out", 700), ("up", (10, -30, 20, -20), SPACE, 90.0)]
        assert shown(words, PAGE) == [True, False, True]

    def test_a_word_behind_one_that_is_left_out_begins_a_line(self) -> None:
        words = [word("a", 100, joint=NEW_LINE), word("b", 106), word("c", 112)]
        assert [joint for _, _, joint, _ in kept(words, [True, False, True])] == [
            NEW_LINE,
            NEW_LINE,
        ]


def judged(text: str = PROSE, **facts: float | bool) -> str:
    count = len(text.split())
    return judge(TextFacts(**{"text": text, "words": count, **facts})).reason  # type: ignore[arg-type]  # each fact has its own type


class TestTrust:
    def test_prose_is_trusted(self) -> None:
        assert judge(TextFacts(text=PROSE, words=60)).used

    @pytest.mark.parametrize("text", TONGUES.values(), ids=TONGUES)
    def test_so_is_prose_in_other_languages(self, text: str) -> None:
        assert (letter_agreement(text * 2) or 0) > 0.5
        assert judged(text * 2) == "trusted"

    @pytest.mark.parametrize(
        "text",
        [
            "Тонкая бумага лежала на столе. " * 20,
            "Η θάλασσα ήταν ήρεμη το πρωί. " * 20,
            "潮水每天涨落两次。" * 30,
            "潮は一日に二回満ち引きする。" * 30,
            "المد والجزر يحدثان مرتين في اليوم. " * 20,
            "1,234.50 $ (2,345) 12 % — 7.1 " * 20,
            "Chapter 1 ................................ 7\n" * 10,
            "Name ____________________ Date ____________",
        ],
    )
    def test_so_are_other_scripts_and_figures(self, text: str) -> None:
        assert judged(text) == "trusted"

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            (PROSE.translate({ord(c): 0xF000 + ord(c) for c in string.ascii_letters}), "junk"),
            ("�" * 30 + PROSE[:100], "replacement characters"),
            ("".join(chr(ord(c) - 29) if c.isalpha() else c for c in PROSE), "shifted codes"),
            (PROSE.translate(str.maketrans("aeiot", "аеіот")), "mixed alphabets"),
        ],
    )
    def test_garbage_is_not(self, text: str, why: str) -> None:
        assert judged(text) == "garbage", why

    @given(st.randoms(use_true_random=False))
    def test_shuffled_letters_agree_less_than_prose(self, chance: random.Random) -> None:
        letters = list(string.ascii_lowercase)
        chance.shuffle(letters)
        moved = sum(a != b for a, b in zip(letters, string.ascii_lowercase, strict=True))
        shuffled = PROSE.lower().translate(
            str.maketrans(string.ascii_lowercase, "".join(letters))
        )
        if moved >= 24:
            assert (letter_agreement(shuffled) or 0) < 0.75

    def test_too_few_letters_say_nothing(self) -> None:
        assert letter_agreement("zzz xxx qqq") is None

    @pytest.mark.parametrize(
        ("facts", "reason"),
        [
            ({"is_blank": True, "words": 0, "text": ""}, "blank"),
            ({"words": 0, "text": ""}, "no_text"),
            ({"words": 100, "clipped": 60}, "clipped"),
            ({"words": 100, "invisible": 60}, "invisible"),
            ({"words": 100, "hidden": 60}, "invisible"),
            ({"unmapped_share": 0.5}, "garbage"),
            ({"image_share": 0.95, "text_share": 0.01}, "little_coverage"),
            ({"text": "Page 3 of 9", "image_share": 0.3}, "little_coverage"),
            ({"text": "Figure 1", "paths": 2000}, "little_coverage"),
            ({"image_share": 0.95, "text_share": 0.3}, "trusted"),
            ({"text": "A title", "image_share": 0.02, "paths": 3}, "trusted"),
        ],
    )
    def test_each_doubt_has_its_reason(
        self, facts: dict[str, float | bool], reason: str
    ) -> None:
        assert judged(**facts) == reason  # type: ignore[arg-type]  # one of them is the text

    def test_every_decision_says_a_sentence(self) -> None:
        for facts in (TextFacts(text="", words=0), TextFacts(text=PROSE, words=60)):
            assert judge(facts).detail.endswith(".")
