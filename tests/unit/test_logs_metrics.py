"""Logs that hold no secret, and reports that cross processes."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.errors import BadOption, Damaged
from pagetide.settings import Settings
from pagetide.telemetry import logs, metrics
from pagetide.telemetry.measures import MEASURES

SECRETS = {
    "key": "pt_0a1b2c3d_" + "x" * 43,
    "header": "Authorization: Bearer abcdef",
    "query": "GET /v1/files/job/json?expires=1&signature=sesame",
    "user": "https://ada:sesame@files.example/x",
    "pair": "password=sesame",
    "no user": "redis://:sesame@redis.example/0",
    "account": "AccountName=ada;AccountKey=sesame;EndpointSuffix=core.windows.net",
    "sas": "sv=2024-01-01&sig=sesame",
}


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def lines(log_format: str, **extra: object) -> str:
    stream = io.StringIO()
    logs.configure(Settings(log_format=log_format), stream)
    logging.getLogger("pagetide.test").info("read", extra=extra)
    return stream.getvalue()


def test_a_line_of_text_has_the_fields() -> None:
    line = lines("text", job="job_1", pages=3, document="the text")
    assert line.endswith("Z info pagetide.test: read job=job_1 pages=3\n")


def test_a_line_of_json_has_the_fields() -> None:
    told = json.loads(lines("json", task="job_1.00001", ms=1.5, document="the text"))
    assert told.pop("time").endswith("Z")
    assert told == {
        "level": "info",
        "logger": "pagetide.test",
        "message": "read",
        "task": "job_1.00001",
        "ms": 1.5,
    }


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS)
@pytest.mark.parametrize("log_format", ["json", "text"])
def test_secrets_are_blotted_out(log_format: str, text: str) -> None:
    stream = io.StringIO()
    logs.configure(Settings(log_format=log_format), stream)
    logging.getLogger("x").warning("it says %s", text, extra={"path": text})
    assert "it says" in stream.getvalue()
    assert not any(word in stream.getvalue() for word in ("sesame", "abcdef", "xxx"))


@pytest.mark.parametrize("log_format", ["json", "text"])
def test_an_exception_shows_where_and_not_what(log_format: str) -> None:
    stream = io.StringIO()
    logs.configure(Settings(log_format=log_format), stream)
    for error in (ValueError("the text of a document"), Damaged("Page 3 is torn.")):
        try:
            raise error
        except Exception:
            logging.getLogger("x").exception("it failed")
    told = stream.getvalue()
    assert "ValueError" in told and "test_logs_metrics.py" in told
    assert "the text" not in told
    assert "Damaged: Page 3 is torn." in told


def test_nobody_else_writes_a_line() -> None:
    stream = io.StringIO()
    logs.configure(Settings(), stream)
    logging.getLogger("x").info("one\ntwo\x1b[31m", extra={"job": "a\r\nb"})
    assert stream.getvalue().count("\n") == 1 and "\x1b" not in stream.getvalue()


@pytest.mark.parametrize(("name", "value"), [("log_level", "loud"), ("log_format", "xml")])
def test_what_is_no_level_or_format_is_refused(name: str, value: str) -> None:
    with pytest.raises(BadOption, match=f"PAGETIDE_{name.upper()} must be one of "):
        logs.configure(Settings(**{name: value}), io.StringIO())  # type: ignore[arg-type]


def test_libraries_that_tell_of_urls_are_quiet() -> None:
    stream = io.StringIO()
    logs.configure(Settings(), stream)
    logging.getLogger("httpx").info("HTTP Request: GET https://files.example/sesame")
    logging.getLogger("uvicorn.error").info("Started")
    assert "sesame" not in stream.getvalue() and "Started" in stream.getvalue()


@pytest.fixture
def sent() -> Iterator[list[str]]:
    reports: list[str] = []
    metrics.report_to(lambda _, report: reports.append(report))
    yield reports
    metrics.report_to(None)


def value(start: str) -> float:
    found = [
        line.rpartition(" ")[2]
        for line in metrics.render().decode().splitlines()
        if line.startswith(start + " ")
    ]
    return float(found[0]) if found else 0.0


def test_a_report_counts_as_if_it_were_counted_here(sent: list[str]) -> None:
    name = 'pagetide_pages_total{model="fake",pool="cpu",state="failed"}'
    seconds = 'pagetide_page_seconds_sum{model="fake",pool="cpu"}'
    before = value(name), value(seconds)
    metrics.page_read(model="fake?crash=2", pool="cpu", seconds=0.25, failed=True)
    assert (value(name), value(seconds)) == before
    assert all(len(report.encode()) < 400 for report in sent)
    for report in sent:
        metrics.apply(report)
    assert value(name) == before[0] + 1
    assert value(seconds) == pytest.approx(before[1] + 0.25)


def test_every_measure_can_be_told(sent: list[str]) -> None:
    metrics.job_moved(state="succeeded", model="fake")
    metrics.page_read(model="fake", pool="cpu", seconds=1)
    metrics.page_noticed(code="unread_script", pool="cpu")
    metrics.lease_lost(pool="cpu")
    metrics.webhook_tried(result="failed")
    metrics.webhook_put_off()
    metrics.log_lines_dropped(3)
    metrics.review_expired()
    metrics.cache_hit(model="fake")
    metrics.refused(code="busy")
    metrics.extracted(result="succeeded", seconds=1)
    metrics.model_asked(calls=1, prompt_tokens=300, completion_tokens=40)
    metrics.workers(pool="cpu", count=3)
    metrics.backlog(pool="cpu", waiting=1, leased=2, oldest_s=3.5, size=3)
    metrics.request_answered(method="GET", path="/v1/jobs/{job_id}", status=200, seconds=0.1)
    assert {report.partition("|")[0] for report in sent} == set(MEASURES)
    for report in sent:
        metrics.apply(report)
    assert value('pagetide_workers{pool="cpu"}') == 3
    assert value('pagetide_backlog_oldest_seconds{pool="cpu"}') == 3.5


def test_what_is_counted_is_told_to_one_and_amounts_to_all() -> None:
    told: list[tuple[str, str]] = []
    metrics.report_to(lambda topic, report: told.append((topic, report)))
    try:
        for _ in range(2):
            metrics.job_moved(state="succeeded", model="fake")
        metrics.workers(pool="cpu", count=3)
    finally:
        metrics.report_to(None)
    assert [topic for topic, _ in told] == [metrics.COUNTS, metrics.COUNTS, metrics.AMOUNTS]
    assert len({report for _, report in told}) == 3  # alike, they might be heard as one


@pytest.mark.parametrize(
    "report",
    [
        "",
        "|",
        "pages|state=read|1|0",
        "unknown||1|0",
        "workers|pool=cpu|many|0",
        "workers|pool=cpu",
    ],
)
def test_a_report_that_makes_no_sense_is_passed_over(report: str) -> None:
    before = counted()
    metrics.apply(report)
    assert counted() == before


def counted() -> list[str]:
    lines = metrics.render().decode().splitlines()
    return [line for line in lines if line.startswith("pagetide_")]


@given(st.text(max_size=40))
def test_a_label_may_be_any_text(text: str) -> None:
    labels = {"result": text.encode("utf-8", "replace").decode()}
    report = metrics.encode("webhooks", 1, labels)
    assert report.count("|") == 3 and "\n" not in report
    metrics.apply(report)


_TWO_PROCESSES = """
import os
from pagetide.telemetry import metrics
child = os.fork()
print(metrics.encode("cache_hits", 1, {"model": "fake"}), flush=True)
if child:
    os.waitpid(child, 0)
"""


def test_no_two_processes_report_alike() -> None:
    """A listener takes what comes twice alike once: forked or not, reports must differ."""
    told = [
        line
        for _ in range(2)
        for line in subprocess.run(
            [sys.executable, "-c", _TWO_PROCESSES], check=True, capture_output=True, text=True
        ).stdout.splitlines()
    ]
    assert len(told) == len(set(told)) == 4
