"""What a layout model or rules see wrongly, and the lines tell."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Block, BlockKind, Line
from pagetide.geometry import Box, polygon_of
from pagetide.layout import NOTHING_DRAWN, Area, Drawn, Rule
from pagetide.structure import amiss, structure
from tests.unit.tables_drawn import HEIGHT, WIDTH, across, down, row, text

SMALL = 14.0
XS = (100.0, 300.0, 620.0, 760.0)
HEADS = ("Berth", "Boat", "Days", "Dues")
ROWS = [
    ("A 1", "Minnow", "12", "37.20"),
    ("A 2", "Curlew", "1", "21.00"),
    ("B 7", "Heron", "4", "33.00"),
]


def _prose(top: float, count: int = 6) -> list[Line]:
    said = "the boats that came in with the tide were unloaded before the evening and went"
    return [text(f"{said} {n}", 80, top + 26 * n) for n in range(count)]


def _small(said: str, y: float, *, x: float = 80) -> Line:
    return Line(text=said, polygon=polygon_of((x, y, x + 7 * len(said), y + SMALL)))


def _area(kind: BlockKind, box: Box) -> Area:
    return Area(label=kind, kind=kind, polygon=polygon_of(box), confidence=0.9)


def _blocks(
    lines: Sequence[Line], areas: Sequence[Area] = (), drawn: Drawn = NOTHING_DRAWN
) -> tuple[Block, ...]:
    _, blocks = structure(lines, WIDTH, HEIGHT, areas, drawn)
    assert amiss(lines, blocks) == (0, 0)
    return blocks


def _kinds(blocks: Sequence[Block], begin: str) -> list[BlockKind]:
    return [block.kind for block in blocks if block.text.startswith(begin)]


def test_a_sentence_with_its_mark_seen_as_a_footer_is_a_footnote() -> None:
    note, address = _small("3 The pier was closed then.", 1300), _small("91 Tanner Row", 1300)
    seen = [_area("footer", (75, 1295, 400, 1320))]
    assert _kinds(_blocks([*_prose(100), note], seen), "3 The") == ["footnote"]
    assert _kinds(_blocks([*_prose(100), address], seen), "91") == ["footer"]


def test_a_form_seen_as_a_figure_is_a_form() -> None:
    names = ["Name of boat", "Home port", "Owner", "Telephone"]
    lines = [*_prose(100), text("Application for a berth", 80, 300)]
    rules: list[Rule] = []
    for n, name in enumerate(names):
        lines.append(text(name, 80, 400 + 60 * n))
        rules.append(across(425 + 60 * n, 80, 480))
        lines.append(text(f"{name} of harbour", 520, 400 + 60 * n))
        rules.append(across(425 + 60 * n, 520, 920))
    seen = [_area("figure", (70, 290, 930, 700))]
    blocks = _blocks(lines, seen, Drawn(rules=tuple(rules)))
    assert all(block.kind != "figure" for block in blocks)


def test_lines_of_unlike_type_above_a_table_are_no_caption() -> None:
    heading = Line(text="Boats in the north", polygon=polygon_of((100, 330, 360, 360)))
    lines = [*_prose(60), text("Valid from May", 100, 300)]
    table = [
        line for n, each in enumerate((HEADS, *ROWS)) for line in row(each, XS, 380 + 40 * n)
    ]
    rules = [across(y, 90, 820) for y in (372, 412, 530)]
    seen = [_area("caption", (95, 295, 365, 362)), _area("table", (90, 372, 820, 530))]
    blocks = _blocks([*lines, heading, *table], seen, Drawn(rules=tuple(rules)))
    assert "caption" not in {block.kind for block in blocks}


def test_lines_right_below_one_another_that_count_up_are_a_list() -> None:
    items = [text(f"{n}. The northern quay", 80, 400 + 30 * n) for n in (1, 2, 3)]
    seen = [_area("heading", (75, 395 + 30 * n, 400, 425 + 30 * n)) for n in (1, 2, 3)]
    blocks = _blocks([*_prose(100), *items, *_prose(560)], seen)
    assert _kinds(blocks, "1.") == ["list"]
    assert "heading" not in {block.kind for block in blocks}


def test_numbered_headings_with_text_between_stay_headings() -> None:
    first, second = text("1. The northern quay", 80, 300), text("2. The southern quay", 80, 560)
    seen = [_area("heading", (75, y - 5, 400, y + 25)) for y in (300, 560)]
    blocks = _blocks([*_prose(100), first, *_prose(340), second, *_prose(600)], seen)
    assert _kinds(blocks, "1. The") == _kinds(blocks, "2. The") == ["heading"]


def test_sources_below_their_heading_are_no_footnotes() -> None:
    title = Line(text="References", polygon=polygon_of((80, 1000, 300, 1030)))
    sources = [_small(f"{n}. A. Author, Harbours, 199{n}.", 1050 + 18 * n) for n in (1, 2, 3)]
    blocks = _blocks([*_prose(100), title, *sources])
    assert _kinds(blocks, "1. A.") == ["reference"]


def test_a_caption_right_below_a_paragraph_is_one() -> None:
    said = "the boats that came in with the tide were unloaded before the end."
    last = [text(said, 80, 256), text("Table 2: Boats by berth.", 80, 282)]
    table = [
        line for n, each in enumerate((HEADS, *ROWS)) for line in row(each, XS, 330 + 40 * n)
    ]
    rules = [across(y, 90, 820) for y in (322, 362, 480)]
    blocks = _blocks([*_prose(100), *last, *table], drawn=Drawn(rules=tuple(rules)))
    assert _kinds(blocks, "Table 2:") == ["caption"]


def test_a_sentence_that_begins_with_a_tables_number_in_a_paragraph_stays_in_it() -> None:
    said = "the boats that came in with the tide were unloaded before the evening and"
    lines = [*_prose(100, 3), text(f"Table 2. The {said[8:]} 9", 80, 178)]
    [block] = _blocks([*lines, *_prose(204, 3)])
    assert block.kind == "text"


def test_contents_seen_as_a_table_are_contents() -> None:
    titles = ["Harbours........", "Quays and piers......", "Tides", "Charts........"]
    lines, rules = list[Line](), [down(90, 300, 460), down(600, 300, 460), down(820, 300, 460)]
    for n, title in enumerate(titles):
        lines += [text(title, 100, 310 + 40 * n), text(str(3 + 7 * n), 780, 310 + 40 * n)]
    rules += [across(300 + 40 * n, 90, 820) for n in range(5)]
    blocks = _blocks([*_prose(60), *lines, *_prose(600)], drawn=Drawn(rules=tuple(rules)))
    assert _kinds(blocks, "Harbours") == ["toc"]
