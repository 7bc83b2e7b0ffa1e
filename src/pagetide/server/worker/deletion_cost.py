"""Reports to Kubernetes whether this worker is busy, so that idle ones are removed first.

A ReplicaSet that is made smaller ends the pods with the least `pod-deletion-cost` first. A
thread looks now and then at how many tasks are held and notes it at this worker's own pod,
by Kubernetes' API with the account that is mounted into the pod. Whatever goes wrong there is
logged once and retried: work never waits for it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

ANNOTATION = "controller.kubernetes.io/pod-deletion-cost"
IDLE, BUSY = 0, 100
ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
API = "https://kubernetes.default.svc"
LOOK_S = 1.0
CALM_S = 10.0  # between two tasks a worker stays busy, else each would cost two requests
RETRY_S, LONGEST_RETRY_S = 5.0, 300.0
TIMEOUT_S = 5.0


@dataclass(frozen=True, kw_only=True)
class Cost:
    """The deletion cost known to Kubernetes, and the next one to report.

    Attributes:
        noted: What was said last; None means nothing yet. The pod may know it as busy then,
            from a process that ended in it before this one.
        busy_at: When it was last seen busy, in seconds by any clock; None means never.
        retry_at: Nothing is said before.
        retry_s: For how long nothing was said after the last failure; 0 after a success.
    """

    noted: int | None = None
    busy_at: float | None = None
    retry_at: float = 0.0
    retry_s: float = 0.0

    def seen(self, held: int, now: float) -> Cost:
        """After a look at how many tasks are held."""
        return replace(self, busy_at=now) if held else self

    def due(self, now: float) -> int | None:
        """The cost to report now; None where it is known already, or must wait."""
        busy = self.busy_at is not None and now - self.busy_at < CALM_S
        wanted = BUSY if busy else IDLE
        return None if wanted == self.noted or now < self.retry_at else wanted

    def reported(self, cost: int) -> Cost:
        """The state after a report."""
        return replace(self, noted=cost, retry_at=0.0, retry_s=0.0)

    def failed(self, now: float) -> Cost:
        """The state after a failed report: each failure in a row doubles the wait."""
        wait = min(max(RETRY_S, 2 * self.retry_s), LONGEST_RETRY_S)
        return replace(self, retry_at=now + wait, retry_s=wait)


class Pod:
    """This worker's pod at Kubernetes' API."""

    def __init__(self, name: str, *, api: str = API, account: Path = ACCOUNT) -> None:
        """Nothing is asked or read yet.

        Args:
            name: The pod's.
            api: The API's base URL.
            account: The folder with the account's token, namespace and the API's certificate.
        """
        self._name, self._api, self._account = name, api, account
        self._client: httpx.Client | None = None

    def annotate(self, cost: int) -> None:
        """Note a cost at the pod.

        Raises:
            OSError: A file of the account cannot be read.
            httpx.HTTPError: The API does not answer, or refuses.
        """
        import httpx

        self._client = self._client or _client(self._account)
        namespace = (self._account / "namespace").read_text(encoding="ascii").strip()
        # Kubernetes puts a new one in the file's place before the old one ends.
        token = (self._account / "token").read_text(encoding="ascii").strip()
        answer = self._client.patch(
            httpx.URL(self._api, path=f"/api/v1/namespaces/{namespace}/pods/{self._name}"),
            json={"metadata": {"annotations": {ANNOTATION: str(cost)}}},
            headers={
                "Authorization": f"Bearer {token}",
                "Content-Type": "application/merge-patch+json",
            },
        )
        answer.raise_for_status()

    def close(self) -> None:
        """Close the connection."""
        if self._client:
            self._client.close()


@contextmanager
def reporting_cost(
    pod: str,
    held: Callable[[], int],
    *,
    api: str = API,
    account: Path = ACCOUNT,
    look_s: float = LOOK_S,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[None]:
    """Tell Kubernetes, as long as this lasts, whether tasks are held.

    Args:
        pod: This worker's pod; empty means that it runs in none, and nothing is reported.
        held: How many tasks are held now; called in a thread of its own.
        api: The base URL of Kubernetes' API.
        account: The folder of the mounted account.
        look_s: Seconds between two looks.
        clock: Seconds.
    """
    if not pod:
        yield
        return
    ended = threading.Event()
    watching = threading.Thread(
        target=_watch,
        args=(Pod(pod, api=api, account=account), held, ended, look_s, clock),
        name="pagetide-deletion-cost",
        daemon=True,
    )
    watching.start()
    try:
        yield
    finally:
        ended.set()
        watching.join(TIMEOUT_S)


def _watch(
    pod: Pod,
    held: Callable[[], int],
    ended: threading.Event,
    look_s: float,
    clock: Callable[[], float],
) -> None:
    cost = Cost()
    while not ended.wait(look_s):
        cost = cost.seen(held(), clock())
        due = cost.due(clock())
        if due is not None:
            cost = _noted(pod, cost, due, clock)
    pod.close()


def _noted(pod: Pod, cost: Cost, due: int, clock: Callable[[], float]) -> Cost:
    try:
        pod.annotate(due)
    except Exception as error:  # whatever it is, work goes on
        if not cost.retry_s:
            log.warning("the pod's deletion cost is not told: %s", _reason(error))
        return cost.failed(clock())
    return cost.reported(due)


def _reason(error: Exception) -> str:
    """Without what the error itself may quote."""
    import httpx

    if isinstance(error, httpx.HTTPStatusError):
        return f"Kubernetes answers {error.response.status_code}"
    return type(error).__name__


def _client(account: Path) -> httpx.Client:
    import ssl

    import httpx

    trusted = ssl.create_default_context(cafile=str(account / "ca.crt"))
    # Proxies of the environment are for the world outside the cluster.
    return httpx.Client(verify=trusted, timeout=TIMEOUT_S, trust_env=False)
