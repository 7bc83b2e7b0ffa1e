"""The facts that olmOCR-bench checks on a page, and whether they are true of its Markdown.

Format and rules: https://github.com/allenai/olmocr, `olmocr/bench/tests.py` at dc802aa; the
code is our own. A fact of type `math` is true only if a formula of the page equals its LaTeX
letter by letter, which the benchmark accepts without rendering; it renders the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import normalize

from msgspec import Struct

from bench.public.near import alike, holds, starts_of
from bench.public.table_grid import Grid, Place, grids

BASELINE = "baseline"
_MARKS = (
    (r"\*\*(.*?)\*\*", 1),
    (r"__(.*?)__", 1),
    (r"(\*\*|__)(.*?)\1", 2),
    (r"(\*|_)(.*?)\1", 2),
)
_ALIKE = str.maketrans("‘’‚“”„＿–—‑‒−µ", "'''\"\"\"_-----μ")
_FORMULAS = (r"\\\((.+?)\\\)", r"\\\[(.+?)\\\]", r"\$\$(.+?)\$\$", r"\$(.+?)\$")
_IMAGE = re.compile(r"!\[.*?\]\(.*?\)")
# Chinese, Japanese and emoji: no page of the benchmark has them.
_STRANGE = re.compile(
    "[\u4e00-\u9fff\u3040-\u30ff\U0001f300-\U0001f5ff\U0001f600-\U0001f64f\U0001f1e0-\U0001f1ff]"
)


class Fact(Struct, kw_only=True, frozen=True):
    """A line of a `.jsonl` file; `type` decides which of the fields count."""

    pdf: str
    page: int
    id: str
    type: str
    max_diffs: int = 0
    text: str = ""
    case_sensitive: bool = True
    first_n: int | None = None
    last_n: int | None = None
    before: str = ""
    after: str = ""
    cell: str = ""
    up: str = ""
    down: str = ""
    left: str = ""
    right: str = ""
    top_heading: str = ""
    left_heading: str = ""
    math: str = ""
    ignore_dollar_delimited: bool = False
    max_length: int | None = None
    max_length_skips_image_alt_tags: bool = False
    max_repeats: int = 30
    check_disallowed_characters: bool = True


def passed(fact: Fact, markdown: str) -> bool | None:
    """Whether a fact is true of a page's Markdown; None for types not in the benchmark."""
    match fact.type:
        case "present" | "absent":
            return _is_there(fact, markdown) is (fact.type == "present")
        case "order":
            return _in_order(fact, markdown)
        case "table":
            return any(_table_holds(fact, grid) for grid in grids(markdown, plain))
        case "math":
            return fact.math in _formulas(fact, markdown)
        case "baseline":
            return _is_sane(fact, markdown)
    return None


def plain(text: str) -> str:
    """Text as facts are searched in it: no Markdown marks, single spaces, plain signs."""
    text = re.sub(r"<br/?>", " ", text)
    for mark, group in _MARKS:
        text = re.sub(mark, rf"\{group}", text)
    text = re.sub(r"\s+", " ", re.sub(r"</?[bi]>", "", text))
    return normalize("NFC", text).translate(_ALIKE)


def _is_there(fact: Fact, markdown: str) -> bool:
    wanted, text = plain(fact.text), plain(markdown)
    if not fact.case_sensitive:
        wanted, text = wanted.lower(), text.lower()
    if fact.first_n or fact.last_n:
        ends = (text[: fact.first_n or 0], text[-fact.last_n :] if fact.last_n else "")
        text = "".join(ends)
    if len(text) < len(wanted) - fact.max_diffs:
        return False
    return holds(text, wanted, fact.max_diffs)


def _in_order(fact: Fact, markdown: str) -> bool:
    text = plain(markdown)
    before = starts_of(text, plain(fact.before), fact.max_diffs)
    after = starts_of(text, plain(fact.after), fact.max_diffs)
    return bool(before and after) and min(before) < max(after)


def _table_holds(fact: Fact, grid: Grid) -> bool:
    cells = [cell for cell, text in grid.texts.items() if _same(fact, plain(fact.cell), text)]
    return any(all(_beside(fact, grid, cell)) for cell in cells)


def _beside(fact: Fact, grid: Grid, cell: Place) -> Iterable[bool]:
    for way in ("up", "down", "left", "right"):
        if wanted := plain(getattr(fact, way)):
            yield any(_same(fact, wanted, grid.texts[one]) for one in grid.beside(cell, way))
    for way, said in (("up", fact.top_heading), ("left", fact.left_heading)):
        if wanted := plain(said):
            yield any(_same(fact, wanted, grid.texts[one]) for one in grid.headings(cell, way))


def _same(fact: Fact, wanted: str, text: str) -> bool:
    return alike(wanted, text) >= max(0.5, 1 - fact.max_diffs / max(len(wanted), 1))


def _formulas(fact: Fact, markdown: str) -> list[str]:
    found = []
    for delimited in _FORMULAS[: 2 if fact.ignore_dollar_delimited else None]:
        found += [each.strip() for each in re.findall(delimited, markdown, re.DOTALL)]
        markdown = re.sub(delimited, "", markdown, flags=re.DOTALL)
    return found


def _is_sane(fact: Fact, markdown: str) -> bool:
    """Whether a page has text, and does not end in endless repetition."""
    counted = _IMAGE.sub("", markdown) if fact.max_length_skips_image_alt_tags else markdown
    letters = sum(map(str.isalnum, counted))
    if fact.max_length is not None:
        return letters <= fact.max_length
    if not letters or max(_repeats(markdown)) > fact.max_repeats:
        return False
    return not (fact.check_disallowed_characters and _STRANGE.search(markdown))


def _repeats(markdown: str) -> list[int]:
    """How often the last one to five characters are repeated at the end."""
    text = re.sub(r"\s+", " ", markdown)
    counts = []
    for size in range(1, min(5, len(text)) + 1):
        end = len(text)
        while end >= size and text[end - size : end] == text[-size:]:
            end -= size
        counts.append((len(text) - end) // size)
    return counts
