"""Memory of the reading function, under Lambda's own runtime client.

    python -m bench.lambda_memory [--models structure-lite,pp-ocrv6] [FILE ...]

Prints the peak of the function's process and that of its sandbox, which Lambda counts as one,
and how long a cold and a warm call took.
"""

from __future__ import annotations

import argparse
import time
from contextlib import ExitStack
from pathlib import Path

import httpx

from tests.parts.aws_account import READ, Account
from tests.parts.lambda_runtime import Function
from tests.parts.moto import REGION, Moto

SAMPLES = Path(__file__).parents[1] / "samples"


def main() -> None:
    """Read each document with each model, and print the peaks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default="structure-lite,pp-ocrv6")
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args()
    files = given.files or sorted(path for path in SAMPLES.iterdir() if _is_document(path))
    print("| model | pages | process MB | sandbox MB | sum MB | cold s | warm s a page |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for model in given.models.split(","):
        _measure(model, files)


def _is_document(path: Path) -> bool:
    return path.suffix in {".pdf", ".png", ".jpg", ".tif", ".tiff", ".webp", ".bmp"}


def _measure(model: str, files: list[Path]) -> None:
    with Moto() as moto, ExitStack() as ends:
        httpx.put(f"{moto.endpoint}/documents", timeout=20).raise_for_status()
        blobs = f"s3://documents/p?endpoint={moto.endpoint}&region={REGION}"
        folder = Path(moto.folder) / "here"
        folder.mkdir()
        account = Account(moto, blobs, folder, ends)
        account.change({"PAGETIDE_LEASE_S": "60", "PAGETIDE_TASK_PAGES": "8"})
        function = account.function(READ, timeout_s=900)
        times: list[tuple[int, float]] = []
        for file in files:
            job = account.submit_bytes(file.read_bytes(), model)
            while event := account.next_event():
                began = time.perf_counter()
                assert function.invoke(event) == {"batchItemFailures": []}
                times.append((0, time.perf_counter() - began))
            times[-1] = (job.page_count, times[-1][1])
        own, child = _peaks(function)
        pages = sum(count for count, _ in times)
        warm = sum(seconds for _, seconds in times[1:]) / max(1, pages - times[0][0])
        print(
            f"| {model} | {pages} | {own:.0f} | {child:.0f} | {own + child:.0f} "
            f"| {times[0][1]:.1f} | {warm:.2f} |"
        )


def _peaks(function: Function) -> tuple[float, float]:
    """Peaks of the process and of its largest child, in MB."""
    (process,) = function.idle
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return _peak(process.pid), max((_peak(int(child)) for child in children), default=0.0)


def _peak(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
