"""What must be true of the pages of a file whose classes are known, whoever created it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from pagetide.document import Line, Page
from pagetide.geometry import box_of
from pagetide.inputs import PageContent

TURNS = {"rotscan90": 90, "rotscan180": 180, "rotscan270": 270}
Truth = dict[str, Any]


def is_digital(truth: Truth) -> bool:
    """Whether the page has text of its own."""
    kind: str = truth["class"]
    return kind == "digital" or kind.startswith("rotflag")


def faults(truth: Truth, page: Page, most_missing: float) -> Iterator[str]:
    """What is wrong with a page that was read: its class, its orientation, its text."""
    kind = truth["class"]
    if page.error is not None:
        yield f"failed: {page.error.message}"
    if page.text_layer.used != (is_digital(truth) or kind == "blank"):
        yield f"{kind} is {page.text_layer.reason}"
    if page.orientation != TURNS.get(kind, 0):
        yield f"stands at {page.orientation}"
    if (share := missing_share(truth, page.lines)) > most_missing:
        yield f"lacks {share:.2%} of its letters"


def missing_share(truth: Truth, lines: Iterable[Line]) -> float:
    """The share (0–1) of letters and digits that were not read."""
    wanted = _signs(line["text"] for line in truth["lines"])
    missing = wanted - _signs(line.text for line in lines)
    return missing.total() / max(wanted.total(), 1)


def characters_off(truth: Truth, page: PageContent) -> tuple[int, int]:
    """How many characters of a page's own text are missing, and how many are extra."""
    wanted = _characters(line["text"] for line in truth["lines"])
    found = _characters(line.text for line in page.lines)
    return (wanted - found).total(), (found - wanted).total()


def places(truth: Truth, page: PageContent) -> Iterator[tuple[list[float], list[float]]]:
    """For each line that occurs once on the page and was found: its box, and where it is.

    Both in pixels at 144 dpi.
    """
    times = Counter(line["text"] for line in truth["lines"])
    boxes = {line.text: box_of(line.polygon) for line in page.lines}
    for line in truth["lines"]:
        if "box" in line and times[line["text"]] == 1 and line["text"] in boxes:
            yield list(boxes[line["text"]]), [2 * side for side in line["box"]]


def _signs(texts: Iterator[str]) -> Counter[str]:
    return Counter(sign for sign in "".join(texts) if sign.isalnum())


def _characters(texts: Iterator[str]) -> Counter[str]:
    return Counter("".join("".join(texts).split()))
