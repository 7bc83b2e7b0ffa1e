"""Queries of Prometheus, and whether they add up what several processes count."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from pagetide.telemetry.measures import MEASURES

DEPLOY = Path(__file__).parents[2] / "deploy"
# Whatever stands at such a key is a query; KEDA's triggers and the adapter's rules among them.
KEYS = {"expr", "query", "metricsQuery", "seriesQuery"}
ENDINGS = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_count", "_sum")}
# Azure asks logs, in a language of its own; the chart has the queries of the Kustomize tree.
OTHERS = {"azure", "helm"}
_SERIES = {
    f"pagetide_{name}{ending}": (measure.kind, measure.labels)
    for name, measure in MEASURES.items()
    for ending in ENDINGS[measure.kind]
}
# What others count, in that table, too: NVIDIA's exporter tells of every GPU of every node.
GPUS = {
    "DCGM_FI_DEV_FB_FREE",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_DEV_GPU_TEMP",
    "DCGM_FI_DEV_GPU_UTIL",
    "DCGM_FI_DEV_POWER_USAGE",
}
PROMETHEUS = {"up", "process_resident_memory_bytes"}
AGGREGATIONS = {"sum", "max", "min", "avg", "count", "by"}
WORDS = AGGREGATIONS | {"rate", "increase", "histogram_quantile", "absent", "vector"}
WORDS |= {"on", "and", "or"}
# What is no series: labels in braces and behind `by`, and gaps that an adapter fills.
_BESIDE = re.compile(r"\{[^}]*\}|\b(?:by|on) \([^)]*\)|<<[^>]*>>")
_NAMED = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_CHOSEN = r"(?:\{(?P<chosen>[^}]*)\})?"
_BY = r"(?: by \((?P<by>[^)]*)\))? ?"
_COUNTED = r"sum" + _BY + r"\((?:rate|increase)\({name}" + _CHOSEN + r"\[\w+\]\)\)"
_THERE = r"max" + _BY + r"\({name}" + _CHOSEN + r"\)"


def shipped() -> Iterator[tuple[str, str]]:
    """All queries in `deploy/`, each with the file that it is in."""
    for path in sorted([*DEPLOY.rglob("*.y*ml"), *DEPLOY.rglob("*.json")]):
        if path.name.endswith(".test.yaml") or path.relative_to(DEPLOY).parts[0] in OTHERS:
            continue
        text = path.read_text(encoding="utf-8")
        parsed = [json.loads(text)] if path.suffix == ".json" else _documents(text)
        for query in (query for document in parsed for query in _queries(document)):
            yield str(path.relative_to(DEPLOY)), " ".join(query.split())


def _documents(text: str) -> list[Any]:
    loader: Any = type("Loader", (yaml.SafeLoader,), {})
    loader.add_multi_constructor("!", lambda *_: None)  # such as CloudFormation's
    return list(yaml.load_all(text, loader))


def _queries(said: Any) -> Iterator[str]:
    if isinstance(said, dict):
        for key, value in said.items():
            if key in KEYS and isinstance(value, str):
                yield value
            else:
                yield from _queries(value)
    elif isinstance(said, list):
        for value in said:
            yield from _queries(value)


def complaints(query: str) -> list[str]:
    """What of a query is not true where several processes are asked."""
    bare = re.sub(r'"[^"]*"', '""', query)
    names = [name for name in _NAMED.findall(_BESIDE.sub("", bare)) if name not in WORDS]
    return [found for name in names for found in _of(name, bare)]


def _of(name: str, query: str) -> Iterator[str]:
    if name in PROMETHEUS:
        return
    if name in GPUS:
        yield from _of_gpus(name, query)
        return
    if name not in _SERIES:
        yield f"nobody counts {name}"
        return
    kind, labels = _SERIES[name]
    form = _THERE if kind == "gauge" else _COUNTED
    uses = list(re.finditer(form.replace("{name}", name), query))
    if len(uses) < len(re.findall(rf"\b{name}\b", query)):
        yield f"{name}: {'max(…)' if kind == 'gauge' else 'sum(rate(…))'} is true of a {kind}"
    for use in uses:
        by = set(re.findall(r"\w+", use["by"] or ""))
        chosen = set(re.findall(r"(\w+)\s*=\"", use["chosen"] or ""))
        if kind == "gauge" and (left := set(labels) - by - chosen):
            yield f"{name}: the max of several {', '.join(sorted(left))} is that of one"
        if name.endswith("_bucket") and "le" not in by:
            yield f"{name}: its buckets are added up without le"


def _of_gpus(name: str, query: str) -> Iterator[str]:
    if re.search(rf"\b(?:rate|increase)\({name}\b", query):
        yield f"{name}: a gauge has no rate"
    for chosen in re.findall(rf"\b{name}\b(?:\{{([^}}]*)\}})?", query):
        if "exported_pod" not in chosen:
            yield f"{name}: the GPUs of others are in it"
