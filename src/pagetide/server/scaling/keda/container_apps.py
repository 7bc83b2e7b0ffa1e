"""What Azure Container Apps does: KEDA's rules with steps of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pagetide.server.scaling.control_loop import ControlLoop
from pagetide.server.scaling.hpa.behaviour import CONTAINER_APPS
from pagetide.server.scaling.keda.scaled_object import ScaledObject


@dataclass(frozen=True, kw_only=True)
class ContainerApp:
    """A container app with one rule that goes by the tasks of a queue.

    Attributes:
        least: Replicas there are at least.
        most: Replicas there are at most.
        target: Tasks that are worth one replica.
        polling_s: How often the queue is counted while there is no replica.
        cooldown_s: For how long there must have been nothing before the last replica goes.
        in_flight: Tasks that are being done count, as with `queueLengthStrategy: all`.
        grace_s: How long a replica really has to end. More can be asked for; on T4 profiles
            replicas were killed after 60 s all the same.
    """

    kills_busy: ClassVar[bool] = True
    one_task_each: ClassVar[bool] = False

    least: int = 0
    most: int = 10
    target: float = 1.0
    polling_s: float = 30.0
    cooldown_s: float = 300.0
    in_flight: bool = True
    grace_s: float = 60.0

    def __post_init__(self) -> None:
        self._as_scaled_object()  # refuses what nothing can obey

    def loop(self, now: float) -> ControlLoop:
        """A loop that starts at `now`, in seconds, and has seen nothing yet."""
        return self._as_scaled_object().loop(now)

    def _as_scaled_object(self) -> ScaledObject:
        return ScaledObject(
            least=self.least,
            most=self.most,
            target=self.target,
            polling_s=self.polling_s,
            cooldown_s=self.cooldown_s,
            in_flight=self.in_flight,
            push=False,
            fallback=None,
            behaviour=CONTAINER_APPS,
            grace_s=self.grace_s,
        )
