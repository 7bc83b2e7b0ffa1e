"""A page's labels with their values, and its boxes to tick, as key-value pairs."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from pagetide.document import Page
from pagetide.document.field import Value
from pagetide.server.compat.azure.page_answer import SURE, Answering
from pagetide.server.compat.azure.wire import KeyValuePair, PairPart


def pairs_on(page: Page, answering: Answering) -> Iterator[KeyValuePair]:
    """The labels and their values, then those of boxes to tick."""
    fields = page.fields()
    for pair in fields.pairs:
        yield _pair(answering, pair.label, pair.value, answering.pair_part(pair.value))
    for option in (each for choice in fields.choices for each in choice.options):
        if option.label:
            state = ":selected:" if option.selected else ":unselected:"
            value_part = replace(answering.pair_part(option.mark), content=state)
            yield _pair(answering, option.label, option.mark, value_part)


def _pair(
    answering: Answering, label: Value, value: Value, value_part: PairPart
) -> KeyValuePair:
    sure = (label.confidence, value.confidence)
    return KeyValuePair(
        key=answering.pair_part(label),
        value=value_part,
        confidence=min((each for each in sure if each is not None), default=SURE),
    )
