"""OpenTelemetry traces, where the extra is installed and an endpoint is set; else nothing.

One trace goes from the request through the job's tasks to the engine: the job carries the
W3C `traceparent` of the request that made it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pagetide.errors import BadOption, installing
from pagetide.settings import Settings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Tracer

_tracer: Tracer | None = None


def configure(settings: Settings, exporter: SpanExporter | None = None) -> None:
    """Begin to trace, if the settings name where traces go.

    Args:
        settings: `otlp_endpoint` is the base URL of a collector that takes OTLP over HTTP.
        exporter: Where spans go instead, for tests.

    Raises:
        BadOption: An endpoint is set, but the extra is not installed.
    """
    global _tracer
    if not settings.otlp_endpoint and exporter is None:
        return
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise BadOption(
            "PAGETIDE_OTLP_ENDPOINT is set, but OpenTelemetry is not installed:"
            f" {installing('otel')}."
        ) from None
    if exporter is None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        exporter = OTLPSpanExporter(f"{settings.otlp_endpoint.rstrip('/')}/v1/traces")
    provider = TracerProvider(resource=Resource.create({"service.name": "pagetide"}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    _tracer = provider.get_tracer("pagetide")


@contextmanager
def span(name: str, parent: str = "", **attributes: str | int | float) -> Iterator[str]:
    """Time something as a span of a trace.

    Args:
        name: What is done.
        parent: The `traceparent` it belongs to; without one, the span around it, if any.
        attributes: What to know of it; never a document's text or name.

    Yields:
        The span's own `traceparent`; where nothing is traced, that of the parent.
    """
    if _tracer is None:
        yield parent
        return
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    propagator = TraceContextTextMapPropagator()
    context = propagator.extract({"traceparent": parent}) if parent else None
    with _tracer.start_as_current_span(name, context, attributes=attributes):
        carrier: dict[str, str] = {}
        propagator.inject(carrier)
        yield carrier.get("traceparent", parent)


def ended(name: str, parent: str, seconds: float, **attributes: str | int | float) -> None:
    """Note, as a span, something that ends now and took so many seconds."""
    if _tracer is None:
        return
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    context = TraceContextTextMapPropagator().extract({"traceparent": parent})
    started = time.time_ns() - int(seconds * 1e9)
    _tracer.start_span(name, context, attributes=attributes, start_time=started).end()


def flush() -> None:
    """Send what is waiting to be sent, before the process ends."""
    if _tracer is not None:
        _tracer.span_processor.force_flush(2000)  # type: ignore[attr-defined]  # the SDK's own
