"""A page's whole text in reading order, beside Tesseract's: `python -m bench.text_order`."""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import unicodedata
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median

from bench.corpus import CORPUS, BenchPage, TruthLine, pages
from bench.metrics import ALIKE
from bench.order_quality import edits
from bench.rows import Row
from pagetide import ReadOptions, open_reader
from pagetide.settings import available_cores

MODEL = "structure-lite"
LANGUAGES = {"en": "eng", "de": "deu"}
MARGIN = 0.08  # of the page's height: text there is drawn first or last, as programs like


@dataclass(frozen=True, kw_only=True)
class ReadText:
    """A page's true text, and both results."""

    page: BenchPage
    ours: str
    theirs: str

    @cached_property
    def truth(self) -> str:
        """The text in its right order, as well as it is known."""
        return plain(" ".join(line.text for line in in_order(self.page.lines, self._height)))

    @property
    def _height(self) -> float:
        return max(line.box[3] for line in self.page.lines)

    @cached_property
    def errors(self) -> tuple[int, int]:
        """Edits from our text and from theirs."""
        ours, theirs = (plain(text) for text in (self.ours, self.theirs))
        return _edits(self.truth, ours), _edits(self.truth, theirs)

    @property
    def is_sane(self) -> bool:
        """Whether the page was drawn in an order that can be its reading order.

        It is not if a line is more than two line heights above the one before it
        without being right of it: nobody reads back up a column.
        """
        lines = in_order(self.page.lines, self._height)
        usual = median(line.box[3] - line.box[1] for line in lines)
        return not any(
            after.box[1] < before.box[1] - 2 * usual and after.box[0] < before.box[2]
            for before, after in itertools.pairwise(lines)
        )


def in_order(lines: Sequence[TruthLine], height: float) -> list[TruthLine]:
    """The truth's lines as drawn, but headers first and footers last.

    Args:
        lines: As drawn.
        height: The lowest line's bottom.
    """

    def place(line: TruthLine) -> int:
        return -1 if line.box[3] < MARGIN * height else int(line.box[1] > (1 - MARGIN) * height)

    return sorted(lines, key=place)


def plain(text: str) -> str:
    """The text with single spaces, and variants of one sign unified."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(ALIKE).split())


def read_all(model: str = MODEL) -> list[ReadText]:
    """The set `digital`, read as pictures by both."""
    chosen = pages("digital")
    with open_reader(model) as reader:
        ours = [
            reader.read(page.path, ReadOptions(text_layer="never")).pages[0].text
            for page in chosen
        ]
    with ThreadPoolExecutor(available_cores()) as processes:
        theirs = list(processes.map(tesseract, [page.path for page in chosen]))
    return [
        ReadText(page=page, ours=a, theirs=b)
        for page, a, b in zip(chosen, ours, theirs, strict=True)
    ]


def tesseract(page: Path) -> str:
    """Tesseract's text of a picture, by its own layout analysis.

    Raises:
        SystemExit: It is missing, or lacks the page's language.
    """
    command = ["tesseract", str(page), "-", "--psm", "3", "-l", LANGUAGES[_languages()[page]]]
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    try:
        ended = subprocess.run(command, env=environment, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(
            "The benchmark needs `apt-get install tesseract-ocr tesseract-ocr-deu`."
        ) from error
    return ended.stdout.decode()


def rows(model: str = MODEL) -> list[Row]:
    """The row of the table: over all pages, and over those drawn in order."""
    read = read_all(model)
    sane = [each for each in read if each.is_sane]
    ours, theirs = rates(read)
    return [
        Row(
            measure="text in reading order (digital), whole page's CER, Tesseract --psm 3",
            ours=f"{ours:.2f} %",
            peer=f"{theirs:.2f} %",
            value=f"{ours - theirs:+.2f} points",
            bar="< 0",
            holds=ours < theirs,
            note=f"All {len(read)} pages; their median {_both(medians(read))}. On the "
            f"{len(sane)} drawn in an order that can be read (no line goes back up its "
            f"column) {_both(rates(sane))}.",
        )
    ]


def rates(read: Sequence[ReadText]) -> tuple[float, float]:
    """Our edits and theirs per hundred characters of truth."""
    characters = sum(len(each.truth) for each in read)
    ours, theirs = (sum(each.errors[side] for each in read) for side in (0, 1))
    return 100 * ours / max(characters, 1), 100 * theirs / max(characters, 1)


def medians(read: Sequence[ReadText]) -> tuple[float, float]:
    """Our median page's error rate and theirs: one page alone does not move it."""
    of_pages = [rates([each]) for each in read]
    return median(ours for ours, _ in of_pages), median(theirs for _, theirs in of_pages)


def _both(pair: tuple[float, float]) -> str:
    return f"{pair[0]:.2f} % against {pair[1]:.2f} %"


def main() -> None:
    """Print every page's error rates."""
    parser = argparse.ArgumentParser(prog="python -m bench.text_order", description=__doc__)
    parser.add_argument("--model", default=MODEL)
    parser.add_argument("--out", type=Path, help="a folder for the texts")
    arguments = parser.parse_args()
    read = read_all(arguments.model)
    print("| page | drawn in order | Pagetide | Tesseract |\n| --- | --- | --- | --- |")
    for each in read:
        ours, theirs = rates([each])
        mark = "yes" if each.is_sane else "no"
        print(f"| {each.page.path.stem} | {mark} | {ours:.2f} % | {theirs:.2f} % |")
        if arguments.out:
            for name, text in (
                ("truth", each.truth),
                ("ours", each.ours),
                ("theirs", each.theirs),
            ):
                (arguments.out / f"{each.page.path.stem}.{name}.txt").write_text(text)
    for name, chosen in (("all", read), ("drawn in order", [r for r in read if r.is_sane])):
        ours, theirs = rates(chosen)
        print(f"| {name}, {len(chosen)} pages | | {ours:.2f} % | {theirs:.2f} % |")


def _languages() -> dict[Path, str]:
    items = map(json.loads, (CORPUS / "manifest.jsonl").read_text().splitlines())
    return {CORPUS / item["path"]: item["lang"] for item in items if item["set"] == "digital"}


def _edits(a: str, b: str) -> int:
    return edits([*map(ord, a)], [*map(ord, b)])


if __name__ == "__main__":
    main()
