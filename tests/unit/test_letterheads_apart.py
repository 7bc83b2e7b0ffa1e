"""Addresses beside dates and numbers, items that hang, feet in columns: each stays whole."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagetide.document import Block, BlockKind, Line, Page
from pagetide.geometry import Box, polygon_of
from pagetide.layout import Drawn
from pagetide.structure import settled, structure
from tests.documents import line, page_of

WIDTH, HEIGHT = 1000, 1400
ADDRESS = ("Mrs Ada Moreau", "The Old Maltings", "7 Steep Hill", "Lincoln", "LN2 1LT")
NAMES = ("Our ref", "Your ref", "Date", "Account", "Order", "Contact", "Delivery", "Due")
VALUES = ("20877", "1183", "09.06.2025", "71 188", "60 229", "217", "11.06.2025", "30.06.2025")


def _line(text: str, x: float, y: float, *, size: float = 20, right: float = 0) -> Line:
    box = (x, y, right or x + 0.5 * size * len(text), y + size)
    return Line(text=text, polygon=polygon_of(box), source="text_layer")


def _told(lines: list[Line], drawn: Drawn | None = None) -> list[Block]:
    return list(structure(lines, WIDTH, HEIGHT, drawn=drawn or Drawn())[1])


def _texts(blocks: list[Block]) -> list[str]:
    return [block.text for block in blocks if block.table is None]


def _prose(y: float) -> list[Line]:
    words = "what we agreed on the third, and what the work is going to cost you"
    return [_line(words, 100, y + 25 * n, right=900) for n in range(6)]


def _list(y: float, pitch: float, count: int = len(NAMES)) -> list[Line]:
    pairs = list(zip(NAMES, VALUES, strict=True))[:count]
    return [
        _line(said, x, y + pitch * n)
        for n, pair in enumerate(pairs)
        for said, x in zip(pair, (600, 760), strict=True)
    ]


@pytest.mark.parametrize("empty", [None, 3])
@pytest.mark.parametrize("first", [0, 1])
def test_an_address_beside_a_list_of_numbers_is_in_no_table(
    first: int, empty: int | None
) -> None:
    """One of its lines may be left empty, and the list may begin above it."""
    rows = [n for n in range(5) if n != empty][:4]
    said = [ADDRESS[n] for n in rows]
    lines = [
        _line(text, 100, 300 + 28 * (n + first)) for text, n in zip(said, rows, strict=True)
    ]
    blocks = _told([*lines, *_list(300, 28), *_prose(700)])
    told = [text for block in _texts(blocks) for text in block.split("\n")]
    assert [text for text in told if text in ADDRESS] == said
    assert [block.table.columns for block in blocks if block.table] == [2]


def test_an_address_goes_on_below_a_short_table_beside_it() -> None:
    lines = [_line(text, 100, 300 + 28 * n) for n, text in enumerate(ADDRESS)]
    blocks = _told([*lines, *_list(303, 28, count=3), *_prose(600)])
    assert "\n".join(ADDRESS) in _texts(blocks)


def test_an_address_on_lines_of_its_own_is_not_read_between_those_beside_it() -> None:
    lines = [_line(text, 100, 318 + 40 * n) for n, text in enumerate(ADDRESS[:4])]
    blocks = _told([*lines, *_list(298, 40, count=7), *_prose(700)])
    assert "\n".join(ADDRESS[:4]) in _texts(blocks)


def test_an_address_is_whole_beside_the_first_lines_of_a_side_column() -> None:
    side = [
        _line(said, 60, 240 + 72 * n + 28 * m)
        for n, pair in enumerate(zip(NAMES[:6], VALUES, strict=False))
        for m, said in enumerate(pair)
    ]
    lines = [_line(text, 400, 280 + 30 * n) for n, text in enumerate(ADDRESS)]
    assert "\n".join(ADDRESS) in _texts(_told([*side, *lines, *_prose(900)]))


def test_the_second_and_last_row_of_an_item_goes_on_below_its_number() -> None:
    """One that stands in where a sentence ended begins a paragraph."""
    item = "[3] A. Palla and I. Gnecco: a simple bucket for vegetated"
    hanging = _line("covers, and what it holds.", 140, 325)
    assert len(_told([_line(item, 100, 300, right=900), hanging])) == 1
    told = [_line("It said what it had said of a bucket,", 100, 275, right=900)]
    told += [_line("and nobody minded what was said there.", 100, 300, right=900)]
    assert len(_told([*told, _line("Another one begins here.", 140, 325)])) == 2


def test_a_column_of_a_foot_is_one_with_its_name_in_bold() -> None:
    rows = ((1330, True), (1348, False), (1366, False))
    columns = {
        100: ("Office", "Town hall square 1", "24937 Auheim"),
        360: ("Opening hours", "Mon to Wed 8.30 to 12", "Thu as well to 17.30"),
        620: ("Bank", "Savings bank of Auheim", "DE71 2175 0000 4711 00"),
        850: ("Bus", "Lines 3, 7 and 12", "Stop at the hall"),
    }
    foot = [
        Line(
            text=said,
            polygon=polygon_of((x, y, x + 6.5 * len(said), y + 14)),
            source="text_layer",
            bold=bold,
        )
        for x, texts in columns.items()
        for said, (y, bold) in zip(texts, rows, strict=True)
    ]
    blocks = _told([*_prose(200), *_prose(500), *foot])
    assert {block.kind for block in blocks[2:]} == {"footer"}


@pytest.mark.parametrize("said", ["– 4 –", "- 12 -", "— 7 —"])
def test_a_number_between_dashes_is_a_pages_and_no_list(said: str) -> None:
    foot = _line("Lease of 18 Harbour Street", 100, 1330, size=16)
    blocks = _told([*_prose(200), foot, _line(said, 480, 1352, size=16)])
    assert blocks[-1].kind == "page_number"


def test_an_upright_axis_has_its_name_beside_the_figure() -> None:
    figure: Box = (400, 300, 800, 600)
    up = ((360.0, 510.0), (360.0, 390.0), (380.0, 390.0), (380.0, 510.0))
    name = Line(text="Retention (%)", polygon=up, source="text_layer")
    blocks = _told([*_prose(100), name, *_prose(700)], Drawn(pictures=(figure,)))
    [drawn] = [block for block in blocks if block.kind == "figure"]
    assert drawn.text == "Retention (%)"


def test_a_letterhead_is_a_heading_on_the_first_of_all_the_pages_it_stands_on() -> None:
    def kinds(*also: str, top: float) -> list[str]:
        pages = [_headed(number, said, top) for number, said in enumerate(also, 1)]
        return [page.blocks[0].kind for page in settled(pages)]

    assert kinds("Quay 4, Visby", "Quay 4, Visby", top=140.0) == ["heading", "header"]
    assert kinds("First chapter", "Second one", top=140.0) == ["heading", "heading"]
    assert kinds("Page 1 (2)", "Page 2 (2)", top=140.0) == ["heading", "header"]


def test_a_name_at_the_top_of_all_pages_runs_there_where_the_document_has_a_title() -> None:
    def kinds(title: BlockKind, top: float, *also: str) -> list[str]:
        first, *others = [_headed(number, said, top) for number, said in enumerate(also, 1)]
        last = replace(first.blocks[-1], kind=title)
        pages = [replace(first, blocks=(*first.blocks[:-1], last)), *others]
        return [page.blocks[0].kind for page in settled(pages)]

    many = ("One", "Two", "Three")
    assert kinds("title", 40.0, *many) == ["heading", "header", "header"]
    assert kinds("title", 140.0, *many) == ["header"] * 3  # no letterhead
    assert kinds("title", 40.0, "One", "Two") == ["heading"] * 2  # two sections alike


def _headed(number: int, also: str, top: float) -> Page:
    """A page that begins with a name and something else, over its text."""
    said: list[tuple[BlockKind, str, float]] = [
        ("heading", "Harbour Bank", top),
        ("text", also, top + 40.0),
        ("text", f"What page {number} says", 700.0),
    ]
    lines = [line(text, (100, y, 100 + 10 * len(text), y + 20)) for _, text, y in said]
    blocks = tuple(
        Block(
            kind=kind,
            polygon=each.polygon,
            order=place,
            text=each.text,
            line_indexes=(place,),
            level=1 if kind == "heading" else None,
        )
        for place, ((kind, _, _), each) in enumerate(zip(said, lines, strict=True))
    )
    return page_of(lines, number=number, blocks=blocks)


@pytest.mark.parametrize(
    ("text", "right", "sure", "kind"),
    [
        ("MM", 320, 0.7, "figure"),
        ("MM", 320, 0.95, "text"),
        ("MM", 200, 0.7, "text"),
        ("……", 320, 0.7, "text"),
    ],
)
def test_strokes_read_as_letters_too_wide_and_unsure_are_a_drawing(
    text: str, right: float, sure: float, kind: str
) -> None:
    signed = Line(text=text, polygon=polygon_of((100, 400, right, 460)), confidence=sure)
    name = Line(text="Ada Moreau", polygon=polygon_of((100, 500, 200, 520)), confidence=0.99)
    [block] = [block for block in _told([*_prose(100), signed, name]) if block.text == text]
    assert block.kind == kind


def test_references_with_numbers_that_count_hang_each_below_its_own() -> None:
    """A citation at a line's beginning is none."""
    said = [
        ("[1] Dufour, M., Arnaud, C.: Energy of a narrow street in summer.", 100),
        ("Climatology 31, 45 (2016)", 140),
        ("[2] Hale, R.J., Nkemelu, O.: Bedroom temperature, and sleep in", 100),
        ("older adults. Health 8, 101 (2020)", 140),
        ("[3] Oakley, T.R.: Street geometry and the nocturnal heat island.", 100),
        ("Bound. Layer Studies 19 (1981)", 140),
    ]
    lines = [_line(text, x, 300 + 26.0 * n) for n, (text, x) in enumerate(said)]
    texts = _texts(_told([*lines, *_prose(900)]))
    assert texts[:3] == [f"{said[n][0]}\n{said[n + 1][0]}" for n in (0, 2, 4)]
    cited = [
        "The bond length is in good agreement with the calculations made before",
        "[18] and with copper, but is different from that of the calcium wires of",
        "[28] suggested that the differences between these may be related to them",
    ]
    prose = [_line(text, 100, 300 + 26.0 * n) for n, text in enumerate(cited)]
    assert len(_texts(_told([*prose, *_prose(900)]))) == 2


