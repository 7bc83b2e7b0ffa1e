"""Words and letters read on pages whose text is known: `python -m bench.renders [--pages]`.

Digital pages rendered to pictures, and such pages degraded, of both halves of the corpora.
Pages in scripts that no bundled network reads are left out; `bench.fidelity` covers
them.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bench.corpus import true_lines
from bench.fidelity import HALVES, UNREAD, Half, items
from bench.metrics import Errors, FoundLine, character_errors
from bench.rows import Row, table
from bench.text_order import plain
from pagetide import Reader, ReadOptions, open_reader
from pagetide.document import Page
from pagetide.geometry import box_of

MODEL = "structure-lite"
SETS = ("digital", "degraded")
LOST = 50.0  # percent of a page's letters: more is not a reading
_EASTERN = r"\u3040-\u30ff\u3400-\u9fff"
# Signs around a word do not belong to it: leaders, bullets, quotes.
_WORD = re.compile(rf"[{_EASTERN}]|[^\W_{_EASTERN}](?:[^\s{_EASTERN}]*[^\W_{_EASTERN}])?")


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """The outcome for a page's words (spaces count) and letters (they do not)."""

    name: str
    true_words: int
    read_words: int
    right_words: int
    errors: Errors
    of_letters: Errors


def words_of(texts: Iterable[str]) -> Counter[str]:
    """The words of lines: runs without a space, or single letters of Chinese and Japanese."""
    return Counter(word for text in texts for word in _WORD.findall(plain(text)))


def main() -> None:
    """Print the table, with `--pages` a line for each page before it."""
    parser = argparse.ArgumentParser(prog="python -m bench.renders", description=__doc__)
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--model", default=MODEL)
    arguments = parser.parse_args()
    print(table(rows(arguments.model, tell=arguments.pages)))


def rows(model: str = MODEL, *, tell: bool = False) -> list[Row]:
    """Word recall and character errors, by half and set."""
    made: list[Row] = []
    with open_reader(model) as reader:
        for half in HALVES:
            for name in SETS:
                read = [_read(reader, item) for item in _readable(half, name)]
                for page in read if tell else ():
                    print(_told(page))
                made += _rows(f"{name}, {len(read)} pages {half}", read)
    return made


def _readable(half: Half, name: str) -> Iterator[dict[str, Any]]:
    for item in items(half, pictures=True):
        if item["set"] == name and item["lang"] not in UNREAD and item.get("truth_path"):
            yield item


def _read(reader: Reader, item: dict[str, Any]) -> Rendered:
    truth = true_lines(item["truth_at"])
    page = reader.read(item["at"], ReadOptions(text_layer="never")).pages[0]
    found = _found(page)
    true, read = (words_of(line.text for line in lines) for lines in (truth, page.lines))
    return Rendered(
        name=item["id"],
        true_words=true.total(),
        read_words=read.total(),
        right_words=(true & read).total(),
        errors=character_errors(truth, found),
        of_letters=character_errors(truth, found, str.isalnum),
    )


def _found(page: Page) -> list[FoundLine]:
    return [FoundLine(text=line.text, box=box_of(line.polygon)) for line in page.lines]


def _rows(what: str, read: list[Rendered]) -> Iterator[Row]:
    if not read:
        return
    true = sum(page.true_words for page in read)
    right = sum(page.right_words for page in read)
    found = sum(page.read_words for page in read)
    none = Errors(edits=0, characters=0)
    errors = sum((page.errors for page in read), none)
    letters = sum((page.of_letters for page in read), none)
    lost = [page.name for page in read if page.of_letters.percent > LOST]
    recall = 100 * right / true
    yield Row(
        measure=f"words read right, {what}",
        ours=f"{right:,} of {true:,}",
        peer="",
        value=f"{recall:.1f} %; {100 * right / max(found, 1):.1f} % of those read",
        bar="≥ 99 %",
        holds=recall >= 99,
    )
    if what.startswith("degraded"):  # its truth has the boxes of the page before that
        return
    yield Row(
        measure=f"character error rate, {what}",
        ours=f"{errors.edits:,} of {errors.characters:,}",
        peer="",
        value=f"{errors.percent:.2f} %; of letters and digits alone {letters.percent:.2f} %",
        bar="≤ 2 %",
        holds=errors.percent <= 2,
        note=f"Pages with more than half of their letters wrong: {', '.join(lost)}."
        if lost
        else "",
    )


def _told(page: Rendered) -> str:
    recall = 100 * page.right_words / max(page.true_words, 1)
    return (
        f"{page.name}: {recall:.1f} % of {page.true_words} words, {page.errors.percent:.2f} %"
    )


if __name__ == "__main__":
    main()
