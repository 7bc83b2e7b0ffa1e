"""Every query that is shipped is true where several APIs and workers are asked."""

from __future__ import annotations

import re

import pytest

from tests.deploy.queries import DEPLOY, GPUS, complaints, shipped

SHIPPED = sorted(set(shipped()))


def test_the_queries_are_found() -> None:
    files = {file for file, _ in SHIPPED}
    assert {
        "compose/grafana/dashboards/pagetide.json",
        "kubernetes/components/monitoring/alerts.yaml",
        "kubernetes/components/hpa-gpu/adapter-rules.yaml",
        "kubernetes/components/monitoring-gpu/pagetide-gpu.json",
    } <= files
    assert any("pagetide_pages_total" in query for _, query in SHIPPED)


def test_what_others_count_is_in_the_reference() -> None:
    told = (DEPLOY.parent / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(DCGM_\w+)`", told, flags=re.MULTILINE)) == GPUS
    assert any(name in query for name in GPUS for _, query in SHIPPED)


def test_the_dashboard_shows_what_is_counted_of_extraction_and_review() -> None:
    told = (DEPLOY.parent / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")
    counted = re.findall(r"^\| `(pagetide_(?:extraction|review)\w+)`", told, flags=re.MULTILINE)
    asked = [query for file, query in SHIPPED if file.endswith("dashboards/pagetide.json")]
    assert len(counted) >= 5
    assert [name for name in counted if not any(name in query for query in asked)] == []


@pytest.mark.parametrize(("file", "query"), SHIPPED)
def test_a_query_adds_up_what_several_count(file: str, query: str) -> None:
    assert complaints(query) == []


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("sum(pagetide_jobs_total)", "sum(rate(…)) is true of a counter"),
        ("rate(pagetide_jobs_total[5m])", "sum(rate(…)) is true of a counter"),
        ("max(rate(pagetide_jobs_total[5m]))", "sum(rate(…)) is true of a counter"),
        ("rate(sum(pagetide_jobs_total)[5m])", "sum(rate(…)) is true of a counter"),
        ("sum by (pool) (pagetide_backlog_tasks)", "max(…) is true of a gauge"),
        ("pagetide_workers > 3", "max(…) is true of a gauge"),
        ("avg(pagetide_backlog_size)", "max(…) is true of a gauge"),
        ("max by (pool) (pagetide_backlog_tasks)", "the max of several state is that of one"),
        ('max(pagetide_backlog_size{pool=~"a|b"})', "the max of several pool"),
        ("sum(rate(pagetide_page_seconds_bucket[5m]))", "added up without le"),
        ("sum(rate(pagetide_jobs[5m]))", "nobody counts pagetide_jobs"),
        ("max by (pool) (pagetide_workers) / on (pool) jobs_total", "nobody counts jobs_total"),
        ("max(DCGM_FI_DEV_GPU_UTILISATION)", "nobody counts DCGM_FI_DEV_GPU_UTILISATION"),
        ("max(DCGM_FI_DEV_GPU_UTIL)", "the GPUs of others"),
        ('sum(rate(DCGM_FI_DEV_FB_USED{exported_pod=~"a"}[5m]))', "has no rate"),
        (
            "sum(rate(pagetide_jobs_total[5m])) / pagetide_jobs_total",
            "sum(rate(…)) is true of a counter",
        ),
    ],
)
def test_a_query_that_is_not_true_is_seen(query: str, said: str) -> None:
    assert any(said in each for each in complaints(query)), complaints(query)
