"""How many pods a metric is worth to a HorizontalPodAutoscaler, before it is stabilised.

Metrics and targets are whole thousandths, and what is rounded is rounded as in the original.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from pagetide.server.scaling.hpa.behaviour import Behaviour


def external_average(usage: int, target: int, replicas: int, behaviour: Behaviour) -> int:
    """Pods for an external metric of the type AverageValue.

    Args:
        usage: The metric, in thousandths.
        target: What one pod is worth, in thousandths.
        replicas: Pods there are, whether they are ready or not.
        behaviour: Whose tolerance holds.
    """
    if replicas and behaviour.tolerates(usage / (target * float(replicas))):
        return replicas
    return ceil(usage / target)


def external_value(
    usage: int, target: int, replicas: int, ready: int, behaviour: Behaviour
) -> int:
    """Pods for an external metric of the type Value.

    Args:
        usage: The metric, in thousandths.
        target: What it should be, in thousandths.
        replicas: Pods asked for.
        ready: Pods that are ready.
        behaviour: Whose tolerance holds.
    """
    ratio = usage / target
    if not replicas:
        return ceil(ratio)
    if behaviour.tolerates(ratio):
        return replicas
    return ceil(ratio * ready)


def pods_average(
    samples: Iterable[int],
    target: int,
    replicas: int,
    behaviour: Behaviour,
    *,
    missing: int = 0,
    unready: int = 0,
) -> int | None:
    """Pods for a metric of the type Pods, such as the use of their GPUs.

    Args:
        samples: The metric of each ready pod that has reported it, in thousandths.
        target: What it should be on average, in thousandths.
        replicas: Pods asked for.
        behaviour: Whose tolerance holds.
        missing: Ready pods that have reported nothing.
        unready: Pods that are being started.

    Returns:
        None where no pod has reported anything.
    """
    reported = list(samples)
    if not reported:
        return None
    total, count = sum(reported), len(reported)
    ratio = (total // count) / target
    rising = unready > 0 and ratio > 1.0
    if not rising and not missing:
        return replicas if behaviour.tolerates(ratio) else ceil(ratio * count)
    if missing and ratio < 1.0:
        total += missing * target  # as if each of them were just where it should be
    if ratio != 1.0:
        count += missing
    if rising:
        count += unready
    again = (total // count) / target
    pods = ceil(again * count)
    turned = (again - 1.0) * (ratio - 1.0) < 0
    against = (again < 1.0 and pods > replicas) or (again > 1.0 and pods < replicas)
    if turned or against or behaviour.tolerates(again):
        return replicas
    return pods
