"""Labels that name two things, followed by both values: `No. / Date` `4471 / 11.06.2025`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pagetide.exports.fields.phrases.phrase import Phrase

_STROKE = " / "


def each_of(label: Phrase, values: Sequence[Phrase]) -> Iterator[tuple[Phrase, Phrase]]:
    """The two labels with their values; empty unless label and value both have two parts."""
    if (
        len(values) == 1
        and label.text.count(_STROKE) == 1
        and values[0].text.count(_STROKE) == 1
    ):
        yield from zip(_parts(label), _parts(values[0]), strict=True)


def _parts(phrase: Phrase) -> tuple[Phrase, Phrase]:
    end = phrase.text.index(_STROKE)
    return phrase.part(0, end), phrase.part(end + len(_STROKE), len(phrase.text))
