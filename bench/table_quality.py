"""Tables beside other programs', by TEDS: `python -m bench.table_quality`.

The others run in an environment of their own, `.venv-peers`, which is created if missing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.corpus import CORPUS, PROJECT
from bench.rows import Row, table
from bench.teds import Pair, Scores, TablePage, Teds, scored, table_html
from pagetide import open_reader
from pagetide.document import Page
from pagetide.geometry import box_of
from pagetide.reading import Reader, ReadOptions

PEERS = PROJECT / ".venv-peers"
PACKAGES = ("pdfplumber", "camelot-py", "img2table", "rapid-layout", "onnxruntime")
METRIC = "table-recognition-metric"
OPENCV = ("opencv-python", "opencv-contrib-python", "opencv-contrib-python-headless")
# The settings each is known for; the best of them counts as the program's figure.
ON_PDF = {
    "pdfplumber": ("pdfplumber", "pdfplumber, lines else text"),
    "camelot": ("camelot lattice", "camelot lattice, else stream", "camelot hybrid"),
    "img2table": ("img2table", "img2table implicit"),
}
ON_PICTURES = {
    "img2table": ("img2table picture", "img2table picture implicit"),
    "rapid-layout + img2table": (
        "rapid-layout + img2table",
        "rapid-layout + img2table implicit",
    ),
}


def main() -> None:
    """Run the requested measures and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.table_quality", description=__doc__)
    parser.add_argument("--only", action="append", choices=("pdf", "icdar2013", "pubtabnet"))
    only = parser.parse_args().only or ["pdf", "icdar2013", "pubtabnet"]
    made_peers()
    rows: list[Row] = []
    with open_reader("structure-lite") as reader:
        if "pdf" in only:
            rows += digital(reader)
        for name in ("icdar2013", "pubtabnet"):
            if name in only:
                rows += pictures(reader, name)
    print(table(rows))


def digital(reader: Reader) -> list[Row]:
    """Tables of PDFs' pages that have tables."""
    ours: list[TablePage] = []
    asked: list[dict[str, Any]] = []
    for item, truth in items("icdar2013pdf"):
        numbers = sorted(set(truth["table_pages"]))
        path = CORPUS / item["path"]
        document = reader.read(path, ReadOptions(pages=",".join(map(str, numbers))))
        for page in document.pages:
            wanted = zip(truth["tables"], truth["table_pages"], strict=True)
            ours.append(_found(path.stem, page, [t for t, n in wanted if n == page.number]))
            asked.append({"path": str(path), "page": page.number})
    what = f"tables of digital PDFs, icdar2013pdf, {sum(len(p.truth) for p in ours)}"
    return compared(what, ours, asked, ON_PDF, together=True)


def pictures(reader: Reader, name: str) -> list[Row]:
    """Tables of a set of pictures; all programs get the words that we read."""
    ours: list[TablePage] = []
    asked: list[dict[str, Any]] = []
    for item, truth in items(name):
        path = CORPUS / item["path"]
        page = reader.read(path).pages[0]
        ours.append(_found(path.stem.split("_p")[0], page, truth["tables"]))
        asked.append({"path": str(path), "page": 1, "words": _words(page)})
    what = f"tables of pictures, {name}, {sum(len(p.truth) for p in ours)}"
    return compared(what, ours, asked, ON_PICTURES, together=False)


def compared(
    what: str,
    ours: Sequence[TablePage],
    asked: Sequence[dict[str, Any]],
    peers: Mapping[str, Sequence[str]],
    *,
    together: bool,
) -> list[Row]:
    """Rows of our scores beside the best of the peers, or beside each of them."""
    own = scored(ours, measured)
    best = {name: _best(settings, ours, asked) for name, settings in peers.items()}
    if together:
        name, theirs = max(best.items(), key=lambda each: each[1].text)
        note = "; ".join(f"{peer}: {_said(score)}" for peer, score in best.items())
        return [_row(what, name, own, theirs, ours, note=f"{note}; ours: {_said(own)}")]
    rows = []
    for name, theirs in best.items():
        note = f"{name}: {_said(theirs)}; ours: {_said(own)}"
        rows.append(_row(what, name, own, theirs, ours, note=note))
        rows.append(_row(what, name, own, theirs, ours, structure=True))
    return rows


