"""Whole processes: cold starts, memory, import time."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from pypdf import PdfReader, PdfWriter

from bench.rows import Row, at_least

PAGETIDE = [sys.executable, "-m", "pagetide"]
THREE_LINES = (
    "import sys\nfrom rapidocr import RapidOCR\nprint('\\n'.join(RapidOCR()(sys.argv[1]).txts))"
)
UPRIGHT = (4, 5, 1)  # pages of the sample, from 0
LIGHT = ("numpy", "cv2", "openvino", "onnxruntime", "PIL", "pypdfium2", "pypdf", "rapidocr")


@dataclass(frozen=True, kw_only=True)
class Run:
    """One finished process: its seconds, and what it printed."""

    seconds: float
    printed: str


def cold(page: Path, runs: int = 3) -> list[Row]:
    """`pagetide read` on one picture against a three-line script, both from a cold start."""
    ours, theirs = [], []
    for _ in range(runs + 1):  # the first fills the disk's cache and is left out
        command = [*PAGETIDE, "read", str(page), "-f", "txt", "--model", "pp-ocrv6"]
        ours.append(run(command).seconds)
        theirs.append(run([sys.executable, "-c", THREE_LINES, str(page)]).seconds)
    return [
        at_least(
            "one image, whole process, cold, three-line RapidOCR script",
            ours=f"{statistics.median(ours[1:]):.2f} s",
            peer=f"{statistics.median(theirs[1:]):.2f} s",
            ratios=[b / a for a, b in zip(ours[1:], theirs[1:], strict=True)],
            bar=2.5,
        )
    ]


def ten_k(document: Path, runs: int = 3) -> list[Row]:
    """The 238-page 10-K from its text layer, whole process, to JSON."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*PAGETIDE, "read", str(document), "-f", "json", "-o", folder, "--force"]
        command += ["--text-layer", "only"]
        seconds = [run(command).seconds for _ in range(runs)]
    best = statistics.median(seconds)
    return [
        Row(
            measure="238-page 10-K, text layer, whole process",
            ours=f"{best:.2f} s",
            peer="",
            value=f"{best:.2f} s",
            bar="≤ 4 s",
            holds=best <= 4,
        )
    ]


def memory(mixed: Path, few: int = 8, many: int = 200) -> list[Row]:
    """Peak memory of 200 pages read as pictures against 8, streamed."""
    with tempfile.TemporaryDirectory() as folder:
        documents = [repeated(mixed, pages, Path(folder)) for pages in (few, many)]
        peaks = [
            int(run([sys.executable, "-c", STREAM, str(document)]).printed) / 1024
            for document in documents
        ]
    growth = peaks[1] / peaks[0]
    return [
        Row(
            measure=f"peak memory, {many} scanned pages against {few}",
            ours=f"{peaks[1]:.0f} MB",
            peer=f"{peaks[0]:.0f} MB",
            value=f"{growth:.2f}×",
            bar="≤ 1.2×",
            holds=growth <= 1.2,
        )
    ]


# The kernel's own high-water mark. `wait4` reports no less than the memory of the process that
# started this one at that moment: the benchmark itself, with its peers' models.
STREAM = """
import sys, pagetide
for page in pagetide.read_pages(sys.argv[1], text_layer="never"):
    assert page.lines and not page.error
print(next(line.split()[1] for line in open("/proc/self/status") if "VmHWM" in line))
"""


def import_time(runs: int = 5) -> list[Row]:
    """`import pagetide`: seconds, and what it loads."""
    code = (
        "import sys, time; t = time.perf_counter(); import pagetide; "
        "print(time.perf_counter() - t, *sys.modules)"
    )
    seconds, loaded = [], set()
    for _ in range(runs):
        done = subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        )
        first, *modules = done.stdout.split()
        seconds.append(float(first))
        loaded |= {module for module in LIGHT if module in modules}
    took = statistics.median(seconds)
    return [
        Row(
            measure="import pagetide",
            ours=f"{took:.3f} s",
            peer="",
            value=f"{took:.3f} s, loads {', '.join(sorted(loaded)) or 'no runtime'}",
            bar="≤ 0.3 s, no runtime",
            holds=took <= 0.3 and not loaded,
        )
    ]


def run(command: list[str]) -> Run:
    """Run a command to its end.

    Raises:
        SystemExit: It fails; the message has the end of its output.
    """
    started = time.perf_counter()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(f"{command[:4]} failed:\n{ended.stderr[-2000:]}")
    return Run(seconds=time.perf_counter() - started, printed=ended.stdout)


def repeated(mixed: Path, pages: int, folder: Path) -> Path:
    """A PDF with this many pages: a scan and two drawn ones of the sample, repeated."""
    source, writer = PdfReader(mixed), PdfWriter()
    for i in range(pages):
        writer.add_page(source.pages[UPRIGHT[i % len(UPRIGHT)]])
    path = folder / f"{pages}.pdf"
    writer.write(path)
    return path
