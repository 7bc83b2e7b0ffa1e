"""Tables of digital PDFs held against what people saw in them: rows, columns and text."""

from __future__ import annotations

import json
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pagetide
from pagetide.document import Table
from pagetide.reading import ReadOptions

RIGHT_SHAPE = 0.9  # of the tables: as many rows and columns as there are
RIGHT_WORDS = 0.97  # of the tables' words, each in a table


class Truth(HTMLParser):
    """How many rows and columns a table's HTML has, and its words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows = 0
        self.columns = 0
        self.words: Counter[str] = Counter()
        self._wide = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows += 1
            self._wide = 0
        elif tag in ("td", "th"):
            self._wide += int(dict(attrs).get("colspan") or 1)
            self.columns = max(self.columns, self._wide)

    def handle_data(self, data: str) -> None:
        self.words.update(_letters(data))


def _letters(text: str) -> Counter[str]:
    """Its letters and digits: the truth leaves out spaces, and writes some letters small."""
    return Counter(letter for letter in text.lower() if letter.isalnum())


def test_tables_of_digital_pages_have_their_rows_columns_and_text(corpus: Path) -> None:
    right = wanted = 0
    words, there = Counter[str](), Counter[str]()
    with pagetide.open_reader("structure-lite") as reader:
        for path in sorted((corpus / "truth" / "icdar2013pdf").glob("*.json")):
            truth = json.loads(path.read_text())
            pages = sorted(set(truth["table_pages"]))
            options = ReadOptions(pages=",".join(map(str, pages)), text_layer="only")
            document = reader.read(corpus / "icdar2013pdf" / path.stem, options)
            found: dict[int, list[Table]] = {
                page.number: [block.table for block in page.blocks if block.table]
                for page in document.pages
            }
            for html, number in zip(truth["tables"], truth["table_pages"], strict=True):
                table = Truth(html)
                shapes = [(each.rows, each.columns) for each in found[number]]
                right += (table.rows, table.columns) in shapes
                wanted += 1
                there += table.words
            for tables in found.values():
                for each in tables:
                    words += _letters("".join(cell.text for cell in each.cells))
    assert right >= RIGHT_SHAPE * wanted
    assert (there & words).total() >= RIGHT_WORDS * there.total()
