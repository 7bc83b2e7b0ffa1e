"""Rows of running text become paragraphs again; everything else keeps its lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pagetide.document import Block, BlockKind, Document, Line, Page, Word
from pagetide.exports.text.hyphens import Hyphens
from pagetide.exports.text.reflow import reflowed
from pagetide.geometry import Polygon, box_of, polygon_of, turned, union
from tests.documents import document_of, page_of

HEIGHT, LETTER = 20, 10  # pixels


def _lines(
    rows: Sequence[tuple[float, str]], top: float = 0, letter: float = LETTER
) -> list[Line]:
    """Rows at their left edges, each letter as wide as the other."""
    return [
        Line(
            text=text,
            polygon=polygon_of((left, at, left + letter * len(text), at + HEIGHT)),
            confidence=1.0,
            source="ocr",
        )
        for (left, text), at in zip(rows, range(int(top), 10**6, 30), strict=False)
    ]


def _page(*blocks: tuple[BlockKind, Sequence[Line]]) -> Page:
    lines = [line for _, some in blocks for line in some]
    places = iter(range(len(lines)))
    return page_of(
        lines,
        blocks=tuple(
            Block(
                kind=kind,
                polygon=polygon_of(union([box_of(line.polygon) for line in some])),
                order=order,
                text="\n".join(line.text for line in some),
                line_indexes=tuple(next(places) for _ in some),
            )
            for order, (kind, some) in enumerate(blocks)
        ),
    )


def _texts(page: Page) -> list[str]:
    document: Document = reflowed(document_of(page))
    return [block.text for block in document.pages[0].blocks]


def _joined(*rows: str, kind: BlockKind = "text") -> str:
    (text,) = _texts(_page((kind, _lines([(0, row) for row in rows]))))
    return text


def wrapped(words: Sequence[str], width: int) -> list[str]:
    """The words in rows of so many letters, as a printer fills them."""
    rows = [words[0]]
    for word in words[1:]:
        if len(rows[-1]) + 1 + len(word) <= width:
            rows[-1] += f" {word}"
        else:
            rows.append(word)
    return rows


WORDS = st.lists(st.text("abcdefgh", min_size=1, max_size=9), min_size=40, max_size=120)


@given(WORDS, st.integers(40, 90))
def test_what_a_column_parted_is_one_again(words: list[str], width: int) -> None:
    rows = wrapped(words, width)
    assert _texts(_page(("text", _lines([(0, row) for row in rows])))) == [" ".join(words)]


@given(WORDS, WORDS, st.integers(40, 90))
def test_paragraphs_that_begin_further_in_stay_apart(
    one: list[str], other: list[str], width: int
) -> None:
    rows = []
    for words in (one, other):
        first, *rest = wrapped(["__", *words], width)  # room for what stands further in
        rows += [(2.0 * LETTER, first[3:].capitalize()), *((0.0, row) for row in rest)]
    texts = [" ".join(words).capitalize() for words in (one, other)]
    assert _texts(_page(("text", _lines(rows)))) == ["\n".join(texts)]


def test_rows_beside_a_large_initial_go_on() -> None:
    rows = [
        (0.0, f"In {PROSE[0]}"),
        (30.0, PROSE[1].lower()),
        *((0.0, row) for row in PROSE[:2]),
    ]
    (text,) = _texts(_page(("text", _lines(rows))))
    assert "\n" not in text


@given(
    st.lists(st.text("ab- \t.A1", min_size=1, max_size=30), min_size=1, max_size=12), st.data()
)
def test_no_letter_is_lost_and_keep_keeps_all(rows: list[str], data: st.DataObject) -> None:
    rows = [row.strip() or "x" for row in rows]
    lefts = [data.draw(st.integers(0, 200)) for _ in rows]
    page = _page(("text", _lines(list(zip(lefts, rows, strict=True)))))
    (text,) = _texts(page)
    letters = re.compile(r"[^\W_]")
    assert letters.findall(text) == letters.findall("".join(rows))
    assert reflowed(document_of(page), "keep") == document_of(page)


def test_more_room_between_rows_parts_paragraphs() -> None:
    lines = [*_lines([(0, row) for row in PROSE[:2]]), *_lines([(0, PROSE[2])], top=70)]
    assert _texts(_page(("text", lines))) == [f"{' '.join(PROSE[:2])}\n{PROSE[2]}"]


def test_a_paragraph_begins_behind_rows_that_stand_as_far_in() -> None:
    items = ["q1 sells nothing.", "q2 sells whatever there is, in the North and South of it."]
    words = ("a paragraph of words that goes on for long " * 5).split()
    first, *rest = wrapped(["__", *words], 60)
    rows = [*((30.0, row) for row in [*items, first[3:]]), *((0.0, row) for row in rest)]
    (text,) = _texts(_page(("text", _lines(rows))))
    assert text.split("\n") == [*items, " ".join(words)]


PROSE = wrapped(("the quick brown fox jumps over the lazy dog and runs away " * 3).split(), 40)


@pytest.mark.parametrize("degrees", [90, 180, 270, 3])
def test_a_turned_page_reads_alike(degrees: float) -> None:
    page = _page(("text", _lines([(0, row) for row in PROSE])))

    def turn(polygon: Polygon) -> Polygon:
        return turned(polygon, degrees * 3.14159265 / 180)

    page = replace(
        page,
        lines=tuple(replace(line, polygon=turn(line.polygon)) for line in page.lines),
        blocks=tuple(replace(block, polygon=turn(block.polygon)) for block in page.blocks),
    )
    assert _texts(page) == [" ".join(PROSE)]


def test_text_from_right_to_left() -> None:
    rows = wrapped(("هذا نص طويل يمتد على عدة أسطر في الصفحة " * 4).split(), 40)
    lines = [(LETTER * (40 - len(row)), row) for row in rows]
    assert _texts(_page(("text", _lines(lines)))) == [" ".join(rows)]
    rows = [*rows[:2], "سطر", *rows[:2]]
    lines = [(LETTER * (40 - len(row)), row) for row in rows]
    assert _texts(_page(("text", _lines(lines))))[0].count("\n") == 1


def test_scripts_without_spaces_are_joined_without() -> None:
    rows = ["本报告说明了二零二六年第三季度的业务情况和主要", "财务数据，以及下一年度的计划。"]
    lines = _lines([(0, row) for row in [rows[0], rows[0], rows[1]]], letter=20)
    assert _texts(_page(("text", lines))) == [rows[0] * 2 + rows[1]]


@pytest.mark.parametrize("space", ["", " "])
def test_a_number_in_chinese_has_the_spaces_that_the_document_writes(space: str) -> None:
    first = f"本报告说明了{space}2026{space}年第三季度的业务情况和主要的财务数据共有"
    lines = _lines(
        [(0, first), (0, f"31{space}项，以及下一年度的计划和经营情况说明")], letter=20
    )
    more = _lines([(0, first), (0, first), (0, first)], top=200, letter=20)
    assert f"共有{space}31" in _texts(_page(("text", lines), ("text", more)))[0]


@pytest.mark.parametrize(
    "rows",
    [
        ("Pagetide Ltd", "12 High Street", "London N1 9GU", "United Kingdom"),
        ("Total", "1,234.00", "VAT", "234.00"),
        ("14 Quay Street, Harwich", "Telephone +49 461 5550", "orders@northwick.example"),
        ("Mr and Mrs van der Velden of the Isles", "Old Quay 212-A", "2312 RL LEIDEN"),
        (
            *("Halloway Instruments LLC", "attn. Accounts Payable", "77 Water Street, Floor 8"),
            *("New York, New York 10005", "United States"),
        ),
        ("LAKESHORE ORTHOPEDICS, S.C.", "PO BOX 88410", "MILWAUKEE, WI 53288-0410"),
        (
            *("Questions? Call 1-800-555-0162", "24 hours a day, 7 days a week"),
            "www.firstprairie.example",
        ),
        (
            *("Harbour Division, Lights and Shoals", "19 Bell Avenue, Suite 100, Moines"),
            "(877) 555-0147",
        ),
        ("The fog comes", "on little cat feet.", "It sits looking", "over harbor and city"),
        (
            "Name:\tMax Mustermann and his whole family",
            "City:\tBerlin, the capital of the land",
        ),
        (
            "1 Introduction to what follows . . . . . . . . . 3",
            "2 The rest of it . . . . . . . . 5",
        ),
        ("Acme International Corporation of Canada", "Department of Paper and Other Things"),
        (
            *(
                "Acme International Corporation of Canada",
                "Department of Paper and Other Things",
            ),
            *(
                "1234 Boulevard of the Revolution, Québec",
                "Dominion of Canada, North America, G1R",
            ),
        ),
        (
            "The parties hereby agree to all these terms:",
            "1. The seller shall hand over whatever it is",
            "2. The buyer shall pay for it within the week",
        ),
        ("the quick brown fox jumps over the lazy dog", " ", "\xa0"),
    ],
)
def test_what_is_not_running_text_keeps_its_lines(rows: tuple[str, ...]) -> None:
    assert _joined(*rows) == "\n".join(rows)


def test_two_rows_are_joined_where_the_column_shows_how_wide_it_is() -> None:
    short = ["These two rows end where the others end,", "Berlin begins the next one"]
    alone = _page(("text", _lines([(0, row) for row in short])))
    assert _texts(alone) == ["\n".join(short)]
    prose = _lines([(0, row) for row in PROSE], top=200)
    beside = _page(("text", _lines([(0, row) for row in short])), ("text", prose))
    assert _texts(beside) == [" ".join(short), " ".join(PROSE)]
    wide = _lines([(0, f"{row} and even more words beside it") for row in PROSE], top=200)
    narrower = _page(("text", _lines([(0, row) for row in short])), ("text", wide))
    assert _texts(narrower)[0] == "\n".join(short)


def test_two_rows_are_joined_beside_a_box_that_ends_their_column() -> None:
    rows = _lines([(0, "These two rows end before the box beside"), (0, "Berlin begins it.")])
    prose = _lines([(0, f"{row} and even more words") for row in PROSE], top=200)
    box = _lines([(430, "A box in"), (430, "the text")])
    parts: list[tuple[BlockKind, list[Line]]] = [
        ("text", rows),
        ("aside", box),
        ("text", prose),
    ]
    assert "\n" not in _texts(_page(*parts))[0]
    assert "\n" in _texts(_page(parts[0], parts[2]))[0]


def test_two_rows_as_far_in_on_both_sides_are_joined() -> None:
    """A quotation ends before the column, as far as it starts after its edge."""
    prose = _lines([(0, "These rows are as long as all of the page is, as it seems.")] * 3)
    wider = _lines([(40, "Another one at that edge is as long as the page is wide.")], top=100)
    rows = ["And this one is a quotation that is as far in here", "Berlin, and is on two rows."]
    quoted = _lines([(40, row) for row in rows], top=200)
    assert _texts(_page(("text", prose), ("text", wider * 2), ("text", quoted)))[2] == " ".join(
        rows
    )


def test_two_long_rows_are_joined_where_a_sentence_goes_on_in_lowercase() -> None:
    """A quotation with a rule at its left ends before the column does."""
    prose = _lines([(0, "These rows are as long as all of the page is, as it seems.")] * 3)
    for first, joined in (
        ("And this one is a quotation that is very nearly at", True),
        ("And one", False),
    ):
        quoted = _lines([(0, first), (0, "as long as they are.")], top=200)
        text = _texts(_page(("text", prose), ("text", quoted)))[1]
        assert ("\n" not in text) is joined


def test_a_sentence_alone_is_joined_where_a_row_ends_inside_it() -> None:
    assert "\n" not in _joined("A hook that is not in can damage the", "Bowl of the mixer.")
    assert "\n" in _joined("Signed for all of the tenants of this house", "Berta Bauer, Mainz")


def test_short_items_do_not_keep_long_ones_in_pieces() -> None:
    rows = [
        "• Milk",
        "• Two batteries of 20 V and a charger for",
        "both of them",
        "• Tea",
        "• Salt",
    ]
    assert _joined(*rows, kind="list").count("\n") == 3


def test_drawn_check_boxes_begin_rows() -> None:
    option = "I agree that the boats may go out with the tide"
    assert _joined(*[f"{box} {option}" for box in "☒☐☑"]).count("\n") == 2


def test_rows_after_numbers_without_a_full_stop_are_joined() -> None:
    rows = [
        (0.0, "1 The policy ends if nobody pays for it, and it"),
        (20.0, "starts again once somebody does."),
        (0.0, "2 Notice is given by letter."),
        (0.0, "3 Complaints are sent to the address on the"),
        (20.0, "first page."),
    ]
    (text,) = _texts(_page(("text", _lines(rows))))
    assert [row[0] for row in text.split("\n")] == ["1", "2", "3"]


def test_letters_of_symbol_fonts_begin_rows() -> None:
    rows = ["v Contain different kinds of data", "v Have no names", "v Appear on the screen"]
    assert _joined(*rows) == "\n".join(rows)


def test_items_stay_apart_and_go_on() -> None:
    rows = [(0.0, f"• {PROSE[0]}"), (20.0, PROSE[1]), (20.0, "away."), (0.0, f"•\t{PROSE[0]}")]
    (text,) = _texts(_page(("list", _lines([*rows, (20.0, PROSE[1])]))))
    assert text == f"• {PROSE[0]} {PROSE[1]} away.\n•\t{PROSE[0]} {PROSE[1]}"


@pytest.mark.parametrize("kind", ["footnote", "reference"])
@pytest.mark.parametrize("mark", ["{}", "[{}]", "({})", "{}."])
def test_notes_that_count_up_stay_apart_and_go_on(kind: BlockKind, mark: str) -> None:
    first, second, third = (mark.format(number) for number in (8, 9, 10))
    rows = (
        f"{first} Depths are below chart datum, which lies",
        f"{second} Volumes were measured in the hopper and",
        "some 12 of them in place after dredging a",
        f"{third} All sums are rounded without any tax a",
    )
    assert _joined(*rows, kind=kind).split("\n") == [rows[0], f"{rows[1]} {rows[2]}", rows[3]]


def test_a_note_that_is_not_counted_is_one() -> None:
    rows = (
        "See the report of the year 2003 which said",
        "2 of the boats were sunk, and four more are",
    )
    assert _joined(*rows, kind="footnote") == " ".join(rows)


def test_a_number_that_only_begins_a_row_is_no_item() -> None:
    rows = [PROSE[0], PROSE[1], f"(1979) {PROSE[2][:32]}", PROSE[3]]
    assert _joined(*rows) == " ".join(rows)


def test_a_raised_number_starts_a_note_however_full_the_row_before_is() -> None:
    rows = [f"¹ {PROSE[0]}", f"² {PROSE[1]}", f"³{PROSE[2]}", "and the rest of the third note."]
    assert _joined(*rows) == "\n".join([*rows[:2], f"{rows[2]} {rows[3]}"])


@pytest.mark.parametrize("kind", ["code", "toc", "table", "formula", "header"])
def test_other_blocks_are_left_alone(kind: BlockKind) -> None:
    assert _joined(*PROSE, kind=kind) == "\n".join(PROSE)


def test_a_block_that_does_not_say_its_lines_is_left_alone() -> None:
    page = _page(("text", _lines([(0, row) for row in PROSE])))
    page = replace(page, blocks=(replace(page.blocks[0], line_indexes=()),))
    assert _texts(page) == ["\n".join(PROSE)]


_KNOWN = "information is well-known here and stand under the long-term Kauf Vertrag of Nigeria"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("some infor-", "mation comes", "some information comes"),
        ("some infor\u00ad", "mation comes", "some information comes"),
        ("it is well-", "known here", "it is well-known here"),
        ("a self-", "made thing", "a self-made thing"),
        ("the Anglo-", "Saxon way", "the Anglo-Saxon way"),
        ("a PDF-", "based way", "a PDF-based way"),
        ("since COVID-", "19 began", "since COVID-19 began"),
        ("INFOR-", "MATION COMES", "INFORMATION COMES"),
        ("Vor- und Nach-", "teile davon", "Vor- und Nachteile davon"),
        ("alle Vor-", "und Nachteile", "alle Vor- und Nachteile"),
        (
            "at https://a.example/long-",
            "term.html it",
            "at https://a.example/long-term.html it",
        ),
        ("stand-", "here now", "stand-here now"),
        ("a dash -", "and more", "a dash - and more"),
        ("our point-", "of-view is", "our point-of-view is"),
        ("our point-of-", "view is", "our point-of-view is"),
        ("an (n + 1)-", "cube of it", "an (n + 1)-cube of it"),
        ("from 1999–", "2000 on", "from 1999–2000 on"),
        ("Lot NCB/G", "‐4 of them", "Lot NCB/G‐4 of them"),
        ("the wood-", "en house", "the wooden house"),
        ("the momen-", "to de", "the momento de"),
        ("for ex-", "ample this", "for example this"),
        ("the mid-", "dle of", "the middle of"),
        ("an X-", "ray of", "an X-ray of"),
        ("the open-do-", "main answers", "the open-domain answers"),
        ("the hu-", "man-readable", "the human-readable"),
        ("the so-", "cial ones", "the social ones"),
        ("with k-", "means it", "with k-means it"),
        ("der Kauf-", "vertrag und", "der Kaufvertrag und"),
        ("pre-", "and, then", "pre- and, then"),
        ("my_file-", "name.txt", "my_file-name.txt"),
        ("https://a.example/long/", "path.html is", "https://a.example/long/path.html is"),
        ("reforms", "—that is", "reforms—that is"),
        ("a dash –", "and more", "a dash – and more"),
        ("leges van € 25,–", "in rekening", "leges van € 25,– in rekening"),
    ],
)
def test_hyphens(first: str, second: str, expected: str) -> None:
    known = wrapped(_KNOWN.split(), 44)
    rows = [*known, f"{'x' * (43 - len(first))} {first}", second]
    text = _joined(*rows)
    assert text.split("\n")[-1].endswith(expected)


@pytest.mark.parametrize("number", ["0.05 level", "(2007)). The", "(2007) found"])
def test_numbers_within_a_sentence_part_no_rows(number: str) -> None:
    before = f"{PROSE[0][:-1]};" if number.startswith("(") else PROSE[0]
    rows = [before, f"{number} {PROSE[1][: 39 - len(number)]}", PROSE[2], PROSE[3]]
    assert _joined(*rows) == " ".join(rows)


@pytest.mark.parametrize("begun", ["2026年", "“第三", "……第三"])
def test_a_short_row_stays_short_whatever_begins_the_next(begun: str) -> None:
    row = "本报告说明了二零二六年第三季度的业务情况和主要方面"
    rows = [row, row, "财务数据。", f"{begun}{row[: -len(begun)]}", row]
    (text,) = _texts(_page(("text", _lines([(0, each) for each in rows], letter=20))))
    assert text.split("\n")[0] == f"{row}{row}财务数据。"


def test_lines_without_any_width_are_left_alone() -> None:
    lines = [
        replace(line, polygon=polygon_of((5, 0, 5, 20))) for line in _lines([(0, "a")] * 3)
    ]
    assert _texts(_page(("text", lines))) == ["a\na\na"]


def test_many_rows_take_no_more_for_each() -> None:
    """Twenty thousand rows in one paragraph, and two thousand blocks: seconds, not hours."""
    rows = [(0, f"{PROSE[0]} and infor-")] * 20_000
    assert "\n" not in _texts(_page(("text", _lines(rows))))[0]
    two = [(0, PROSE[0]), (0, "a")]
    blocks: list[tuple[BlockKind, list[Line]]] = [
        ("text", _lines(two, top=60 * i)) for i in range(2000)
    ]
    assert len(_texts(_page(*blocks))) == 2000
    long = [(0, "a" * 40_000 + " ab-"), (0, "cde " + "@" * 40_000)]
    assert len(_texts(_page(("text", _lines(long, letter=0.1))))) == 1


def test_a_narrow_column_with_an_uneven_edge_is_running_text() -> None:
    said = (
        "these extraordinary circumstances remained uncomfortably unpredictable throughout "
        "neighbouring municipalities, notwithstanding comprehensive administrative "
        "preparations everywhere"
    )
    rows = wrapped(said.split(), 24)
    shares = [len(row) / 24 for row in rows[:-1]]
    assert sum(shares) / len(shares) < 0.85  # as far as boxes alone tell, not full
    assert _joined(*rows) == said


def test_two_rows_end_where_the_column_does_though_a_wider_block_is_above() -> None:
    column = wrapped(("gulls over the breakwater at noon " * 6).split(), 40)
    column = [row.ljust(40, ".") for row in column]
    page = _page(
        ("text", _lines([(0, "x" * 90), (0, "An abstract across both columns.")])),
        ("text", _lines([(0, row) for row in column], 100)),
        ("text", _lines([(0, row) for row in column], 400)),
        (
            "text",
            _lines(
                [(0, "The salt is weighed on the scales of the"), (0, "Custom House.")], 700
            ),
        ),
    )
    assert "\n" not in _texts(page)[-1]


def test_a_clause_goes_on_below_its_indented_number() -> None:
    rows = [
        (70, "2.3 Deposit. The tenant shall pay one month in"),
        (0, "advance and get it back when the last box has left the"),
        (0, "house."),
    ]
    assert "\n" not in _texts(_page(("text", _lines(rows))))[0]


def test_a_hyphen_stays_that_the_same_long_name_has_elsewhere() -> None:
    text = _joined(
        "The bridge at Villers-sur-Morne was closed in the spring of that year.",
        "Nobody from the council had been seen on the road near Villers-sur-",
        "Morne since then, and the second bridge, half an hour from Villers-",
        "sur-Morne by foot, was never finished.",
    )
    assert "Villerssur" not in text and text.count("Villers-sur-Morne") == 3


def _worded(text: str, widths: Sequence[float], at: int) -> Line:
    """A row of words of these widths, a space of 5 pixels between two of them."""
    words, left = [], 0.0
    for word, width in zip(text.split(), widths, strict=True):
        polygon = polygon_of((left, at, left + width, at + HEIGHT))
        words.append(Word(text=word, polygon=polygon))
        left += width + 5
    return Line(
        text=text, polygon=polygon_of((0, at, left - 5, at + HEIGHT)), words=tuple(words)
    )


def test_a_first_word_is_as_wide_as_its_box() -> None:
    """A word of wide letters would not have fitted, one of narrow letters would have."""
    above = _worded("as the long page that was", [40, 60, 70, 80, 80, 30], 0)
    wide = _worded("mammoth it illicitly filled", [110, 20, 150, 130], 30)
    narrow = _worded("illicit mammoths in a bowl", [20, 200, 60, 40, 95], 30)
    last = _worded("and the rest", [60, 60, 80], 60)
    assert _texts(_page(("text", [above, wide, last]))) == [
        "as the long page that was mammoth it illicitly filled and the rest"
    ]
    assert "\n" in _texts(_page(("text", [above, narrow, last])))[0]


@pytest.mark.parametrize(
    "word",
    ["log_statement_sample_rate", "“/system/proxy/http”、", "（“default”）、", "GtkComboBox"],
)
def test_a_word_of_another_script_is_not_parted(word: str) -> None:
    """A row ends early if the Latin word of the next, without spaces around it, is long."""
    full = "设置为零那么打印出所有查询设置为负一那么将把这个功能特性关闭启用从视图删除数据"
    rows = [full, full[: -len(word) // 2], (word + full)[: len(full)], "或者一条规则。"]
    (text,) = _texts(_page(("text", _lines([(0, row) for row in rows], letter=20))))
    assert "\n" not in text


def test_rows_that_start_with_one_sign_are_items() -> None:
    rows = [
        f"„ {they} in cases of low and of mid gravity before a court of the county"
        for they in ("they may be heard", "they may plead", "one may hear them")
    ]
    assert _joined(*rows) == "\n".join(rows)


_TEXT = (
    "Ferries had been late all winter and nobody on the quay was surprised when the harbour"
    " master came out without his cap to say that the boat from the islands was not to be"
    " seen yet and would hardly be before the evening, if it came at all on such a day."
)


def test_an_address_wider_than_its_column_does_not_widen_it() -> None:
    rows = wrapped(_TEXT.split(), 30)
    rows[3:3] = ["http://example.org/a-page-that-is-longer-than-any-row"]
    assert _joined(*rows).count("\n") <= 2  # beside the address


def test_rows_too_many_to_be_full_by_chance_are_one_paragraph() -> None:
    """Each starts with a capital, as names do, or as an address's town does."""
    rows = wrapped([word.title() for word in 2 * _TEXT.split()], 60)
    assert "\n" not in _joined(*rows)
    towns = [*rows]
    towns[2] = f"5549, {towns[2][6:]}"
    assert "\n" not in _joined(*towns)


