"""How words and letters of rendered pages are counted."""

from __future__ import annotations

from bench.corpus import TruthLine
from bench.metrics import FoundLine, character_errors
from bench.renders import words_of


def test_signs_around_words_are_none_of_them_and_eastern_letters_stand_alone() -> None:
    words = words_of(["“Total” ........ 1,250.00 €", "• e-mail: a@b.example", "表格 Table 2"])
    assert sorted(words) == sorted(
        ["Total", "1,250.00", "e-mail", "a@b.example", "表", "格", "Table", "2"]
    )


def test_a_leader_counts_where_all_signs_do_and_not_where_letters_do() -> None:
    truth = [TruthLine(text="Iron ........ 15", box=(0, 0, 160, 10))]
    found = [FoundLine(text="Iron .. 16", box=(0, 0, 160, 10))]
    assert character_errors(truth, found).edits == 7
    assert character_errors(truth, found, str.isalnum).edits == 1
