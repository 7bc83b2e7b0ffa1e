"""Formulas in training lines: their labels, and the signs that show them."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from train.formulas import DOUBLE, GREEK, ITALIC, SCRIPT, UPRIGHT, formula
from train.letters import CLASSES
from train.signs import shown


@given(st.integers(0, 10_000), st.integers(1, 8))
def test_a_formula_is_labelled_with_letters_that_the_network_knows(
    seed: int, terms: int
) -> None:
    marks = formula(random.Random(seed), terms)  # noqa: S311 - drawn text is no secret
    assert marks and all(mark.text for mark in marks)
    assert {letter for mark in marks for letter in mark.text} <= set(CLASSES)
    assert not marks[0].spaced


@given(st.integers(0, 10_000))
def test_a_label_has_spaces_where_there_is_room(seed: int) -> None:
    marks = formula(random.Random(seed), 4)  # noqa: S311 - drawn text is no secret
    assert all(mark.gap > 0.1 for mark in marks if mark.spaced)
    assert all(mark.gap < 0.1 for mark in marks if not mark.spaced)


@pytest.mark.parametrize(
    ("letter", "style", "sign"),
    [
        ("x", ITALIC, "𝑥"), ("h", ITALIC, "ℎ"), ("A", ITALIC, "𝐴"), ("=", ITALIC, "="),
        ("α", GREEK, "𝛼"), ("Γ", GREEK, "Γ"), ("R", DOUBLE, "ℝ"), ("E", DOUBLE, "𝔼"),
        ("L", SCRIPT, "ℒ"), ("A", SCRIPT, "𝒜"), ("x", UPRIGHT, "x"),
    ],
)  # fmt: skip
def test_letters_have_signs_of_their_own_in_mathematics(
    letter: str, style: str, sign: str
) -> None:
    assert shown(letter, style) == sign
