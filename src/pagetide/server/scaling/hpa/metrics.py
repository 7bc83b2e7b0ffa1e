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
    unready: int = 0,
) -> int | None:
    """Pods for a metric of the type Pods, such as the use of their GPUs.

    Args:
        samples: The metric of each ready pod, in thousandths.
        target: What it should be on average, in thousandths.
        replicas: Pods asked for.
        behaviour: Whose tolerance holds.
        unready: Pods that are being started.

    Returns:
        None where no pod is ready.
    """
    reported = list(samples)
    if not reported:
        return None
    total, count = sum(reported), len(reported)
    ratio = (total // count) / target
    if not unready or ratio <= 1.0:
        return replicas if behaviour.tolerates(ratio) else ceil(ratio * count)
    count += unready  # as if each of them had no use
    again = (total // count) / target
    pods = ceil(again * count)
    if again < 1.0 or pods < replicas or behaviour.tolerates(again):  # it no longer rises
        return replicas
    return pods
