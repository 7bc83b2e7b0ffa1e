"""Words find their places in the content: by themselves before in another word."""

from __future__ import annotations

from pagetide.document import Line, Word
from pagetide.geometry import polygon_of
from pagetide.server.compat.azure.content.claiming import Claims, Target
from pagetide.server.compat.azure.content.page_content import Written
from tests.documents import page_of


def _line(text: str, left: float, top: float) -> Line:
    """A line whose letters are ten wide."""
    words, at = [], left
    for word in text.split():
        box = (at, top, at + 10 * len(word), top + 20)
        words.append(Word(text=word, polygon=polygon_of(box)))
        at += 10 * len(word) + 10
    return Line(text=text, polygon=polygon_of((left, top, at, top + 20)), words=tuple(words))


def test_a_word_does_not_take_the_place_of_one_that_it_is_a_part_of() -> None:
    """A border cuts the second line; of the first, `form` lies beyond the border as well."""
    lines = (_line("sign this form", 0, 0), _line("ask for information", 0, 30))
    written = Written()
    left = Target(written.read("sign this form\nask for"), (0, 0, 75, 60), frozenset((0, 1)))
    right = Target(written.read("information"), (75, 0, 300, 60), frozenset())
    claims = Claims(page_of(lines))
    claims.claim((0, 1), (left, right))
    assert [claims.missing(index) for index in (0, 1)] == ["", ""]
