"""A page's labels with their values, and its boxes to tick, as key-value sets."""

from __future__ import annotations

from collections.abc import Iterator

from pagetide.document import Page
from pagetide.document.field import Option, Value
from pagetide.geometry import box_of, center, contains
from pagetide.server.compat.textract.blocks import (
    CERTAIN,
    PageBlocks,
    percent,
    percent_within,
    related,
    spaced_words,
)


def put_forms(blocks: PageBlocks, page: Page) -> Iterator[str]:
    """Add the page's labels and values; the ids of what belongs to the page itself."""
    fields = page.fields()
    for pair in fields.pairs:
        words = _words(blocks, page, pair.value)
        yield from _put_pair(blocks, page, pair.label, pair.value, words)
    for option in (each for choice in fields.choices for each in choice.options):
        mark = _put_mark(blocks, page, option)
        if option.label is None:
            yield mark
        else:
            yield from _put_pair(blocks, page, option.label, option.mark, [mark])


def percent_of_value(page: Page, value: Value) -> float | None:
    """A value's confidence, 0–100; of what a PDF's form says itself, all of it."""
    if not value.lines:
        return CERTAIN
    return percent_within(page, value.confidence, value.lines)


def _put_pair(
    blocks: PageBlocks, page: Page, label: Value, value: Value, children: list[str]
) -> Iterator[str]:
    """Add a label and a value of these children; the ids of both."""
    behind = blocks.put(
        "KEY_VALUE_SET",
        value.polygon,
        children=children,
        entity_types=("VALUE",),
        confidence=percent_of_value(page, value),
    )
    yield blocks.put(
        "KEY_VALUE_SET",
        label.polygon,
        children=_words(blocks, page, label),
        relationships=related("VALUE", [behind]),
        entity_types=("KEY",),
        confidence=percent_of_value(page, label),
    )
    yield behind


def _put_mark(blocks: PageBlocks, page: Page, option: Option) -> str:
    return blocks.put(
        "SELECTION_ELEMENT",
        option.mark.polygon,
        selection_status="SELECTED" if option.selected else "NOT_SELECTED",
        confidence=percent_of_value(page, option.mark),
    )


def _words(blocks: PageBlocks, page: Page, value: Value) -> list[str]:
    """The words of the page's lines that say the value; else words of its own."""
    box = box_of(value.polygon)
    found = [
        (id_, word.text)
        for place in value.lines
        for id_, word in blocks.words[place]
        if contains(box, center(box_of(word.polygon)))
    ]
    if "".join(text for _, text in found) == "".join(value.text.split()):
        return [id_ for id_, _ in found]
    own = spaced_words(value.text, value.polygon, value.confidence)
    return [
        blocks.word(word, percent(word.confidence) if value.lines else CERTAIN) for word in own
    ]
