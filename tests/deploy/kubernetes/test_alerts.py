"""Alerts ring when they should, by Prometheus's own program, over metrics that there are."""

from __future__ import annotations

import copy
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from pagetide.telemetry.measures import MEASURES
from tests.deploy.kubernetes.cluster import Cluster
from tests.deploy.kubernetes.rendering import KUBERNETES, Document, documents, parsed

MONITORING = KUBERNETES / "components" / "monitoring"
CASES = (MONITORING / "alerts.test.yaml").read_text(encoding="utf-8")
ALERTS = [
    rule
    for each in parsed((MONITORING / "alerts.yaml").read_text(encoding="utf-8"))
    for group in each["spec"]["groups"]
    for rule in group["rules"]
]
NAMES = [rule["alert"] for rule in ALERTS]
# What Prometheus gives every series that it scrapes from a pod.
TARGET = {"namespace", "container", "pod"}
ENDINGS = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_count", "_sum")}

Slip = Callable[[Document], None]


def promtool() -> str:
    """The program; the test is skipped where it is missing, and fails where nothing may be."""
    if found := shutil.which("promtool"):
        return found
    missing = "promtool is not installed: `apt-get install prometheus` does"
    if os.environ.get("PAGETIDE_TEST_REQUIRE") == "all":
        pytest.fail(missing)
    pytest.skip(missing)


def run(
    folder: Path, rules: list[Document], *arguments: str
) -> subprocess.CompletedProcess[str]:
    groups = {"groups": [{"name": "pagetide", "rules": rules}]}
    (folder / "rules.yaml").write_text(yaml.safe_dump(groups))
    (folder / "cases.yaml").write_text(CASES)
    return subprocess.run(
        [promtool(), *arguments],
        check=False,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_the_rules_are_well_formed(tmp_path: Path) -> None:
    done = run(tmp_path, ALERTS, "check", "rules", "--lint=all", "--lint-fatal", "rules.yaml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_alerts_ring_when_they_should(tmp_path: Path) -> None:
    done = run(tmp_path, ALERTS, "test", "rules", "cases.yaml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_alert_is_tried_both_ways() -> None:
    tried: dict[str, set[bool]] = {}
    for case in yaml.safe_load(CASES)["tests"]:
        for each in case["alert_rule_test"]:
            tried.setdefault(each["alertname"], set()).add(bool(each.get("exp_alerts")))
    # Of this one the other pool is silent at the same time.
    assert [name for name in NAMES if len(tried[name]) < 2] == ["PagetideWorkersDie"]
    assert set(tried) == set(NAMES)


def never(rule: Document) -> None:
    rule["expr"] = "vector(1) < 0"


def always(rule: Document) -> None:
    rule["expr"] = 'label_replace(vector(1), "pool", "cpu", "", "")'


def twice_as_much(rule: Document) -> None:
    rule["expr"] = re.sub(
        r"> ([\d.]+)$", lambda found: f"> {float(found[1]) * 100}", rule["expr"]
    )


def at_once(rule: Document) -> None:
    rule["for"] = "0m"


def much_later(rule: Document) -> None:
    rule["for"] = "1d"


def apart(rule: Document) -> None:
    rule["expr"] = re.sub(r"by \([^)]*\)", "by (pod)", rule["expr"])


SLIPS: dict[str, tuple[Slip, list[str]]] = {
    "never": (never, NAMES),
    "always": (always, NAMES),
    "much later": (much_later, NAMES),
    "at once": (at_once, [rule["alert"] for rule in ALERTS if "for" in rule]),
    "another limit": (
        twice_as_much,
        [rule["alert"] for rule in ALERTS if re.search(r"> [\d.]*[1-9][\d.]*$", rule["expr"])],
    ),
    "by other labels": (apart, [rule["alert"] for rule in ALERTS if "by (" in rule["expr"]]),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_in_any_alert_is_seen(slip: str, tmp_path: Path) -> None:
    change, concerned = SLIPS[slip]
    rules = copy.deepcopy(ALERTS)
    for rule in rules:
        if rule["alert"] in concerned:
            before = copy.deepcopy(rule)
            change(rule)
            assert rule != before
    done = run(tmp_path, rules, "test", "rules", "cases.yaml")
    seen = set(re.findall(r"alertname: ?(\w+)", done.stdout + done.stderr))
    assert seen == set(concerned)


def series(expression: str) -> list[tuple[str, set[str]]]:
    """The series of an expression, each with the labels that it is chosen by."""
    form = re.compile(r"\b(up|pagetide_\w+)(?:\{([^}]*)\})?")
    return [
        (found[1], set(re.findall(r"(\w+)\s*[=!]~?", found[2] or "")))
        for found in form.finditer(expression)
    ]


def unknown(expression: str) -> list[str]:
    """What of an expression's series and labels no process of ours tells."""
    told = {"up": TARGET}
    for name, measure in MEASURES.items():
        for ending in ENDINGS[measure.kind]:
            told[f"pagetide_{name}{ending}"] = TARGET | set(measure.labels)
    grouped = {
        label.strip()
        for labels in re.findall(r"(?:by|on) \(([^)]*)\)", expression)
        for label in labels.split(",")
    }
    found = []
    for name, labels in series(expression):
        if name not in told:
            found.append(name)
        else:
            found += sorted((labels | grouped) - {"le"} - told[name])
    return found


@pytest.mark.parametrize("rule", ALERTS, ids=NAMES)
def test_an_alert_is_about_what_is_told(rule: Any) -> None:
    assert series(rule["expr"])
    assert unknown(rule["expr"]) == []


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("pagetide_backlog > 1", "pagetide_backlog"),
        ("rate(pagetide_pages[5m]) > 1", "pagetide_pages"),
        ('pagetide_backlog_tasks{status="waiting"} > 1', "status"),
        ("sum by (namespace, queue) (pagetide_backlog_size) > 1", "queue"),
    ],
)
def test_what_nobody_tells_is_seen(expression: str, said: str) -> None:
    assert unknown(expression) == [said]


def test_the_pods_that_alerts_name_are_scraped() -> None:
    cluster = Cluster(documents("base", ("monitoring",)))
    named = {name for rule in ALERTS for name in re.findall(r'container="(\w+)"', rule["expr"])}
    assert named == {"api", "sweep"}
    assert named < {each.spec["name"] for pod in cluster.pods() for each in pod.containers}


def test_the_adapter_tells_what_the_hpa_goes_by() -> None:
    folder = KUBERNETES / "components" / "hpa-gpu"
    (rules,) = parsed((folder / "adapter-rules.yaml").read_text(encoding="utf-8"))
    (rule,) = rules["rules"]
    (hpa,) = parsed((folder / "hpa.yaml").read_text(encoding="utf-8"))
    (metric,) = hpa["spec"]["metrics"]
    assert rule["name"]["as"] == metric["pods"]["metric"]["name"] == "dcgm_gpu_utilization"
    assert metric["pods"]["target"] == {"type": "AverageValue", "averageValue": "70"}
    exported = re.match(r"(\w+)\{", rule["seriesQuery"])
    assert exported and exported[1] == "DCGM_FI_DEV_GPU_UTIL"
    assert re.fullmatch(rule["name"]["matches"], exported[1])
    resources = {each["resource"] for each in rule["resources"]["overrides"].values()}
    assert resources == {"namespace", "pod"}
