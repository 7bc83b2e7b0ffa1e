"""The table of what is counted is that of the program, and says how to add it up."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from pagetide.telemetry.measures import MEASURES, Measure
from tests.docs.test_reference import rows

SOURCES = Path(__file__).parents[2] / "src" / "pagetide"
# Where each is noted. What is noted in two places, or by whoever comes by, is counted twice
# some day: a place more is to be thought about, and said in the table.
NOTED = {
    "job_moved": {"server.service.submitting.submission", "server.service.notifier"},
    "page_read": {"server.worker.read_task"},
    "page_given_up": {"server.service.notifier"},
    "page_noticed": {"server.worker.read_task"},
    "lease_lost": {"server.maintenance.maintenance"},
    "webhook_tried": {"server.maintenance.deliverer"},
    "webhook_put_off": {"server.maintenance.deliverer"},
    "review_expired": {"server.service.notifier"},
    "cache_hit": {"server.service.submitting.submission"},
    "extracted": {"server.api.model_server"},
    "model_asked": {"server.api.model_server"},
    "refused": {
        "server.service.submitting.submission",
        "server.api.callers.auth",
    },  # a job by its limits, a request by how often it comes
    "workers": {"server.supervisor.forked_workers", "server.supervisor.autoscaler"},
    "backlog": {"server.api.routes.ops"},
    "request_answered": {"server.api.edge"},
}
OTHERS = {"report_to", "apply", "render", "reported_workers"}


def full(name: str) -> str:
    return f"pagetide_{name}" + ("_total" if MEASURES[name].kind == "counter" else "")


def test_every_metric_is_in_the_reference_as_it_is() -> None:
    wanted = [
        [full(name), each.kind, "` `".join(each.labels), each.summary]
        for name, each in MEASURES.items()
    ]
    ours = [row for row in rows("metrics.md") if row[0].startswith("pagetide_")]
    assert [row[:4] for row in ours] == wanted


@pytest.mark.parametrize("name", MEASURES)
def test_the_reference_says_who_counts_and_how_to_add_up(name: str) -> None:
    [row] = [row for row in rows("metrics.md") if row[0] == full(name)]
    who, over = row[4:]
    assert who
    assert over.startswith(begin_of(MEASURES[name]))


def begin_of(measure: Measure) -> str:
    """How a query over several processes begins."""
    if measure.kind == "gauge":
        return f"max by ({', '.join(measure.labels)})"
    return "sum by (le) (rate(" if measure.kind == "histogram" else "sum"


def test_what_is_counted_is_noted_where_it_happens() -> None:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in SOURCES.rglob("*.py"):
        module = ".".join(path.relative_to(SOURCES).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Attribute(value=ast.Name("metrics"), attr=attr) if attr.islower():
                    found[attr].add(module)
    assert {name: places for name, places in found.items() if name not in OTHERS} == NOTED