def _best(
    settings: Sequence[str], ours: Sequence[TablePage], asked: Sequence[dict[str, Any]]
) -> Scores:
    """A program's best scores over its settings."""
    runs = []
    for setting in settings:
        answers = asked_of(setting, pages=list(asked))
        found = [
            TablePage(name=page.name, truth=page.truth, found=tuple(tables))
            for page, tables in zip(ours, answers, strict=True)
        ]
        runs.append(scored(found, measured))
    return max(runs, key=lambda scores: scores.text)


def _row(
    what: str,
    name: str,
    own: Scores,
    theirs: Scores,
    pages: Sequence[TablePage],
    *,
    structure: bool = False,
    note: str = "",
) -> Row:
    a, b = (s.structure if structure else s.text for s in (own, theirs))
    halves = ", ".join(
        f"{x.structure - y.structure if structure else x.text - y.text:+.3f}"
        for x, y in ((own.part(half), theirs.part(half)) for half in _halves(pages))
    )
    return Row(
        measure=f"{what}: {'structure TEDS' if structure else 'TEDS'}, {name}",
        ours=f"{a:.3f}",
        peer=f"{b:.3f}",
        value=f"{a - b:+.3f} (halves {halves})",
        bar="> 0",
        holds=a > b,
        note=note,
    )


def _halves(pages: Sequence[TablePage]) -> tuple[set[str], set[str]]:
    names = sorted({page.name for page in pages})
    return set(names[::2]), set(names[1::2])


def _said(scores: Scores) -> str:
    return (
        f"{scores.text:.3f}, structure {scores.structure:.3f}, "
        f"{scores.missed} missed, {scores.extra} extra"
    )


def _found(name: str, page: Page, truth: Sequence[str]) -> TablePage:
    tables = tuple(table_html(block.table) for block in page.blocks if block.table)
    return TablePage(name=name, truth=tuple(truth), found=tables)


def _words(page: Page) -> list[list[Any]]:
    return [
        [word.text, 0.9 if line.confidence is None else line.confidence, *box, number]
        for number, line in enumerate(page.lines)
        for word in line.words
        for box in [box_of(word.polygon)]
    ]


def items(name: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """A set's items of the corpus with their truth, by name.

    Raises:
        SystemExit: The corpus is missing.
    """
    if not CORPUS.is_dir():
        raise SystemExit(f"No corpus at {CORPUS}.")
    every = map(json.loads, (CORPUS / "manifest.jsonl").read_text().splitlines())
    chosen = sorted((i for i in every if i["set"] == name), key=lambda i: str(i["path"]))
    return [(i, json.loads((CORPUS / i["truth_path"]).read_text())) for i in chosen]


def measured(pairs: Sequence[Pair]) -> list[Teds]:
    """The TEDS of pairs, by the metric's own package."""
    different = list(dict.fromkeys(pairs))
    known = dict(zip(different, asked_of("teds", pairs=different), strict=True))
    return [(float(known[pair][0]), float(known[pair][1])) for pair in pairs]


def asked_of(program: str, **job: Any) -> list[Any]:
    """The answer of a program in the peers' environment."""
    ran = subprocess.run(
        [PEERS / "bin" / "python", Path(__file__).with_name("table_peers.py")],
        input=json.dumps({"program": program, **job}),
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise SystemExit(f"{program} failed:\n{ran.stderr[-2000:]}")
    answer: list[Any] = json.loads(ran.stdout)
    return answer


def made_peers() -> None:
    """Create the peers' environment if missing: with exactly one OpenCV."""
    done = PEERS / "made"
    if done.is_file():
        return
    subprocess.run([sys.executable, "-m", "venv", "--clear", PEERS], check=True)
    pip = [str(PEERS / "bin" / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", *PACKAGES, METRIC], check=True)
    # Each of them brings another OpenCV, and these overwrite one another's files.
    subprocess.run([*pip, "uninstall", "--yes", "opencv-python-headless", *OPENCV], check=True)
    one = ["install", "--force-reinstall", "--no-deps", "opencv-contrib-python-headless"]
    subprocess.run([*pip, *one], check=True)
    done.touch()


if __name__ == "__main__":
    main()
