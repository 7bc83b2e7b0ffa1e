"""Run the benchmarks and print their table: `python -m bench [--samples] [--only NAME]`."""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from bench import accuracy, processes, speed, text_layer
from bench.corpus import CORPUS, PROJECT, SAMPLES, chinese_pages, pages
from bench.rows import Row, table
from pagetide.settings import available_cores
from pagetide.system.cpu import features, model_name, multiplies_bf16

PACKAGES = ("pagetide", "openvino", "onnxruntime", "rapidocr", "pypdfium2")


def main() -> None:
    """Run the requested benchmarks; print the table and write it as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--samples", action="store_true", help="use only the bundled samples")
    parser.add_argument("--only", action="append", help="run only these, by name")
    parser.add_argument("--json", type=Path, default=PROJECT / "out" / "bench.json")
    arguments = parser.parse_args()
    plan = on_samples() if arguments.samples else on_corpus()
    chosen = {name: run for name, run in plan.items() if name in (arguments.only or plan)}
    print(f"{machine()}\n", flush=True)
    rows: list[Row] = []
    for name, run in chosen.items():
        print(f"… {name}", flush=True)
        rows += run()
    print(f"\n{table(rows)}\n\n{machine()}")
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    result = {"machine": machine(), "rows": [asdict(row) for row in rows]}
    arguments.json.write_text(json.dumps(result, indent=2, ensure_ascii=False))


def on_corpus() -> dict[str, Callable[[], list[Row]]]:
    """The measures on the shared corpus."""
    sets = {name: pages(name) for name in ("digital", "degraded", "icdar2013")}
    latin = [page.path for name in ("digital", "degraded") for page in sets[name]][:16]
    return {
        "latin": lambda: speed.latin(latin),
        "mixed": lambda: speed.mixed(chinese_pages()),
        "errors": lambda: accuracy.errors(sets),
        "boxes": lambda: accuracy.boxes(sets["icdar2013"]),
        "dense": lambda: speed.dense_page(CORPUS / "icdar2013" / "us-001_p1.png"),
        "cold": lambda: processes.cold(sets["digital"][-1].path),
        "text": lambda: text_layer.text_pages(CORPUS / "pdf" / "sec10k_lyft-2021.pdf"),
        "ten_k": lambda: processes.ten_k(CORPUS / "pdf" / "sec10k_lyft-2021.pdf"),
        "memory": lambda: processes.memory(SAMPLES / "mixed.pdf"),
        "import": processes.import_time,
    }


def on_samples() -> dict[str, Callable[[], list[Row]]]:
    """The measures that need only the bundled samples."""
    latin = [SAMPLES / name for name in ("two_columns.png", "table.png", "receipt.jpg")]
    return {
        "latin": lambda: speed.latin(latin),
        "mixed": lambda: speed.mixed([SAMPLES / "chinese_english.png"]),
        "dense": lambda: speed.dense_page(SAMPLES / "two_columns.png"),
        "cold": lambda: processes.cold(SAMPLES / "two_columns.png"),
        "text": lambda: text_layer.text_pages(SAMPLES / "mixed.pdf"),
        "import": processes.import_time,
    }


def machine() -> str:
    """The machine, its relevant processor features, and the packages."""
    known = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8")
    has = [name for name in known if name in features()]
    amx = "with AMX" if "amx_bf16" in features() else "WITHOUT AMX"
    precision = "bf16" if multiplies_bf16() else "f32"
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"{model_name()}, {available_cores()} cores, {amx} ({', '.join(has)}), {precision}; "
        f"load {os.getloadavg()[0]:.1f}; Python {platform.python_version()}; {packages}"
    )


main()
