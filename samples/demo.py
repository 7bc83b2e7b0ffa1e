"""Read the samples through the real engine and show what was found: `make demo`."""

from __future__ import annotations

import time
from pathlib import Path

import pagetide
from pagetide.exports import FORMATS
from pagetide.reading import Reader

SAMPLES = Path(__file__).resolve().parent
OUT = SAMPLES.parent / "out" / "demo"
FILES = ("mixed.pdf", "receipt.jpg", "two_columns.png", "table.png", "chinese_english.png")


def main() -> None:
    """Read every sample, write every format, print a table."""
    OUT.mkdir(parents=True, exist_ok=True)
    print(f"{'file':20} {'pages':>5} {'lines':>6} {'words':>6} {'s/page':>7}  first line")
    with pagetide.open_reader() as reader:
        for name in FILES:
            show(reader, SAMPLES / name)
    print(f"\nAs {', '.join(FORMATS)} in {OUT.relative_to(SAMPLES.parent)}/: open mixed.pdf")
    print("and search it, look at two_columns.png, read table.md.")


def show(reader: Reader, path: Path) -> None:
    """Read one sample, write it in every format, print its row."""
    started = time.perf_counter()
    document = reader.read(path)
    seconds = (time.perf_counter() - started) / len(document.pages)
    for form in FORMATS:
        for ending, content in pagetide.export(document, form, source=path):
            (OUT / (path.stem + ending)).write_bytes(content)
    lines = [line for page in document.pages for line in page.lines]
    words = sum(len(line.words) for line in lines)
    first = document.text.lstrip().partition("\n")[0][:40]
    pages = len(document.pages)
    print(f"{path.name:20} {pages:5} {len(lines):6} {words:6} {seconds:7.2f}  {first}")


if __name__ == "__main__":
    main()
