"""KEDA's external scaler over gRPC: how much a pool has to do, and at once when it has any.

What it answers is `demand.Demand.size`: never 0 while a task is held. Where the store does
not answer, nor does this, with UNAVAILABLE: KEDA then leaves the workers as they are.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import grpc
import grpc.aio

from pagetide.errors import BadInput, BadOption, NotFound, PagetideError, nearest
from pagetide.server.scaling.keda.messages import HEALTH, NOT_SERVING, SCALER, SERVING, messages
from pagetide.server.scaling.watching import Watch
from pagetide.server.service.load import demand

SERVICE = "externalscaler.ExternalScaler"
HEALTH_SERVICE = "grpc.health.v1.Health"
# KEDA drops an event that comes before it has made its metrics, and asks for no other.
AGAIN_S = 2.0
GRACE_S = 5.0  # for calls that are being answered when the end comes
MOST_TASKS = 1_000_000
OPTIONS = (
    ("grpc.so_reuseport", 0),  # else two on one port would share it unseen
    ("grpc.keepalive_time_ms", 60_000),  # who vanished without a word is noticed
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
)

log = logging.getLogger(__name__)


class ExternalScaler:
    """The methods of KEDA's service and of gRPC's health check."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._says = messages("externalscaler", SCALER)
        self._health = messages("grpc.health.v1", HEALTH)

    def services(self) -> tuple[Any, ...]:
        """Both services, for a server."""
        says, health = self._says, self._health
        scaler = {
            "IsActive": _one(self._is_active, says["ScaledObjectRef"]),
            "GetMetricSpec": _one(self._spec, says["ScaledObjectRef"]),
            "GetMetrics": _one(self._metrics, says["GetMetricsRequest"]),
            "StreamIsActive": grpc.unary_stream_rpc_method_handler(
                self._stream,
                request_deserializer=says["ScaledObjectRef"].FromString,
                response_serializer=_written,
            ),
        }
        check = {"Check": _one(self._check, health["HealthCheckRequest"])}
        return (
            grpc.method_handlers_generic_handler(SERVICE, scaler),
            grpc.method_handlers_generic_handler(HEALTH_SERVICE, check),
        )

    async def _is_active(self, request: Any) -> Any:
        pool, tasks = self._target(request)
        found = await self._watch.look(pool)
        return self._says["IsActiveResponse"](result=found.size(tasks) > 0)

    async def _spec(self, request: Any) -> Any:
        pool, tasks = self._target(request)
        spec = self._says["MetricSpec"](
            metricName=metric_name(pool), targetSize=tasks, targetSizeFloat=tasks
        )
        return self._says["GetMetricSpecResponse"](metricSpecs=[spec])

    async def _metrics(self, request: Any) -> Any:
        pool, tasks = self._target(request.scaledObjectRef)
        size = (await self._watch.look(pool)).size(tasks)
        value = self._says["MetricValue"](
            metricName=metric_name(pool), metricValue=size, metricValueFloat=size
        )
        return self._says["GetMetricsResponse"](metricValues=[value])

    async def _stream(self, request: Any, context: Any) -> AsyncIterator[Any]:
        """Send whether the pool is active, and every change; end when the server does.

        While the store does not answer, nothing is said: KEDA would take its time to come
        back to a stream that failed.
        """
        try:
            pool, _ = self._target(request)
        except PagetideError as error:
            await context.abort(_code_of(error), error.message)
        sent, sent_at = None, 0.0
        with self._watch.following(pool) as (followed, changed):
            while not self._watch.ending:
                changed.clear()
                active = followed.active
                again = active and time.monotonic() - sent_at >= AGAIN_S
                if active is not None and (again or active != sent):
                    yield self._says["IsActiveResponse"](result=active)
                    sent, sent_at = active, time.monotonic()
                with suppress(TimeoutError):
                    async with asyncio.timeout(AGAIN_S):
                        await changed.wait()

    async def _check(self, request: Any) -> Any:
        if request.service not in ("", SERVICE):
            raise NotFound(f"There is no service {request.service[:80]!r} here.")
        status = NOT_SERVING if self._watch.ending else SERVING
        return self._health["HealthCheckResponse"](status=status)

    def _target(self, reference: Any) -> tuple[str, int]:
        given = {pair.key: pair.value for pair in reference.scalerMetadata}
        return target_of(given, self._watch.pools)


def target_of(given: Mapping[str, str], pools: tuple[str, ...]) -> tuple[str, int]:
    """The pool that a `scalerMetadata` names, and how many tasks are worth one worker.

    Raises:
        BadOption: It names none, or something that is not.
    """
    pool = given.get("pool", "")
    if not pool:
        raise BadOption("The scalerMetadata must contain `pool`.")
    if pool not in pools:
        raise BadOption(f"There is no pool {pool[:80]!r}; {nearest(pool[:80], pools)}")
    text = given.get("tasksPerWorker", str(demand.TASKS_A_WORKER))
    tasks = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0
    if not 1 <= tasks <= MOST_TASKS:
        shown = f"from 1 to {MOST_TASKS}, not {text[:80]!r}"
        raise BadOption(f"`tasksPerWorker` must be a whole number {shown}.")
    return pool, tasks


def metric_name(pool: str) -> str:
    """The name of a pool's metric."""
    return f"pagetide-{pool}"


def run(watch: Watch, *, address: str, announce: Callable[[int], None] = lambda _: None) -> str:
    """Answer until SIGTERM or SIGINT; streams end cleanly then.

    Args:
        watch: Is asked.
        address: Where to listen: host and port, which may be 0.
        announce: Told the port once it answers.

    Returns:
        Why it ended.

    Raises:
        BadOption: The address cannot be listened on.
    """
    return asyncio.run(_serve(watch, address, announce))


async def _serve(watch: Watch, address: str, announce: Callable[[int], None]) -> str:
    server, port = _listening(watch, address)
    ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, partial(_end, ended, number))
    watch.start()
    await server.start()
    log.info("scaler answers")
    announce(port)
    try:
        return await ended
    finally:
        watch.stop()
        await server.stop(GRACE_S)
        await watch.close()


def _listening(watch: Watch, address: str) -> tuple[grpc.aio.Server, int]:
    """A server with both services, and its port."""
    server = grpc.aio.server(options=OPTIONS)
    server.add_generic_rpc_handlers(ExternalScaler(watch).services())
    try:
        return server, server.add_insecure_port(address)
    except RuntimeError:
        raise BadOption(f"Cannot listen on {address}.") from None


def _end(ended: asyncio.Future[str], number: signal.Signals) -> None:
    if not ended.done():
        ended.set_result(number.name)


def _one(method: Callable[[Any], Awaitable[Any]], request: Any) -> Any:
    """A method that gives one answer, with its errors as gRPC statuses."""

    async def answered(request: Any, context: Any) -> Any:
        try:
            return await method(request)
        except PagetideError as error:
            return await context.abort(_code_of(error), error.message)

    return grpc.unary_unary_rpc_method_handler(
        answered, request_deserializer=request.FromString, response_serializer=_written
    )


def _code_of(error: PagetideError) -> grpc.StatusCode:
    if isinstance(error, BadInput):
        return grpc.StatusCode.INVALID_ARGUMENT
    missing = isinstance(error, NotFound)
    return grpc.StatusCode.NOT_FOUND if missing else grpc.StatusCode.UNAVAILABLE


def _written(message: Any) -> bytes:
    written: bytes = message.SerializeToString()
    return written
