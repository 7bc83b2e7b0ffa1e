"""OmniDocBench: text, tables, formulas and order of single pages, by the rules of its v1.5.

Format and rules: https://github.com/opendatalab/OmniDocBench (README and evaluator of
2025-09-25); the code is our own. CDM, which compares renderings of LaTeX, is missing: a formula
is compared letter by letter instead, and the overall figure counts CDM as 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import normalize

import msgspec

from bench.drawn.tree_edits import letters_apart, measured
from bench.order_quality import edits
from bench.public.assignment import assigned
from bench.public.matching import Match, costs_of, matched
from bench.public.near import apart
from bench.public.normal import letters, told
from bench.public.page_truth import FORMULA, IGNORED, Block, PageTruth, blocks_of
from bench.public.pieces import Piece, tables_and_pieces
from bench.public.result import Result, mean_of
from bench.teds import Teds, normalised, rows_of

SURE = 0.25  # closer than this a piece matches an ignored block
COLUMNS = {
    "overall": "overall ↑",
    "text_and_tables": "text and tables ↑",
    "text_edit": "text, edit ↓",
    "formula_cdm": "formulas, CDM ↑",
    "formula_edit": "formulas, edit ↓",
    "table_teds": "tables, TEDS ↑",
    "table_teds_s": "TEDS-S ↑",
    "order_edit": "order, edit ↓",
}
_OVERALL = (
    "`overall` is ((1 - text edit) · 100 + TEDS + CDM) / 3; `text and tables` is the same "
    "without CDM, worked out here from each row's own figures."
)


@dataclass(frozen=True, kw_only=True)
class PageScore:
    """A page's results; a pair of edits and letters, (0, 0) if it has none.

    Attributes:
        order: Edits in the order of blocks, 0–1; None if nothing was ordered.
        formulas_as: What matched each formula of the truth: `formula`, `text`, `nothing`.
    """

    text: tuple[int, int]
    formulas: tuple[int, int]
    tables: tuple[Teds, ...]
    order: float | None
    formulas_as: tuple[str, ...]

    @property
    def figures(self) -> dict[str, float | None]:
        """The page's own, by the names of `COLUMNS`; None if it has nothing of the kind."""
        return {
            "text_edit": _share(self.text),
            "formula_edit": _share(self.formulas),
            "table_teds": mean_of([100 * score for score, _ in self.tables]),
            "table_teds_s": mean_of([100 * score for _, score in self.tables]),
            "order_edit": self.order,
        }


def load(folder: Path) -> list[tuple[Path, PageTruth]]:
    """The benchmark's pages: a picture and its truth.

    Raises:
        SystemExit: The folder has no `OmniDocBench.json`, or it has another format.
    """
    path = folder / "OmniDocBench.json"
    try:
        truths = msgspec.json.decode(path.read_bytes(), type=list[PageTruth])
    except (OSError, msgspec.MsgspecError) as error:
        raise SystemExit(f"{path}: {error}") from error
    return [(folder / "images" / Path(each.page_info.image_path).name, each) for each in truths]


def score(truth: PageTruth, markdown: str) -> PageScore:
    """The distance of a page's Markdown from its truth."""
    tables, pieces = tables_and_pieces(markdown)
    scored, spare = _tables(truth, tables)
    pieces += [Piece(text=text, place=len(markdown), kind="text") for text in spare]
    blocks = blocks_of(truth)
    ignored = [block.text for block in blocks if block.kind in IGNORED]
    blocks = [block for block in blocks if block.kind not in IGNORED]
    pieces = [piece for piece in pieces if all(apart(t, piece.text) >= SURE for t in ignored)]
    found = matched([block.text for block in blocks], [piece.text for piece in pieces])
    texts = [match for match in found if _kind(blocks, match) != FORMULA]
    formulas = [match for match in found if _kind(blocks, match) == FORMULA]
    said_as = [
        pieces[match.pieces[0]].kind if match.pieces else "nothing" for match in formulas
    ]
    as_text = [match for match, said in zip(formulas, said_as, strict=True) if said == "text"]
    latex = [match for match in formulas if match not in as_text]
    return PageScore(
        text=_sum(_edits(blocks, pieces, match, as_text=True) for match in texts + as_text),
        formulas=_sum(_edits(blocks, pieces, match, as_text=False) for match in latex),
        tables=scored,
        order=_order(blocks, pieces, texts),
        formulas_as=tuple("formula" if said == "inline" else said for said in said_as),
    )


