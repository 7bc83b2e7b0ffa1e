"""OmniDocBench's rules: which piece tells which block, and what that is worth."""

from __future__ import annotations

from itertools import permutations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.public import near
from bench.public.assignment import assigned
from bench.public.matching import Match, matched
from bench.public.omnidocbench import PageScore, result, score
from bench.public.page_truth import Annotation, Extra, PageTruth, Relation

_ONE = "theharbourkeepsalightforships"
_TWO = "fishermenmaystayattheirplaces"


def _truth(*blocks: tuple[str, str], relations: tuple[Relation, ...] = ()) -> PageTruth:
    field = {"table": "html", "equation_isolated": "latex"}
    return PageTruth(
        layout_dets=[
            Annotation(kind, anno_id=i, order=i + 1, **{field.get(kind, "text"): content})
            for i, (kind, content) in enumerate(blocks)
        ],
        extra=Extra(relation=list(relations)),
    )


@given(st.integers(1, 4), st.integers(1, 5), st.integers(0, 1000))
def test_an_assignment_costs_as_little_as_any(rows: int, columns: int, seed: int) -> None:
    costs = np.random.default_rng(seed).integers(0, 4, (rows, columns)).astype(float)
    pairs = assigned(costs)
    wide = costs if rows <= columns else costs.T
    least = min(
        sum(wide[row, column] for row, column in enumerate(way))
        for way in permutations(range(wide.shape[1]), wide.shape[0])
    )
    assert sum(costs[pair] for pair in pairs) == least
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(wide)


def test_a_paragraph_in_two_pieces_is_told_by_both() -> None:
    assert matched([_ONE, _TWO], [_ONE[:14], _ONE[14:], _TWO]) == [
        Match((0,), (0, 1)),
        Match((1,), (2,)),
    ]


def test_blocks_within_one_piece_are_told_by_it_together() -> None:
    assert matched([_ONE, _TWO], [_ONE + _TWO]) == [Match((0, 1), (0,))]


def test_what_is_left_is_paired_however_bad_and_what_is_too_many_is_missing() -> None:
    assert matched([_ONE, "x1y2z3", "q7"], [_ONE, "888888"]) == [
        Match((0,), (0,)),
        Match((1,), (1,)),
        Match((2,), ()),
    ]


def test_without_pieces_every_block_is_missing() -> None:
    assert matched(["a", "b"], []) == [Match((0,), ()), Match((1,), ())]
    assert matched([], ["a"]) == []


@given(st.text("abc", max_size=12), st.text("abc", min_size=1, max_size=5))
def test_a_run_as_long_as_a_piece_is_looked_for_everywhere(text: str, piece: str) -> None:
    runs = [text[i : i + len(piece)] for i in range(len(text) - len(piece) + 1)]
    least = min((near.apart(run, piece) for run in runs), default=1.0)
    assert near.within(text, piece, 0.5) is (least < 0.5)


def test_a_page_read_as_it_is_has_no_errors() -> None:
    truth = _truth(
        ("title", "A title"),
        ("text_block", "Some words."),
        ("table", "<table><tr><th>a</th></tr></table>"),
        ("equation_isolated", "$$a + b$$"),
    )
    page = "# A title\n\nSome words.\n\n<table>\n<tr><td>a</td></tr>\n</table>\n\n$$ a+b $$\n"
    found = score(truth, page)
    assert found == PageScore(
        text=(0, 15), formulas=(0, 3), tables=((1.0, 1.0),), order=0.0, formulas_as=("formula",)
    )


def test_an_empty_page_has_all_errors() -> None:
    truth = _truth(
        ("text_block", "Some"), ("table", "<table></table>"), ("equation_isolated", "a")
    )
    found = score(truth, "")
    assert found.text == (4, 4)
    assert found.formulas == (1, 1)
    assert found.tables == ((0.0, 0.0),)
    assert found.order == 1.0
    assert found.formulas_as == ("nothing",)


def test_what_is_to_be_left_out_costs_nothing_where_it_is_written() -> None:
    truth = _truth(("header", "Gazette of the harbour"), ("text_block", "Some words."))
    found = score(truth, "Gazette of the harbor\n\nSome words.\n\nA picture's words")
    assert found.text == (0, 9)


def test_the_order_of_blocks_is_told_by_where_they_stand() -> None:
    truth = _truth(*(("text_block", text) for text in (_ONE, _TWO, "123456789")))
    assert score(truth, f"{_TWO}\n\n{_ONE}\n\n123456789").order == pytest.approx(2 / 3)
    assert score(truth, f"{_ONE}\n\n{_TWO}\n\n123456789").order == 0


def test_parts_of_one_paragraph_are_compared_together() -> None:
    tied = Relation(source_anno_id=0, target_anno_id=1, relation_type="truncated")
    truth = _truth(("text_block", "The quay is "), ("text_block", "closed."), relations=(tied,))
    assert score(truth, "The quay is closed.").text == (0, 15)


def test_a_formula_that_was_read_as_text_is_compared_as_text() -> None:
    found = score(_truth(("equation_isolated", r"$\alpha = 5$")), "α = 6")
    assert (found.text, found.formulas, found.formulas_as) == ((1, 2), (0, 0), ("text",))


def test_each_true_table_has_the_nearest_found_one_and_spare_ones_are_text() -> None:
    truth = _truth(
        ("table", "<table><tr><td>abc</td></tr></table>"), ("text_block", "Some words")
    )
    found = score(
        truth,
        "<table><tr><td>Some words</td></tr></table>\n\n<table><tr><td>abd</td></tr></table>",
    )
    assert found.tables[0][0] == pytest.approx(1 - (1 / 3) / 2)
    assert found.tables[0][1] == 1
    assert found.text == (0, 9)


def _scored(text: tuple[int, int], teds: float, *formulas: str) -> PageScore:
    return PageScore(
        text=text,
        formulas=(1, 1) if formulas else (0, 0),
        tables=((teds, teds),),
        order=0.0,
        formulas_as=formulas,
    )


def test_pages_count_alike_however_long() -> None:
    pages = [("a", _scored((0, 1000), 1.0)), ("b", _scored((5, 10), 0.5))]
    figures = result("A set", "omnidocbench", pages, ()).figures
    assert figures["text_edit"] == 0.25
    assert figures["table_teds"] == 75
    assert figures["text_and_tables"] == 75
    assert figures["overall"] is None  # no formula is there to be told


def test_missing_formulas_count_as_none_and_unrendered_ones_give_a_lower_bound() -> None:
    missing = result("A set", "omnidocbench", [("a", _scored((1, 10), 1.0, "nothing"))], ())
    assert missing.figures["overall"] == pytest.approx((90 + 100 + 0) / 3)
    assert missing.figures["formula_cdm"] == 0
    assert not missing.floors
    written = result("A set", "omnidocbench", [("a", _scored((1, 10), 1.0, "formula"))], ())
    assert written.figures["overall"] == pytest.approx((90 + 100 + 0) / 3)
    assert written.figures["formula_cdm"] is None
    assert written.floors == {"overall"}


def test_the_benchmarks_own_json_is_read_with_what_it_leaves_out() -> None:
    entry = b'{"layout_dets": [{"category_type": "abandon", "poly": [1], "order": null}]}'
    truth = msgspec.json.decode(entry, type=PageTruth)
    assert score(truth, "words").text == (0, 0)
