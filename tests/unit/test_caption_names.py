"""What captions begin with, and sentences that begin like one."""

from __future__ import annotations

import pytest

from pagetide.structure.figures.caption_names import CAPTION, NUMBERED


@pytest.mark.parametrize(
    "said",
    ["Table 2", "Tabelle 3", "表 20", "图3", "Таблица 1", "جدول 4", "Tab. 5: Dues", "FIGURE 6"],
)
def test_a_name_and_a_number_begin_a_caption(said: str) -> None:
    assert CAPTION.match(said) and NUMBERED.match(said)


@pytest.mark.parametrize("said", ["Figure A.1", "Figure B", "Table IV", "Table S2"])
def test_letters_number_captions_too(said: str) -> None:
    assert CAPTION.match(said)


@pytest.mark.parametrize(
    "said", ["Table of contents", "Tables are", "Figure it out", "Tablet 2", "表格", "2 Tables"]
)
def test_sentences_with_such_a_name_begin_none(said: str) -> None:
    assert not CAPTION.match(said) and not NUMBERED.match(said)
