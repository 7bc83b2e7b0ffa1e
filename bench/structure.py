"""Layout, tables, reading order, cost: `python -m bench.structure [--only NAME]`.

Every part also runs by itself and then prints more: `python -m bench.order_quality --pages`.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from bench import (
    fidelity,
    heading_quality,
    order_quality,
    photos,
    renders,
    structure_cost,
    table_halves,
    text_order,
)
from bench.corpus import PROJECT
from bench.rows import Row, table
from pagetide import open_reader
from pagetide.settings import available_cores
from pagetide.system.cpu import model_name

PACKAGES = ("pagetide", "openvino", "rapidocr", "pypdfium2")


def tables() -> list[Row]:
    """Tables of PDFs and of pictures; the peers get an environment of their own."""
    from bench import table_quality

    table_quality.made_peers()
    with open_reader("structure-lite") as reader:
        rows = table_quality.digital(reader)
        for name in ("icdar2013", "pubtabnet"):
            rows += table_quality.pictures(reader, name)
    return rows


def layout() -> list[Row]:
    """Areas found on pages with known ones."""
    from bench import layout_quality

    return layout_quality.layout_quality()


def drawn() -> list[Row]:
    """Documents of twelve kinds, printed by a browser."""
    from bench.drawn import measuring

    return measuring.drawn_rows()


def served() -> list[Row]:
    """The client of a vision-language server, as `bench.vl` measures it when run alone."""
    from bench import vl

    return vl.measured(vl.PEER, pages=48, slots=32, runs=3)


PARTS: dict[str, Callable[[], list[Row]]] = {
    "words": fidelity.words_kept,
    "scripts": fidelity.scripts_said,
    "renders": renders.rows,
    "photos": photos.rows,
    "tables": tables,
    "halves": table_halves.rows,
    "layout": layout,
    "order": order_quality.rows,
    "headings": heading_quality.rows,
    "drawn": drawn,
    "text": text_order.rows,
    "cost": structure_cost.over_lines,
    "digital": structure_cost.digital_pages,
    "vl": served,
}


def main() -> None:
    """Run the requested benchmarks; print the table and write it as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.structure", description=__doc__)
    parser.add_argument("--only", action="append", choices=PARTS, help="run only these")
    parser.add_argument("--json", type=Path, default=PROJECT / "out" / "bench-structure.json")
    arguments = parser.parse_args()
    rows: list[Row] = []
    for name in arguments.only or PARTS:
        print(f"… {name}", flush=True)
        rows += PARTS[name]()
    print(f"\n{table(rows)}\n\n{machine()}")
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    result = {"machine": machine(), "rows": [asdict(row) for row in rows]}
    arguments.json.write_text(json.dumps(result, indent=2, ensure_ascii=False))


def machine() -> str:
    """The machine, its load, and the packages."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    load = os.getloadavg()[0]
    return f"{model_name()}, {available_cores()} cores; load {load:.1f}; {packages}"


if __name__ == "__main__":
    main()
