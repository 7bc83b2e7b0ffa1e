"""Read the samples through the service and show the results: `make demo`."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pagetide
from pagetide.client import RemoteJob

SAMPLES = Path(__file__).resolve().parent
OUT = SAMPLES.parent / "out" / "demo"
FILES = ("mixed.pdf", "receipt.jpg", "two_columns.png", "table.png", "chinese_english.png")
FORMATS = ("json", "md", "txt", "html", "hocr", "pdf")


def main() -> None:
    """Start the service, submit every sample, watch, write every format, stop."""
    OUT.mkdir(parents=True, exist_ok=True)
    with served() as url, pagetide.Client(url) as client:
        print(f"Serving at {url} (its routes: {url}/docs)\n")
        started = time.perf_counter()
        jobs = {name: client.submit(SAMPLES / name, formats=FORMATS[1:]).id for name in FILES}
        print(f"{'file':20} {'status':10} {'pages':>5} {'lines':>6} {'words':>6}  first line")
        for name, job_id in jobs.items():
            client.wait(job_id, on_progress=lambda job: watch(name, job))  # noqa: B023
            show(client, name, job_id)
        seconds = time.perf_counter() - started
    pages = sum(1 for _ in OUT.glob("*.png"))
    print(
        f"\n{pages} pages in {seconds:.1f} s, {seconds / pages:.2f} s a page, start included."
    )
    print(
        f"As {', '.join(FORMATS)} and png in {OUT.relative_to(SAMPLES.parent)}/: open mixed.pdf"
    )
    print("and search it, look at two_columns.png, read table.md.")


@contextmanager
def served() -> Iterator[str]:
    """A separate server on a free port; stopped and removed afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = [sys.executable, "-m", "pagetide", "serve", "--port", "0", "--data", folder]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)  # noqa: S603
        assert process.stderr  # noqa: S101 - for the type
        try:
            line = next(line for line in process.stderr if "answers at" in line)
            # Its log must be read: once a pipe is full, the writer waits.
            threading.Thread(target=process.stderr.read, daemon=True).start()
            yield line.split("answers at ")[1].split(";")[0]
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def watch(name: str, job: RemoteJob) -> None:
    """Report a job's progress, on a terminal."""
    if sys.stdout.isatty():
        print(f"{name:20} {job.status:10} {job.pages_done}/{job.pages_total}", end="\r")


def show(client: pagetide.Client, name: str, job_id: str) -> None:
    """Save one sample's results in every format and print its row."""
    for form in FORMATS:
        client.save(job_id, OUT / f"{Path(name).stem}.{form}", format=form)
    document = client.document(job_id)
    for ending, picture in pagetide.export(document, "png", source=SAMPLES / name):
        (OUT / (Path(name).stem + ending)).write_bytes(picture)
    lines = [line for page in document.pages for line in page.lines]
    words = sum(len(line.words) for line in lines)
    first = document.text.lstrip().partition("\n")[0][:40]
    row = f"{name:20} {client.job(job_id).status:10} {len(document.pages):5} {len(lines):6}"
    print(f"{row} {words:6}  {first}")


if __name__ == "__main__":
    main()
