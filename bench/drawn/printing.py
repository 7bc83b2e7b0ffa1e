"""Prints drawn documents with the browser that tests use: a PDF and its ground truth."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
from playwright.sync_api import Page

from bench.drawn.kinds import KINDS
from bench.drawn.markup import Maker, Sheets
from bench.drawn.style import css_of, style_of
from bench.drawn.truth import DrawnPage, DrawnTruth
from bench.drawn.words import Writer, writer_of
from tests.browser import chromium

_SCRIPT = (Path(__file__).parent / "sheets.js").read_text()


@dataclass(frozen=True)
class Drawn:
    """A document, printed.

    Attributes:
        truth: The content of its pages.
        pdf: The file's bytes.
    """

    truth: DrawnTruth
    pdf: bytes


Made = tuple[str, Writer, str, Sheets]
"""A document's kind, words, HTML and sheets."""


def made(seed: int) -> Made:
    """The kind, words, HTML and sheets of a seed, before anything is printed.

    Kinds alternate, so any twelve seeds in a row contain one document of each.
    """
    return made_in(seed)


def made_in(seed: int, language: str = "") -> Made:
    """The same in a given language instead of a random one."""
    kind = kind_of(seed)
    chance = random.Random(seed)  # noqa: S311 - the same seed draws the same
    writer = writer_of(chance)
    writer = Writer(language, chance) if language else writer
    maker = Maker(chance, writer, style_of(chance, writer.language))
    sheets = KINDS[kind](maker)
    return kind, writer, html_of(maker, sheets), sheets


def html_of(maker: Maker, sheets: Sheets) -> str:
    """A document as the browser gets it."""
    way = ' dir="rtl"' if maker.writer.language == "ar" else ""
    parts = [f'<template id="first">{sheets.first}</template>']
    if sheets.rest:
        parts.append(f'<template id="rest">{sheets.rest}</template>')
    cut = " data-cut" if sheets.cut else ""
    for name, flow in sheets.flows.items():
        parts.append(f'<template data-flow="{name}"{cut}>{flow}</template>')
    css = css_of(maker.style, *sheets.size) + sheets.css
    return (
        f'<!doctype html><html lang="{maker.writer.language}"{way}><meta charset="utf-8">'
        f"<style>{css}</style><body>{''.join(parts)}</body></html>"
    )


def kind_of(seed: int) -> str:
    """The kind of a seed's document."""
    return list(KINDS)[seed % len(KINDS)]


def printed(sheet: Page, seed: int, make: Callable[[int], Made] = made) -> Drawn:
    """The document of a seed, printed on a page of the browser."""
    kind, writer, html, sheets = make(seed)
    width, height = sheets.size
    sheet.set_viewport_size({"width": width, "height": height})
    sheet.emulate_media(media="print")
    sheet.set_content(html)
    told = msgspec.convert(sheet.evaluate(_SCRIPT), tuple[DrawnPage, ...])
    pdf = sheet.pdf(print_background=True, prefer_css_page_size=True)
    truth = DrawnTruth(
        seed=seed,
        kind=kind,
        language=writer.language,
        pages=told,
        fields=sheets.fields,
        items=sheets.items,
    )
    return Drawn(truth, pdf)


def documents(
    seeds: Iterable[int], draw: Callable[[Page, int], Drawn] = printed
) -> Iterator[Drawn]:
    """The documents of seeds, one after the other, with one browser."""
    with chromium() as browser:
        sheet = browser.new_page()
        for seed in seeds:
            yield draw(sheet, seed)
