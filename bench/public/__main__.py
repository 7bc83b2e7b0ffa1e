"""Score folders of public benchmarks and print our row beside the published ones.

`python -m bench.public --omnidocbench FOLDER --puredocbench FOLDER --olmocr FOLDER`; with
`--own FOLDER` a handful of our own pages is written there in the three formats.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.corpus import PROJECT
from bench.public import olmocr, omnidocbench, own_pages, puredocbench
from bench.public.facts import passed
from bench.public.page_truth import PageTruth
from bench.public.reading import Reading
from bench.public.result import Result, spread, told
from pagetide import open_reader


def main() -> None:
    """Run the requested command."""
    parser = argparse.ArgumentParser(prog="python -m bench.public", description=__doc__)
    parser.add_argument("--omnidocbench", type=Path, help="with OmniDocBench.json and images/")
    parser.add_argument("--puredocbench", type=Path, help="with manifests/, gt/ and images/")
    parser.add_argument("--olmocr", type=Path, help="olmOCR-bench's bench_data")
    parser.add_argument(
        "--model", default="structure-lite", help="the model that reads the pages"
    )
    parser.add_argument(
        "--text-layer", choices=("auto", "never"), default="auto", help="of olmOCR-bench's PDFs"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="pages of each set")
    parser.add_argument("--json", type=Path, default=PROJECT / "out" / "bench-public.json")
    parser.add_argument("--own", type=Path, metavar="FOLDER", help="write our own pages here")
    arguments = parser.parse_args()
    if arguments.own:
        own_pages.write(arguments.own)
    elif not (arguments.omnidocbench or arguments.puredocbench or arguments.olmocr):
        parser.error("name the folder of a benchmark, or say --own")
    else:
        _measure(arguments)


def _measure(arguments: argparse.Namespace) -> None:
    told_of = {}
    with open_reader(arguments.model) as reader:
        for result in _results(arguments, Reading(reader, arguments.text_layer)):
            print(f"\n{told(result, arguments.model)}", flush=True)
            told_of[result.title] = {
                "model": arguments.model,
                "figures": dict(result.figures),
                "at_least": sorted(result.floors),
                "notes": list(result.notes),
                "pages": list(result.pages),
            }
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps(told_of, indent=1, ensure_ascii=False))


def _results(arguments: argparse.Namespace, reading: Reading) -> Iterator[Result]:
    if folder := arguments.omnidocbench:
        pages = omnidocbench.load(folder)
        yield _by_its_rules("OmniDocBench", "omnidocbench", pages, reading, arguments.limit)
    for track in puredocbench.TRACKS if arguments.puredocbench else ():
        if pages := puredocbench.load(arguments.puredocbench, track):
            title, name = f"PureDocBench, {track}", f"puredocbench-{track}"
            yield _by_its_rules(title, name, pages, reading, arguments.limit)
    if folder := arguments.olmocr:
        yield _facts(olmocr.load(folder), reading, arguments.limit)


def _by_its_rules(
    title: str,
    published: str,
    pages: Sequence[tuple[Path, PageTruth]],
    reading: Reading,
    limit: int | None,
) -> Result:
    reading = reading.anew()
    scores = [
        (picture.name, omnidocbench.score(truth, reading.markdown(picture)))
        for picture, truth in spread(pages, limit)
    ]
    notes = reading.notes(len(scores), len(pages))
    return omnidocbench.result(title, published, scores, notes)


def _facts(pages: Sequence[olmocr.Page], reading: Reading, limit: int | None) -> Result:
    reading = reading.anew()
    scores = []
    for page in spread(pages, limit):
        markdown = reading.markdown(page.pdf, page.number)
        held = [(name, fact, passed(fact, markdown)) for name, fact in page.facts]
        scores.append((f"{page.pdf.name}, page {page.number}", held))
    notes = [*reading.notes(len(scores), len(pages)), f"Text layers: {reading.text_layer}."]
    return olmocr.result(scores, notes)


if __name__ == "__main__":
    main()