def _kind(blocks: Sequence[Block], match: Match) -> str:
    return Counter(blocks[place].kind for place in match.blocks).most_common(1)[0][0]


def result(
    title: str, published: str, scores: Sequence[tuple[str, PageScore]], notes: Sequence[str]
) -> Result:
    """The benchmark's figures over pages: each page with any of the kind counts alike."""
    pages: list[dict[str, object]] = [{"page": name, **page.figures} for name, page in scores]
    names = ("text_edit", "formula_edit", "table_teds", "table_teds_s", "order_edit")
    means = {name: mean_of([page.figures[name] for _, page in scores]) for name in names}
    formulas = Counter(said for _, page in scores for said in page.formulas_as)
    writes = formulas["formula"] > 0
    compared = writes or formulas["nothing"] > 0
    figures = with_overall({**means, "formula_cdm": 0.0 if compared else None})
    if writes:
        figures["formula_cdm"] = None
    return Result(
        title=title,
        published=published,
        columns=COLUMNS,
        figures=figures,
        floors=frozenset({"overall"} if writes else ()),
        derived=with_overall,
        notes=[*notes, _formula_note(formulas), _OVERALL],
        pages=pages,
    )


def with_overall(figures: dict[str, Any]) -> dict[str, Any]:
    """The figures with the mean of text and tables, and the overall one if there is none."""
    text, teds = figures.get("text_edit"), figures.get("table_teds")
    both = None if text is None or teds is None else (100 * (1 - text) + teds) / 2
    cdm = figures.get("formula_cdm")
    whole = None if both is None or cdm is None else (2 * both + cdm) / 3
    return {"text_and_tables": both, "overall": whole, **figures}


def _formula_note(formulas: Counter[str]) -> str:
    if not formulas:
        return "Formulas: none in these pages, so there is no overall figure."
    told = (
        f"Formulas: {formulas['formula']} were written as LaTeX, {formulas['nothing']} are "
        f"missing, {formulas['text']} were read as text and are compared as text, by the "
        "rules."
    )
    if formulas["formula"]:
        return (
            f"{told} LaTeX is compared letter by letter (edit); CDM, which renders it, is left "
            "out: `overall` counts it as 0 and is a lower bound."
        )
    if formulas["nothing"]:
        return f"{told} No LaTeX was written, so CDM is 0."
    return f"{told} None remains for CDM, so there is no overall figure."


def _tables(truth: PageTruth, found: Sequence[str]) -> tuple[tuple[Teds, ...], list[str]]:
    """The TEDS of each true table, and the texts of cells without a true one."""
    true = [each.html or "" for each in truth.layout_dets if each.category_type == "table"]
    if not true:
        return (), []
    pairs = dict(assigned(costs_of(true, found)))
    teds = [
        measured([(_clean(found[pairs[place]]), _clean(html))])[0]
        if place in pairs
        else (0.0, 0.0)
        for place, html in enumerate(true)
    ]
    spare = [table for place, table in enumerate(found) if place not in pairs.values()]
    cells = [text for table in spare for row in rows_of(table) for text, _, _ in row]
    return tuple(teds), [text for text in map(letters, cells) if text]


def _clean(html: str) -> str:
    return normalize("NFKC", normalised(html))


def _edits(
    blocks: Sequence[Block], pieces: Sequence[Piece], match: Match, *, as_text: bool
) -> tuple[int, int]:
    said = "".join(pieces[place].text for place in match.pieces)
    wanted = "".join(
        letters(told(blocks[place].raw))
        if as_text and blocks[place].kind == FORMULA
        else blocks[place].text
        for place in match.blocks
    )
    return letters_apart(wanted, said), max(len(wanted), len(said))


def _order(
    blocks: Sequence[Block], pieces: Sequence[Piece], matches: Sequence[Match]
) -> float | None:
    """Edits from the blocks as matched to their order; one of order 0 does not count."""
    told_at = sorted(
        (match for match in matches if match.pieces),
        key=lambda match: pieces[match.pieces[0]].place,
    )
    wanted = sorted(place for match in matches for place in match.blocks if blocks[place].order)
    visited = [place for match in told_at for place in match.blocks if blocks[place].order]
    longest = max(len(wanted), len(visited))
    return edits(wanted, visited) / longest if longest else None


def _sum(pairs: Iterable[tuple[int, int]]) -> tuple[int, int]:
    every = list(pairs)
    return sum(edited for edited, _ in every), sum(length for _, length in every)


def _share(pair: tuple[int, int]) -> float | None:
    return pair[0] / pair[1] if pair[1] else None
