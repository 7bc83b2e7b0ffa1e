"""What becomes of a page between its input and its result."""

from collections.abc import Sequence

import pytest

from pagetide.document import Block, Line
from pagetide.engine import PageReading
from pagetide.geometry import polygon_of
from pagetide.inputs import PageContent
from pagetide.layout import Drawn
from pagetide.reading import assembled
from pagetide.reading.pages_in_work import Prepared, Work
from tests.documents import line, page_of

BLANK = page_of(())


def _content(drawn: Drawn) -> PageContent:
    return PageContent(
        number=1,
        width=BLANK.width,
        height=BLANK.height,
        dpi=BLANK.dpi,
        width_pt=BLANK.width_pt,
        height_pt=BLANK.height_pt,
        rotation=0,
        text_layer=BLANK.text_layer,
        lines=(line("Tide", (10, 10, 100, 30)),),
        drawn=drawn,
    )


def _codes(drawn: Drawn) -> list[str]:
    page = Prepared(work=Work(), content=_content(drawn)).page()
    assert page is not None
    return [notice.code for notice in page.warnings]


def test_a_page_with_more_drawn_than_is_looked_at_says_so() -> None:
    assert _codes(Drawn()) == []
    assert _codes(Drawn(too_many=True)) == ["tables_not_searched"]


def test_an_engines_own_headings_have_levels() -> None:
    blocks = tuple(
        Block(kind="heading", polygon=polygon_of((0, y, 100, y + size)), order=i, text=text)
        for i, (text, y, size) in enumerate(
            [("Ebb", 0, 40), ("Flow", 50, 20), ("1.2 Wind", 80, 20)]
        )
    )
    prepared = Prepared(work=Work(), content=_content(Drawn()))
    page = prepared.page(PageReading(lines=(), blocks=blocks))
    assert page is not None
    assert [block.level for block in page.blocks] == [1, 2, 2]
    assert page.warnings == ()


def test_words_that_blocks_lose_are_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def careless(lines: Sequence[Line], *_: object, **__: object) -> object:
        return tuple(lines), (
            Block(kind="text", polygon=lines[0].polygon, order=0, text="ide"),
        )

    monkeypatch.setattr(assembled, "structure", careless)
    page = Prepared(work=Work(), content=_content(Drawn())).page()
    assert page is not None
    assert caplog.messages == ["text lost or doubled in blocks"]
    assert [(n.code, n.message) for n in page.warnings] == [
        (
            "blocks_incomplete",
            "A bug in Pagetide: 1 letters read on this page are in no block, and 0"
            " are in blocks twice; the lines contain all of them.",
        )
    ]
