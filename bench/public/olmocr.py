"""olmOCR-bench: true or false facts about pages of PDFs; the share of them that is true.

Format and rules: https://github.com/allenai/olmocr, the README and `benchmark.py` of
`olmocr/bench`; the code is our own. Formulas are not rendered (see `facts`), so figures
that include some are lower bounds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from bench.public.facts import BASELINE, Fact
from bench.public.result import Result, mean_of

MATH = ("arxiv_math", "old_scans_math")
COLUMNS = {
    "overall": "overall ↑",
    "without_math": "without formulas ↑",
    "arxiv_math": "arXiv math",
    "old_scans_math": "old scans, math",
    "table_tests": "tables",
    "old_scans": "old scans",
    "headers_footers": "headers, footers",
    "multi_column": "columns",
    "long_tiny_text": "tiny text",
    BASELINE: "baseline",
}


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page and its facts: each with the file it is in."""

    pdf: Path
    number: int
    facts: tuple[tuple[str, Fact], ...]


def load(folder: Path) -> list[Page]:
    """The pages with facts; each PDF without a `baseline` gets one for page 1.

    Raises:
        SystemExit: There are no facts, or a line is not one.
    """
    asked: dict[tuple[str, int], list[tuple[str, Fact]]] = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl")):
        for fact in _facts(path):
            asked[fact.pdf, fact.page].append((path.stem, fact))
    if not asked:
        raise SystemExit(
            f"{folder}: no *.jsonl with tests; olmOCR-bench has them in bench_data."
        )
    with_one = {
        pdf for (pdf, _), facts in asked.items() if any(f.type == BASELINE for _, f in facts)
    }
    for pdf in {pdf for pdf, _ in asked} - with_one:
        fact = Fact(pdf=pdf, page=1, id=f"{pdf}_{BASELINE}", type=BASELINE)
        asked[pdf, 1].append((BASELINE, fact))
    return [
        Page(pdf=folder / "pdfs" / pdf, number=number, facts=tuple(facts))
        for (pdf, number), facts in sorted(asked.items())
    ]


def result(
    scores: Sequence[tuple[str, Sequence[tuple[str, Fact, bool | None]]]], notes: Sequence[str]
) -> Result:
    """The benchmark's figures: for each file the share of true facts, and their mean."""
    held: dict[str, list[bool]] = defaultdict(list)
    for _, facts in scores:
        for name, _, ok in facts:
            if ok is not None:
                held[name].append(ok)
    figures: dict[str, Any] = {name: 100 * sum(of) / len(of) for name, of in held.items()}
    every = mean_of([figures[name] for name in sorted(held)])
    strange = sum(ok is None for _, facts in scores for _, _, ok in facts)
    count = sum(map(len, held.values()))
    return Result(
        title="olmOCR-bench",
        published="olmocr",
        columns=COLUMNS | {name: name for name in sorted(set(held) - set(COLUMNS))},
        figures=without_math({"overall": every, **figures}),
        floors=frozenset({"overall", *MATH} if set(MATH) & set(held) else ()),
        derived=without_math,
        notes=[
            *notes,
            f"{count} tests. `overall` is the mean of the files' shares; so is `without "
            "formulas`, without the two files that have formulas, computed here for each row.",
            "Formulas: a test passes only if the LaTeX is the same letter by letter; those "
            "that the benchmark renders and compares are counted as failed.",
            *(
                [f"{strange} tests of other types than the published set's are left out."]
                if strange
                else []
            ),
        ],
        pages=[
            {
                "page": name,
                "failed": [fact.id for _, fact, ok in facts if ok is False],
                "tests": len(facts),
            }
            for name, facts in scores
        ],
    )


def without_math(figures: dict[str, Any]) -> dict[str, Any]:
    """The figures with the mean of the files without formulas."""
    left_out = (*MATH, "overall")
    shares = [
        share
        for name, share in figures.items()
        if name not in left_out and isinstance(share, int | float)
    ]
    return {"without_math": mean_of(shares), **figures}


def _facts(path: Path) -> Iterable[Fact]:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.strip():
            try:
                yield msgspec.json.decode(line, type=Fact)
            except msgspec.MsgspecError as error:
                raise SystemExit(f"{path}, line {number}: {error}") from error
