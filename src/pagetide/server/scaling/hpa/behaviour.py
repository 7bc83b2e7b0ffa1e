"""How fast a HorizontalPodAutoscaler may add and take pods, as its `behavior` says."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Select = Literal["Max", "Min", "Disabled"]

TOLERANCE = 0.1


@dataclass(frozen=True, kw_only=True)
class Rate:
    """So many pods, or so many per cent of them, in any period.

    Attributes:
        kind: Whether `value` is pods or per cent.
        value: How many.
        period_s: The period.
    """

    kind: Literal["Pods", "Percent"]
    value: int
    period_s: int


@dataclass(frozen=True, kw_only=True)
class Direction:
    """How pods are added, or how they are taken.

    Attributes:
        window_s: What was proposed so lately still counts: pods are added to the least, and
            taken to the most of it.
        rates: How fast.
        select: Which of the rates holds; with `Disabled` none, and nothing happens.
        tolerance: A metric that is off its target by no more than this part is left.
    """

    window_s: int = 0
    rates: tuple[Rate, ...] = ()
    select: Select = "Max"
    tolerance: float = TOLERANCE


# What holds for a side of which a `behavior` says nothing.
UP = Direction(
    rates=(
        Rate(kind="Pods", value=4, period_s=15),
        Rate(kind="Percent", value=100, period_s=15),
    )
)
DOWN = Direction(window_s=300, rates=(Rate(kind="Percent", value=100, period_s=15),))

# 300 s of quiet, then a tenth a minute.
SLOWLY_DOWN = Direction(window_s=300, rates=(Rate(kind="Percent", value=10, period_s=60),))


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """Both directions.

    Attributes:
        up: How pods are added.
        down: How they are taken.
    """

    up: Direction = UP
    down: Direction = DOWN

    def tolerates(self, ratio: float) -> bool:
        """Whether a metric that is `ratio` times its target is near enough to it."""
        return 1.0 - self.down.tolerance <= ratio <= 1.0 + self.up.tolerance


KUBERNETES = Behaviour()
DESCRIBED = Behaviour(down=SLOWLY_DOWN)
SHIPPED = Behaviour(
    up=Direction(rates=(Rate(kind="Pods", value=15, period_s=15),)), down=SLOWLY_DOWN
)
# The ladder 1, 4, 8, 16, 32 … of Container Apps, and all the way down at once.
CONTAINER_APPS = Behaviour(
    up=Direction(
        rates=(
            Rate(kind="Pods", value=3, period_s=15),
            Rate(kind="Percent", value=100, period_s=15),
        )
    )
)
NEVER_DOWN = Behaviour(up=SHIPPED.up, down=Direction(window_s=300, select="Disabled"))

# As a command line names them.
BEHAVIOURS = MappingProxyType(
    {
        "kubernetes": KUBERNETES,
        "described": DESCRIBED,
        "shipped": SHIPPED,
        "container-apps": CONTAINER_APPS,
        "never-down": NEVER_DOWN,
    }
)