def test_a_few_names_are_full_by_chance() -> None:
    names = ["Harold Fitzwilliam-Ashdown, York", "Johanna Vandermeersche-Deluca, Hull"]
    names += ["Archibald Montgomery-Tate, Leeds", "Wilhelmina Blackthorne-Rowe, York"]
    assert _joined(*names) == "\n".join(names)


@pytest.mark.parametrize("mark", ["(b) of this act", "404. It may be"])
def test_a_number_of_a_sentence_that_no_item_has_counted_to_is_no_items(mark: str) -> None:
    rows = [
        "(c) Within a reasonable time after the receipt of an application",
        "under paragraph",
    ]
    rows[1] += " and under what the rules have said before in section"
    rows.append(f"{mark} lacking or is set forth so that nobody can")
    rows.append("understand it, the applicant may amend it.")
    assert _joined(*rows) == " ".join(rows)


def test_items_count_on_in_letters_and_in_roman_numbers() -> None:
    for marks in ("abc", "hij", ("i", "ii", "iii"), ("iv", "v", "vi"), "123"):
        rows = [f"({mark}) an item that is quite as long as all the others" for mark in marks]
        assert _joined(*rows, kind="list") == "\n".join(rows)


def test_a_sign_that_only_splits_words_leaves_their_own_hyphens() -> None:
    rows = [
        "a two-year work of hand and bell, when the work\u2010",
        "men split\u2010",
        "stones",
    ]
    told = Hyphens([rows])
    assert told.joined("a hand\u2010", "bell") == "a handbell"
    assert told.joined("the former-", "mayor") == "the former-mayor"
    assert told.joined("alle Vor-", "und Nachteile") == "alle Vor- und Nachteile"


def test_a_sign_that_is_within_words_tells_nothing_of_those_at_the_ends_of_rows() -> None:
    told = Hyphens(
        [["a two\u2010year work of the hand and a bell or two\u2010", "day\u2010", "made"]]
    )
    assert told.joined("a hand\u2010", "bell") == "a hand\u2010bell"
    assert told.joined("the former-", "mayor") == "the formermayor"


def test_two_rows_end_where_their_column_does_though_a_wider_block_starts_there_too() -> None:
    column = ["word " * 4 + "words"] * 3
    wide: list[Line] = _lines([(0, "a line above both columns of the page")] * 2)
    body = [_lines([(0, row) for row in column], top) for top in (200, 500, 800)]
    told = _lines([(0, "a picture of the boat"), (0, "painted before the war")], 1100)
    page = _page(("text", wide), *(("text", each) for each in body), ("text", told))
    assert _texts(page)[-1] == "a picture of the boat painted before the war"


def test_a_name_centred_over_what_is_said_of_it_stays_on_its_own_line() -> None:
    signed = _lines([(0, "Ing. Radka Stastna"), (35, "tenant here")])
    assert _texts(_page(("text", signed))) == ["Ing. Radka Stastna\ntenant here"]
