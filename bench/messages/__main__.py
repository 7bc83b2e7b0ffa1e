"""`python -m bench.messages [LANGUAGE ...]`: paragraphs that come back whole, by setting.

The machine's own messages, in twenty languages unless told, are printed by its browser in
thirteen settings and read again. A paragraph is whole if Markdown has it in one line; letters
count, signs and spaces do not. The figures depend on the machine's messages and fonts.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter

from bench.messages.catalogues import Texts
from bench.messages.settings import COUNT, SETTINGS, page
from bench.rows import Row, table
from pagetide import Reader, ReadOptions, open_reader
from pagetide.exports.text import markdown
from tests.browser import chromium

LANGUAGES = "bg ca cs da de el es fi fr hr hu it ja ko nl pl ro ru sv zh_CN".split()  # noqa: SIM905
BAR = 0.97
_SIGNS = re.compile(r"<[^<>]+>|[\W_]+")


def main() -> None:
    """Print a row for each setting."""
    parser = argparse.ArgumentParser(prog="python -m bench.messages", description=__doc__)
    parser.add_argument("languages", nargs="*", default=LANGUAGES)
    parser.add_argument("--seed", default="0", help="of another choice of messages")
    arguments = parser.parse_args()
    whole: Counter[str] = Counter()
    count: Counter[str] = Counter()
    with chromium() as browser, open_reader("structure-lite") as reader:
        sheet = browser.new_page()
        for language in arguments.languages:
            for name in SETTINGS:
                texts, html = _drawn(language, name, arguments.seed)
                sheet.set_content(html)
                lines = _lines(reader, sheet.pdf())
                whole[name] += sum(_bare(text) in lines for text in texts)
                count[name] += len(texts)
    print(table([_row(name, whole[name], count[name]) for name in SETTINGS]))
    print(table([_row("all", whole.total(), count.total())]))


def _drawn(language: str, name: str, seed: str) -> tuple[list[str], str]:
    """What must be read of a document, and its HTML."""
    drawn, setting = Texts(language, f"{seed} {name}"), SETTINGS[name]
    texts = [drawn.paragraph() for _ in range(COUNT)]
    html = page(setting, texts, language, drawn.chance)
    return [setting.truth(at, text) for at, text in enumerate(texts)], html


def _lines(reader: Reader, pdf: bytes) -> set[str]:
    document = reader.read(pdf, ReadOptions(text_layer="only"))
    return set(map(_bare, markdown.write(document).split("\n")))


def _bare(text: str) -> str:
    return _SIGNS.sub("", text).casefold()


def _row(name: str, whole: int, count: int) -> Row:
    share = whole / count
    return Row(
        measure=f"paragraphs whole, {name}",
        ours=f"{whole} of {count}",
        peer="",
        value=f"{100 * share:.1f} %",
        bar=f"≥ {100 * BAR:.0f} %",
        holds=share >= BAR,
    )


if __name__ == "__main__":
    main()
