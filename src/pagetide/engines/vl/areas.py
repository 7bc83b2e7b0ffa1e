"""Which of a layout model's areas are read, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pagetide.geometry import area as size_of
from pagetide.geometry import box_of, intersection_area
from pagetide.layout import Area
from pagetide.structure.order.reading_order import xy_cut

LEAST_SIDE = 6  # pixels: thinner areas hold no letter
DOUBLED = 0.7  # of the smaller area: both are readings of the same place
WITHIN = 0.5  # of a formula in a line of text, which is read with the line

_APART = frozenset({"figure", "seal", "chart", "table"})  # of two kinds, both are kept


def chosen(
    areas: Sequence[Area], width: int, height: int, is_read: Callable[[Area], bool]
) -> list[Area]:
    """The areas without those that show what another shows, in reading order.

    Args:
        areas: In page pixels, in any order.
        width: Of the page, in pixels.
        height: Likewise.
        is_read: Whether the model is asked about an area.

    Returns:
        Areas that lie on the page: a smaller one that is read with the larger one around it
        is left out. In the model's order where it gives one, an area without a place
        following the one that it follows on the page; else in that of an XY-cut.
    """
    visible = [area for area in areas if _is_visible(area, width, height)]
    single = [area for area in visible if not _only_holds(area, visible)]
    kept: list[Area] = []
    for area in sorted(single, key=lambda area: -size_of(box_of(area.polygon))):
        if not any(_hides(larger, area, is_read(larger)) for larger in kept):
            kept.append(area)
    return _ordered(kept)


def _is_visible(area: Area, width: int, height: int) -> bool:
    x0, y0, x1, y1 = box_of(area.polygon)
    across = min(x1, width) - max(x0, 0)
    down = min(y1, height) - max(y0, 0)
    return across >= LEAST_SIDE and down >= LEAST_SIDE


def _only_holds(area: Area, areas: Sequence[Area]) -> bool:
    """Whether it is a list of references whose entries are areas of their own."""
    if area.label != "reference":
        return False
    entries = (other for other in areas if other.label == "reference_content")
    return any(_share(entry, area) > DOUBLED for entry in entries)


def _hides(larger: Area, smaller: Area, is_read: bool) -> bool:
    """Whether the larger one is read with all that the smaller one shows."""
    share = _share(smaller, larger)
    if larger.kind == smaller.kind:
        return share > DOUBLED
    both_apart = larger.kind in _APART and smaller.kind in _APART
    if not is_read or both_apart or "seal" in (larger.kind, smaller.kind):
        return False
    return share > (WITHIN if smaller.label == "inline_formula" else DOUBLED)


def _share(inner: Area, outer: Area) -> float:
    """How much of the inner area the outer one's box covers, 0-1."""
    box = box_of(inner.polygon)
    return intersection_area(box, box_of(outer.polygon)) / size_of(box)


def _ordered(areas: Sequence[Area]) -> list[Area]:
    cut = [areas[i] for i in xy_cut([box_of(area.polygon) for area in areas])]
    places: list[tuple[int, bool, int]] = []
    last = -1
    for number, area in enumerate(cut):
        last = last if area.order is None else area.order
        places.append((last, area.order is None, number))
    return [cut[number] for *_, number in sorted(places)]
