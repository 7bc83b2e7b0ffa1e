"""The pages that the benchmarks read: the shared corpus, if it is beside the checkout."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
CORPUS = PROJECT.parent / "shared" / "corpus"
CORPUS_MORE = PROJECT.parent / "shared" / "corpus_more"
SAMPLES = PROJECT / "samples"
# Papers, forms, an invoice, tables: Chinese with Latin letters and figures.
_CHINESE = (
    "paddleocr_img/docs-datasets-images-CDLA_demo-val_0*.jpg",
    "paddleocr_img/s-185[35]*",
    "rapid_table_img/wired-table[1-4]*",
    "rapid_table_img/wired-wired_big_box*",
)


@dataclass(frozen=True, kw_only=True)
class TruthLine:
    """A line on the page; the box is x0, y0, x1, y1 in pixels."""

    text: str
    box: tuple[float, float, float, float]


@dataclass(frozen=True, kw_only=True)
class BenchPage:
    """A picture of a page and its text."""

    path: Path
    lines: tuple[TruthLine, ...]


def pages(name: str) -> list[BenchPage]:
    """The pictures of one of the corpus's sets, with their ground truth, by name.

    Raises:
        SystemExit: The corpus is missing.
    """
    if not CORPUS.is_dir():
        raise SystemExit(f"No corpus at {CORPUS}; run with --samples for the bundled pages.")
    items = map(json.loads, (CORPUS / "manifest.jsonl").read_text().splitlines())
    chosen = sorted((i for i in items if i["set"] == name), key=lambda i: str(i["path"]))
    return [
        BenchPage(path=CORPUS / item["path"], lines=true_lines(CORPUS / item["truth_path"]))
        for item in chosen
    ]


def true_lines(path: Path) -> tuple[TruthLine, ...]:
    """The lines of a ground-truth file of the corpus; none if it has none."""
    lines = json.loads(path.read_text()).get("lines") or []
    return tuple(TruthLine(text=line["text"], box=tuple(line["box"])) for line in lines)


def chinese_pages() -> list[Path]:
    """Ten pictures of Chinese pages, without ground truth.

    Raises:
        SystemExit: The corpus is missing.
    """
    found = sorted(path for pattern in _CHINESE for path in CORPUS_MORE.glob(pattern))
    if not found:
        raise SystemExit(f"No corpus at {CORPUS_MORE}; run with --samples.")
    return found
