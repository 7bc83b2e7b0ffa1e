"""PureDocBench: pages drawn from HTML, clean, degraded by a program and photographed.

A release is a folder with `manifests/*.csv`, `gt/` and `images/`. A page's truth is one entry
of the JSON of OmniDocBench, whose evaluator its authors use; so it is used here.

Source: https://github.com/zhihengli-casia/PureDocBench, `docs/INFERENCE_SCORING.md`,
`scripts/validate_release_manifest.py` and `puredocbench/omnidocbench.py` of 2026-09.
"""

from __future__ import annotations

import csv
from pathlib import Path

import msgspec

from bench.public.page_truth import PageTruth

# The column of the manifest and the folder of pictures that each track has.
TRACKS = {
    "clean": ("clean_rel", "clean"),
    "digital": ("digital_rel", "digital_degraded"),
    "real": ("real_rel", "real_degraded"),
}


def load(folder: Path, track: str) -> list[tuple[Path, PageTruth]]:
    """The pages of a track in the manifest's order; empty if its pictures are missing.

    Raises:
        SystemExit: There is no manifest, or a page's truth has another format.
    """
    column, pictures = TRACKS[track]
    if not (folder / "images" / pictures).is_dir():
        return []
    pages = []
    for row in _manifest(folder):
        path = folder / "gt" / row["gt_rel"]
        try:
            truth = msgspec.json.decode(path.read_bytes(), type=PageTruth)
        except (OSError, msgspec.MsgspecError) as error:
            raise SystemExit(f"{path}: {error}") from error
        pages.append((folder / "images" / pictures / row[column], truth))
    return pages


def _manifest(folder: Path) -> list[dict[str, str]]:
    paths = sorted((folder / "manifests").glob("*manifest*.csv"))
    if not paths:
        raise SystemExit(
            f"{folder}: no manifests/*manifest*.csv, which names a release's pages."
        )
    with paths[0].open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    wanted = {"gt_rel", *(column for column, _ in TRACKS.values())}
    if not rows or wanted - set(rows[0]):
        raise SystemExit(f"{paths[0]}: it has no rows with {', '.join(sorted(wanted))}.")
    return rows
