"""What the first stage's training and its reading have in common."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from pagetide.engines.networks.cores import Cores
from pagetide.engines.ppocr.first_stage.letters import SPACE, UNKNOWN
from pagetide.engines.ppocr.inference.openvino_runtime import OpenVinoRuntime
from pagetide.engines.ppocr.inference.weights import bundled
from train.letters import CLASSES, FOREIGN, LETTERS, label, text_of


def test_the_shipped_network_has_the_letters_that_are_trained() -> None:
    runtime = OpenVinoRuntime(bundled(), Cores(1), bf16=False, cache_folder=None)
    assert runtime.first_characters == LETTERS
    assert LETTERS[SPACE] == " " and FOREIGN == UNKNOWN == LETTERS[-1]


@given(st.text(st.sampled_from(LETTERS[1:-1])))
def test_a_text_of_known_letters_is_labelled_letter_by_letter(text: str) -> None:
    assert text_of(label(text)) == text


@given(st.text())
def test_unknown_signs_in_a_row_are_one(text: str) -> None:
    classes = label(text)
    unknown = CLASSES[FOREIGN]
    assert (unknown, unknown) not in itertools.pairwise(classes)
    known = [letter for letter in text if letter in CLASSES and letter != FOREIGN]
    assert [c for c in classes if c != unknown] == [CLASSES[letter] for letter in known]
