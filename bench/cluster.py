"""The service as a cluster of processes, real servers: `python -m bench.cluster [--only …]`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from bench import (
    cluster_full,
    cluster_idle,
    cluster_latency,
    cluster_long,
    cluster_messages,
    cluster_speed,
)
from bench.cluster_processes import end_on_sigterm
from bench.cluster_rows import Line, table
from bench.cluster_sizes import Sizes

PLAN: dict[str, Callable[[Sizes], list[Line]]] = {
    "long": cluster_long.rows,
    "idle": cluster_idle.rows,
    "scan": cluster_speed.scan_rows,
    "pages": cluster_speed.pages_rows,
    "latency": cluster_latency.rows,
    "messages": cluster_messages.rows,
    "full": cluster_full.rows,
}


def main() -> None:
    """Run the requested measures and print the table; exit with 1 if a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.cluster", description=__doc__)
    parser.add_argument("--only", action="append", choices=PLAN)
    parser.add_argument("--runs", type=int, default=3, help="rounds of comparisons")
    parser.add_argument("--small", action="store_true", help="only check that it works")
    parser.add_argument(
        "--on", action="append", default=[], metavar="STORE+QUEUE", help="only on these"
    )
    arguments = parser.parse_args()
    end_on_sigterm()
    sizes = Sizes(small=arguments.small, runs=arguments.runs, only=tuple(arguments.on))
    lines: list[Line] = []
    for name, run in PLAN.items():
        if name in (arguments.only or PLAN):
            print(f"… {name}", flush=True)
            found = run(sizes)
            print(table(found), flush=True)
            lines += found
    print(f"\n{table(lines)}\n\nload {os.getloadavg()[0]:.1f}")
    sys.exit(0 if all(line.holds for line in lines) else 1)


if __name__ == "__main__":
    main()
