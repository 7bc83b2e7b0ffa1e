"""Kubernetes' autoscaler: the vectors of the original, the worked examples, the metrics."""

from __future__ import annotations

import json
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.errors import BadOption
from pagetide.server.scaling.control_loop import Observation
from pagetide.server.scaling.hpa.autoscaler import Hpa
from pagetide.server.scaling.hpa.behaviour import (
    CONTAINER_APPS,
    DESCRIBED,
    KUBERNETES,
    NEVER_DOWN,
    SHIPPED,
    Behaviour,
    Direction,
    Rate,
)
from pagetide.server.scaling.hpa.metrics import (
    external_average,
    external_value,
    pods_average,
)
from pagetide.server.scaling.hpa.pods import HpaPods

VECTORS = Path(__file__).parents[1] / "data" / "hpa.jsonl"


def vectors() -> list[dict[str, Any]]:
    return [json.loads(line) for line in VECTORS.read_text().splitlines()]


def test_every_case_of_the_original_comes_out_the_same() -> None:
    cases = vectors()
    wrong = [number for number, case in enumerate(cases) if replay(case) != case["replicas"]]
    assert len(cases) == 200
    assert not wrong


def test_a_wrong_tolerance_would_be_seen_in_the_vectors() -> None:
    cases = vectors()
    for case in cases:
        case["spec"]["Tol"] += 0.01
    assert any(replay(case) != case["replicas"] for case in cases)


def replay(case: dict[str, Any]) -> list[int]:
    spec = case["spec"]
    behaviour = Behaviour(
        up=direction(spec["Up"], spec["Tol"]), down=direction(spec["Down"], spec["Tol"])
    )
    hpa, replicas, found = Hpa(spec["Min"], spec["Max"], behaviour), case["start"], []
    times = accumulate(case["gaps_ms"])
    for now, usage in zip(times, case["usage_milli"], strict=True):
        proposal = external_average(usage, spec["TargetMilli"], replicas, behaviour)
        replicas = hpa.sync(now, replicas, proposal)
        found.append(replicas)
    return found


def direction(spec: dict[str, Any], tolerance: float) -> Direction:
    rates = tuple(
        Rate(kind=rate["Type"], value=rate["Value"], period_s=rate["PeriodSeconds"])
        for rate in spec["Policies"]
    )
    return Direction(
        window_s=spec["Stab"], select=spec["Select"], rates=rates, tolerance=tolerance
    )


def syncs(
    behaviour: Behaviour, replicas: int, proposal: int, until_s: int, most: int = 15
) -> list[tuple[int, int]]:
    """When the number changes, in seconds, and to what, if the proposal never does."""
    hpa, found = Hpa(1, most, behaviour), []
    for second in range(0, until_s + 1, 15):
        wanted = hpa.sync(second * 1000, replicas, proposal)
        if wanted != replicas:
            found.append((second, wanted))
        replicas = wanted
    return found


def test_by_default_fifteen_are_up_at_the_third_sync() -> None:
    assert syncs(KUBERNETES, 1, 15, 60) == [(0, 5), (15, 10), (30, 15)]


def test_as_shipped_fifteen_are_up_at_the_first_sync() -> None:
    assert syncs(SHIPPED, 1, 15, 60) == [(0, 15)]