@pytest.mark.parametrize("total", [False, True])
def test_a_firm_s_name_and_a_title_in_large_letters_side_by_side_are_apart(
    total: bool,
) -> None:
    """A total in large letters and its figure are one row."""
    left = ("Total to pay", "by card") if total else ("Harbour Bank", "since 1931 in Visby")
    right = (
        ("1,204.10", "900.00") if total else ("Statement of account", "No. 4/2025, page 1 of 2")
    )
    lines = [
        _line(left[0], 100, 100, size=34),
        _line(left[1], 100, 142),
        _line(right[0], 620, 100, size=34),
        _line(right[1], 620, 142),
    ]
    texts = _texts(_told([*lines, *_prose(400)]))
    assert any(left[0] in text and right[0] in text for text in texts) is total


@pytest.mark.parametrize("rows", [2, 3])
def test_numbers_with_names_of_their_own_are_no_values_of_what_is_beside(rows: int) -> None:
    """A sender of as many lines as there are numbers beside it, on the same lines."""
    sender = ("Town of Flowers", "Human resources", "Water works")[:rows]
    numbers = ("Number: 214/2026", "Date: 12 October 2026", "Contact: 217")[:rows]
    lines = [
        _line(said, x, 100 + 28 * n)
        for n, pair in enumerate(zip(sender, numbers, strict=True))
        for said, x in zip(pair, (100, 600), strict=True)
    ]
    blocks = _texts(_told([*lines, *_prose(300)]))
    assert blocks[:2] == ["\n".join(sender), "\n".join(numbers)]
