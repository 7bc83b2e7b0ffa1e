"""`python -m bench.fields.forms [A:B …]`: questions and answers of drawn forms, linked.

They look like FUNSD's: office forms, filled in by typewriter and faxed. A pair counts if
its label covers a question's words and its value the answer's, by position: of the words
in either, at least half are in both. Checkboxes are reported as choices and not counted. Seeds
below 1,000 are for development; forms from there on are never inspected.
"""

from __future__ import annotations

import argparse
import io
from collections import Counter
from collections.abc import Sequence

from bench.drawn.measuring import MEASURING
from bench.fields.blanks import Answered, Form, form
from bench.fields.ranges import print_measured
from bench.rows import Row
from pagetide import open_reader
from pagetide.document import Document
from pagetide.document.field import Field
from pagetide.geometry import Box, Polygon, box_of, center, contains

BAR = 0.55
_SHARED = 0.5  # of the words that a pair or its truth has


def measured(seeds: Sequence[int], model: str) -> list[Row]:
    """The rows of a set; misses in forms for development are printed."""
    right: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    found = 0
    with open_reader(model) as reader:
        for seed in seeds:
            drawn = form(seed)
            document = reader.read(png_of(drawn))
            linked = links(drawn, document)
            right.update(
                style for style, is_right in zip(drawn.styles, linked, strict=True) if is_right
            )
            asked.update(drawn.styles)
            missed = [
                t for t, is_right in zip(drawn.texts, linked, strict=True) if not is_right
            ]
            print("\n".join(f"{seed} {text}" for text in missed if seed < MEASURING))
            found += len(document.fields().pairs)
    return rows_of("unseen" if seeds[0] >= MEASURING else "developed", right, asked, found)


def png_of(drawn: Form) -> bytes:
    """The form's picture."""
    buffer = io.BytesIO()
    drawn.picture.save(buffer, "PNG")
    return buffer.getvalue()


def links(drawn: Form, document: Document) -> list[bool]:
    """For each drawn pair, whether one of the document's is the same."""
    left = list(document.fields().pairs)
    words = [box for pair in drawn.pairs for part in pair for box in part]
    linked = []
    for pair in drawn.pairs:
        same = next((each for each in left if _is_same(each, pair, words)), None)
        if same:
            left.remove(same)
        linked.append(same is not None)
    return linked


def _is_same(found: Field, drawn: Answered, words: Sequence[Box]) -> bool:
    parts = ((found.label.polygon, drawn[0]), (found.value.polygon, drawn[1]))
    return all(_shares(polygon, boxes, words) for polygon, boxes in parts)


def _shares(polygon: Polygon, boxes: Sequence[Box], words: Sequence[Box]) -> bool:
    x0, y0, x1, y1 = box_of(polygon)
    own = {word for word in words if contains((x0, y0, x1, y1), center(word))}
    both = own & set(boxes)
    return len(both) >= _SHARED * len(own | set(boxes)) and bool(both)


def rows_of(name: str, right: Counter[str], asked: Counter[str], found: int) -> list[Row]:
    """The table's row, with the styles' recall."""
    f1 = 2 * right.total() / max(1, asked.total() + found)
    styles = ", ".join(f"{style} {right[style]}/{asked[style]}" for style in sorted(asked))
    return [
        Row(
            measure=f"{name}: pairs linked, F1",
            ours=f"{f1:.3f}",
            peer="",
            value=f"{right.total()} of {asked.total()}, {found} told: {styles}",
            bar=f"≥ {BAR}",
            holds=f1 >= BAR,
        )
    ]


if __name__ == "__main__":
    command = argparse.ArgumentParser(prog="python -m bench.fields.forms", description=__doc__)
    print_measured(command, ["0:50", "1000:1050"], measured)
