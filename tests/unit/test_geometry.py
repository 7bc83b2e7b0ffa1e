"""Polygons, boxes and turns."""

import math

from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from pagetide import geometry
from pagetide.geometry import Box, Polygon

_place = st.integers(-1000, 1000).map(float)
_size = st.integers(1, 1000).map(float)
_boxes = st.builds(lambda x, y, w, h: (x, y, x + w, y + h), _place, _place, _size, _size)
_turns = st.sampled_from([0, 90, 180, 270])


@given(_boxes)
def test_a_box_is_the_box_of_its_polygon(box: Box) -> None:
    assert geometry.box_of(geometry.polygon_of(box)) == box


@given(st.lists(st.tuples(_place, _place), min_size=1, max_size=5))
def test_a_box_of_points_holds_all_and_no_more(points: list[tuple[float, float]]) -> None:
    xs, ys = zip(*points, strict=True)
    assert geometry.box_of(points) == (min(xs), min(ys), max(xs), max(ys))


@given(_boxes, st.permutations(range(4)))
def test_it_does_not_matter_where_a_polygon_begins(box: Box, order: list[int]) -> None:
    polygon = geometry.polygon_of(box)
    assert geometry.box_of([polygon[place] for place in order]) == box


@given(st.lists(_boxes, min_size=1, max_size=6))
def test_a_union_holds_every_box_and_touches_one_on_each_side(boxes: list[Box]) -> None:
    whole = geometry.union(boxes)
    assert all(geometry.intersection_area(box, whole) == geometry.area(box) for box in boxes)
    assert all(any(box[side] == whole[side] for box in boxes) for side in range(4))


@given(_boxes, _boxes)
def test_an_intersection_is_symmetric_and_in_both(a: Box, b: Box) -> None:
    shared = geometry.intersection_area(a, b)
    assert shared == geometry.intersection_area(b, a)
    assert 0 <= shared <= min(geometry.area(a), geometry.area(b))


@given(_boxes, _turns)
def test_a_full_circle_of_turns_back_changes_nothing(box: Box, degrees: int) -> None:
    polygon = geometry.polygon_of(box)
    width, height = 3000.0, 2000.0
    turned = polygon
    for _ in range(4):
        turned = geometry.turn_back(turned, degrees, width, height)
        if degrees in (90, 270):
            width, height = height, width
    assert turned == polygon


def test_a_line_on_an_upright_copy_runs_down_a_page_that_stood_turned_by_90() -> None:
    # The page is 100 × 200; its upright copy 200 × 100, with text at its top left.
    found = geometry.turn_back(geometry.polygon_of((0, 0, 50, 10)), 90, 100, 200)
    assert found[0] == (100, 0)
    assert geometry.direction(found) == approx(math.pi / 2)
    assert geometry.box_of(found) == (90, 0, 100, 50)


@given(_boxes, st.floats(0, 1), st.floats(0, 1))
def test_a_part_of_an_upright_box_has_its_height_and_its_share_of_width(
    box: Box, a: float, b: float
) -> None:
    start, end = sorted((a, b))
    part = geometry.box_of(geometry.part_of(geometry.polygon_of(box), start, end))
    assert (part[1], part[3]) == (box[1], box[3])
    assert part[2] - part[0] == approx((end - start) * (box[2] - box[0]), abs=1e-6)


def test_a_line_belongs_to_the_box_that_covers_most_of_it() -> None:
    outers = [(0.0, 0.0, 60.0, 10.0), (60.0, 0.0, 100.0, 10.0)]
    assert geometry.covering((10, 0, 90, 10), outers) == 0


def test_a_line_half_outside_belongs_to_the_smallest_box_around_its_middle() -> None:
    outers = [(40.0, -50.0, 80.0, 60.0), (45.0, 0.0, 60.0, 10.0)]
    assert geometry.covering((0, 0, 100, 10), outers) == 1


def test_a_line_outside_all_boxes_belongs_to_none() -> None:
    assert geometry.covering((0, 0, 10, 10), [(20.0, 20.0, 30.0, 30.0)]) is None
    assert geometry.covering((0, 0, 10, 10), []) is None


@given(_boxes, st.floats(-3.1, 3.1))
def test_turning_there_and_back_changes_nothing(box: Box, angle: float) -> None:
    polygon = geometry.polygon_of(box)
    back = geometry.turned(geometry.turned(polygon, angle), -angle)
    assert [x for point in back for x in point] == approx(
        [x for point in polygon for x in point], abs=1e-6
    )


@given(_boxes, st.floats(-3.1, 3.1))
def test_a_slanted_rectangle_is_its_own_oriented_rectangle(box: Box, angle: float) -> None:
    slanted = geometry.turned(geometry.polygon_of(box), angle)
    assert _flat(geometry.oriented(slanted)) == approx(_flat(slanted), abs=1e-6)


def test_an_oriented_rectangle_holds_a_polygon_of_many_points() -> None:
    polygon = ((0.0, 2.0), (5.0, 2.0), (10.0, 0.0), (10.0, 8.0), (0.0, 9.0))
    assert geometry.oriented(polygon) == ((0, 0), (10, 0), (10, 9), (0, 9))


def _flat(polygon: Polygon) -> list[float]:
    return [value for point in polygon for value in point]
