"""Traces: one from the request to the page, and nothing at all where none are wanted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from pagetide.settings import Settings
from pagetide.telemetry import tracing

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    monkeypatch.setattr(tracing, "_tracer", None)
    tracing.configure(Settings(), exporter)
    yield exporter


def test_without_an_endpoint_nothing_is_traced_and_the_parent_goes_on() -> None:
    tracing.configure(Settings())
    with tracing.span("submit", PARENT) as trace:
        assert trace == PARENT


def test_a_job_and_its_pages_are_one_trace(spans: InMemorySpanExporter) -> None:
    with tracing.span("submit", PARENT) as trace:
        pass
    tracing.ended("page", trace, 0.25, job="job_1", page=3)
    tracing.flush()
    submit, page = spans.get_finished_spans()
    assert trace.split("-")[1] == PARENT.split("-")[1]
    assert f"{submit.context.trace_id:032x}" == PARENT.split("-")[1]
    assert page.parent and page.parent.span_id == submit.context.span_id
    assert page.attributes and page.attributes["page"] == 3
    assert page.end_time and page.start_time
    assert 0.25e9 <= page.end_time - page.start_time < 0.35e9