def test_as_described_a_tenth_leaves_each_minute_after_five() -> None:
    found = syncs(DESCRIBED, 15, 0, 1200)
    assert [replicas for _, replicas in found] == [13, 11, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    assert [second for second, _ in found] == list(range(300, 901, 60))


def test_container_apps_climb_their_ladder_and_fall_at_once() -> None:
    assert [pods for _, pods in syncs(CONTAINER_APPS, 1, 50, 300, most=50)] == [
        4,
        8,
        16,
        32,
        50,
    ]
    assert syncs(CONTAINER_APPS, 50, 0, 600, most=50) == [(300, 1)]


def test_what_may_not_fall_never_does() -> None:
    assert syncs(NEVER_DOWN, 9, 0, 7200) == []


def test_a_dip_does_not_take_pods_within_the_window() -> None:
    hpa = Hpa(1, 15, DESCRIBED)
    proposals = [15] + [1] * 10 + [15] + [1] * 19
    assert {hpa.sync(15_000 * n, 15, proposal) for n, proposal in enumerate(proposals)} == {15}


def test_a_rise_waits_for_its_window() -> None:
    slow = Behaviour(up=Direction(window_s=60, rates=KUBERNETES.up.rates))
    assert syncs(slow, 1, 4, 120) == [(60, 4)]


@pytest.mark.parametrize(("select", "expected"), [("Max", 12), ("Min", 9), ("Disabled", 8)])
def test_which_rate_holds_upwards(select: Any, expected: int) -> None:
    rates = (
        Rate(kind="Pods", value=1, period_s=60),
        Rate(kind="Percent", value=50, period_s=60),
    )
    hpa = Hpa(1, 50, Behaviour(up=Direction(rates=rates, select=select)))
    assert hpa.sync(0, 8, 50) == expected


@pytest.mark.parametrize(("select", "expected"), [("Max", 4), ("Min", 7), ("Disabled", 8)])
def test_which_rate_holds_downwards(select: Any, expected: int) -> None:
    rates = (
        Rate(kind="Pods", value=1, period_s=60),
        Rate(kind="Percent", value=50, period_s=60),
    )
    hpa = Hpa(1, 50, Behaviour(down=Direction(rates=rates, select=select)))
    assert hpa.sync(0, 8, 1) == expected


def test_nothing_is_done_at_zero() -> None:
    assert Hpa(1, 15, KUBERNETES).sync(0, 0, 9) == 0


@pytest.mark.parametrize(("replicas", "expected"), [(20, 15), (1, 2), (7, 7)])
def test_bounds_hold_though_the_metric_cannot_be_read(replicas: int, expected: int) -> None:
    assert Hpa(2, 15, KUBERNETES).sync(0, replicas, None) == expected


@pytest.mark.parametrize(
    ("usage", "replicas", "expected"),
    [
        (110_000, 10, 10),  # just within a tenth
        (110_001, 10, 12),
        (90_000, 10, 10),
        (89_999, 10, 9),
        (1, 1, 1),  # far below, but a thousandth is worth a pod
        (0, 3, 0),
        (25_000, 0, 3),
        (0, 0, 0),
    ],
)
def test_an_average_counts_pods_that_are_not_ready(
    usage: int, replicas: int, expected: int
) -> None:
    assert external_average(usage, 10_000, replicas, KUBERNETES) == expected


@pytest.mark.parametrize(
    ("usage", "replicas", "ready", "expected"),
    [
        (20_000, 4, 4, 8),
        (20_000, 4, 3, 6),  # only those that are ready
        (20_000, 4, 0, 0),
        (11_000, 4, 1, 4),  # within tolerance: none of them is looked at
        (11_001, 4, 4, 5),
        (25_000, 0, 0, 3),
        (0, 5, 5, 0),
    ],
)
def test_a_value_is_a_ratio_of_what_is_ready(
    usage: int, replicas: int, ready: int, expected: int
) -> None:
    assert external_value(usage, 10_000, replicas, ready, KUBERNETES) == expected


def test_each_direction_has_a_tolerance_of_its_own() -> None:
    behaviour = Behaviour(up=Direction(tolerance=0.5), down=Direction(tolerance=0.0))
    assert external_average(150_000, 10_000, 10, behaviour) == 10
    assert external_average(99_000, 10_000, 10, behaviour) == 10  # ceil, though not tolerated
    assert external_average(90_000, 10_000, 10, behaviour) == 9


@pytest.mark.parametrize(
    ("samples", "unready", "replicas", "expected"),
    [
        ([], 2, 2, None),
        ([70_000] * 4, 0, 4, 4),
        ([77_000] * 4, 0, 4, 4),  # within a tenth
        ([78_000] * 4, 0, 4, 5),
        ([100_000] * 2, 0, 2, 3),
        ([100_000] * 2, 2, 4, 4),  # those that start count as idle: it would fall
        ([100_000] * 6, 1, 7, 9),
        ([35_000] * 4, 2, 6, 2),  # falling, those that start are left out
        ([77_000, 77_001], 0, 2, 2),  # the mean is a whole number
        ([65_000] * 4, 2, 6, 6),  # those that start count only in a rise
    ],
)
def test_pods_by_their_use(
    samples: list[int], unready: int, replicas: int, expected: int | None
) -> None:
    found = pods_average(samples, 70_000, replicas, KUBERNETES, unready=unready)
    assert found == expected


@given(
    st.lists(st.integers(0, 100_000), min_size=1, max_size=30),
    st.integers(0, 10),
)
def test_pods_never_move_against_their_use(samples: list[int], unready: int) -> None:
    replicas = len(samples) + unready
    found = pods_average(samples, 70_000, replicas, KUBERNETES, unready=unready)
    assert found is not None
    mean = sum(samples) // len(samples)
    if mean > 70_000:
        assert found >= replicas
    else:
        assert found <= replicas


PROPOSALS = st.lists(st.tuples(st.integers(1, 90), st.integers(0, 60)), max_size=60)
SIDES = st.builds(
    Direction,
    window_s=st.integers(0, 400),
    select=st.sampled_from(["Max", "Min", "Disabled"]),
    rates=st.lists(
        st.builds(
            Rate,
            kind=st.sampled_from(["Pods", "Percent"]),
            value=st.integers(1, 200),
            period_s=st.integers(1, 300),
        ),
        max_size=3,
    ).map(tuple),
)


@given(PROPOSALS, st.builds(Behaviour, up=SIDES, down=SIDES), st.integers(1, 40))
def test_whatever_is_proposed_it_stays_within_bounds(
    proposals: list[tuple[int, int]], behaviour: Behaviour, most: int
) -> None:
    hpa, now, replicas = Hpa(1, most, behaviour), 0, 1
    for pause, proposal in proposals:
        now += pause * 1000
        wanted = hpa.sync(now, replicas, proposal)
        assert 1 <= wanted <= most
        assert min(replicas, proposal) <= wanted or wanted == 1
        replicas = wanted


def test_pods_follow_their_use_up_and_down() -> None:
    loop, replicas, found = HpaPods().loop(0.0), 1, []
    for minute in range(60):
        for quarter in range(4):
            use = 100.0 if minute < 5 else 10.0
            replicas = loop.step(used(minute * 60 + quarter * 15, replicas, use))
        found.append(replicas)
    assert found[0] == 8  # 1, 2, 3, 5, 8
    assert found[1] == 10
    assert found[8] == 10  # five minutes of quiet first
    assert all(later <= sooner for sooner, later in pairwise(found[5:]))
    assert found[-1] == 1


def test_pods_of_unknown_use_are_left() -> None:
    loop = HpaPods().loop(0.0)
    assert loop.step(used(0.0, 4, None)) == 4
    assert loop.push(used(1.0, 4, 100.0)) == 4


def test_one_pod_must_stay() -> None:
    with pytest.raises(BadOption, match="must keep at least one"):
        HpaPods(least=0)


def used(now: float, replicas: int, use: float | None) -> Observation:
    return Observation(
        now=now, waiting=0, leased=0, replicas=replicas, ready=replicas, utilisation=use
    )
