"""Fitted trees are asked as they were written; patterns of many words; lists of words."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.languages import labels
from pagetide.languages.labels import words_by_role
from pagetide.languages.patterns import any_of
from pagetide.structure.tables.ends import edge_rows
from pagetide.structure.tables.rows import joins as row_joins
from pagetide.structure.trees import Trees

WORDS = st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=8)
LISTS = ("columns.toml", "composed.toml", "letterheads.toml", "sums.toml", "terms.toml")


def test_each_tree_adds_its_answer_and_what_is_not_told_is_nothing() -> None:
    trees = Trees(base=0.0, trees=[["room", 1.0, -2.0, ["small", 0.5, 0.0, 3.0]]])
    assert trees.probability({}) == trees.probability({"room": 1.0}) < 0.2
    assert trees.probability({"room": 2.0}) == 0.5
    assert trees.probability({"room": 2.0, "small": 1.0}) > 0.9


@pytest.mark.parametrize(
    ("module", "name"), [(row_joins, "row_trees.json"), (edge_rows, "edge_row_trees.json")]
)
def test_the_trees_that_are_shipped_know_their_features(module: object, name: str) -> None:
    file = Path(getattr(module, "__file__", ""))
    trees = Trees.beside(str(file), name)
    source = "".join(path.read_text() for path in file.parent.glob("*features.py"))
    asked = set(re.findall(r'"(\w+)",-?\d', msgspec.json.encode(trees.trees).decode()))
    stated = {"upper_name", "upper_words", "upper_values"}
    stated |= {each.replace("upper", "lower") for each in stated}  # put together there
    assert asked and {each for each in asked - stated if f'"{each}"' not in source} == set()


@given(words=WORDS, rest=st.text("abc", max_size=3))
def test_a_pattern_of_words_matches_these_and_no_others(words: list[str], rest: str) -> None:
    pattern = re.compile(any_of(words))
    assert all(pattern.fullmatch(word) for word in words)
    said = words[0] + rest
    assert (pattern.fullmatch(said) is not None) == (said in words)


def test_no_word_of_a_list_is_empty_or_has_a_bar_in_it() -> None:
    names = {*labels.names(), *labels.months()}
    words = names.union(*(own for file in LISTS for own in words_by_role(file).values()))
    assert len(words) > 5000
    assert not {word for word in words if not word or "|" in word}
