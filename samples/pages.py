"""The samples' pages: the words set on sheets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from samples import words_office as office
from samples import words_quay as quay
from samples.ink import measure
from samples.sheet import A4, Align, Sheet

LEFT, RIGHT = 62.0, 533.0


def invoice() -> Sheet:
    """An invoice with an address, marks, ten items and small print."""
    sheet = Sheet(measure=measure)
    name, *address = office.INVOICE_FROM
    sheet.write(LEFT, 70, name, 17, "bold")
    for i, line in enumerate(address):
        sheet.write(LEFT, 88 + 11 * i, line, 8.5, "sans")
    sheet.rule(LEFT, 122, RIGHT, 122, 1.2)
    for i, line in enumerate(office.INVOICE_TO):
        sheet.write(LEFT, 158 + 14 * i, line, 10.5, "sans")
    for i, (label, value) in enumerate(office.INVOICE_MARKS):
        sheet.write(340, 158 + 13 * i, label, 9, "sans")
        sheet.write(440, 158 + 13 * i, value, 9, "sans")
    sheet.write(LEFT, 268, "Invoice", 20, "bold")
    columns: list[tuple[float, Align]] = [
        (LEFT, "left"),
        (LEFT + 26, "left"),
        (380, "right"),
        (452, "right"),
        (RIGHT, "right"),
    ]
    heads = ("Pos", "Article", "Qty", "Price", "Amount")
    for x, head in zip((LEFT, LEFT + 26, 364, 427, 497), heads, strict=True):
        sheet.write(x, 300, head, 9.5, "bold")
    sheet.rule(LEFT, 306, RIGHT, 306)
    end = sheet.rows(322, office.INVOICE_ROWS, columns, 9.5, "sans", step=17)
    sheet.rule(LEFT, end - 6, RIGHT, end - 6)
    end += 12
    for label, amount in office.INVOICE_SUMS:
        sheet.write(350, end, label, 10, "bold")
        sheet.write(RIGHT, end, amount, 10, "sans", "right")
        end += 17
    sheet.paragraphs(LEFT, end + 40, RIGHT - LEFT, office.INVOICE_TERMS, 7.5, "sans")
    return sheet


def letter() -> Sheet:
    """A letter of one page, signed by hand."""
    sheet = Sheet(measure=measure)
    name, address = office.LETTER_HEAD
    sheet.write(A4[0] / 2, 62, name, 15, "serif_bold", "center")
    sheet.write(A4[0] / 2, 78, address, 8.5, "serif", "center")
    sheet.rule(LEFT, 88, RIGHT, 88)
    for i, line in enumerate(office.LETTER_TO):
        sheet.write(LEFT, 122 + 14 * i, line, 10.5, "serif")
    sheet.write(RIGHT, 196, office.LETTER_DATE, 10.5, "serif", "right")
    sheet.write(LEFT, 222, office.LETTER_SUBJECT, 10.5, "serif_bold")
    end = sheet.paragraphs(LEFT, 246, RIGHT - LEFT, office.LETTER, 10.2, "serif", gap=0.55)
    _sign(sheet, LEFT + 6, end + 16)
    end += 46
    for line in office.LETTER_SIGNED:
        sheet.write(LEFT, end, line, 10.2, "serif")
        end += 14
    sheet.paragraphs(LEFT, 788, RIGHT - LEFT, office.LETTER_SMALL, 7.5, "serif")
    return sheet


def _sign(sheet: Sheet, x: float, y: float) -> None:
    """A signature: strokes that are not text."""
    heights = (0, -16, 6, -9, 5, -6, 4, -14, 8, -5, 2, -4, 3, -2, 0)
    points = [(x + 7 * i, y + h) for i, h in enumerate(heights)]
    for (x0, y0), (x1, y1) in pairwise(points):
        sheet.rule(x0, y0, x1, y1, 1.1)


def report() -> Sheet:
    """A dense page of a report with footnotes and a page number."""
    sheet = Sheet(measure=measure)
    sheet.write(LEFT, 46, office.REPORT_TITLE, 8, "sans")
    sheet.rule(LEFT, 51, RIGHT, 51)
    sheet.write(LEFT, 78, office.REPORT_PART, 13, "bold")
    sheet.paragraphs(LEFT, 102, RIGHT - LEFT, office.REPORT, 10, "sans", gap=0.5)
    sheet.rule(LEFT, 752, LEFT + 150, 752)
    sheet.paragraphs(LEFT, 764, RIGHT - LEFT, office.REPORT_NOTES, 7, "sans", gap=0.2)
    sheet.write(A4[0] / 2 - 4, 812, "17", 8, "sans")
    return sheet


def rules() -> Sheet:
    """A page of small print in two columns, over a hundred lines."""
    sheet = Sheet(measure=measure)
    sheet.write(LEFT, 66, office.RULES_TITLE, 16, "serif_bold")
    sheet.rule(LEFT, 76, RIGHT, 76)
    _columns(sheet, 98, office.RULES, 9.4)
    sheet.write(RIGHT, 812, "Page 3 of 12", 8, "serif", "right")
    return sheet


def schedule() -> Sheet:
    """A wide table, for a page scanned sideways."""
    sheet = Sheet(measure=measure, width=A4[1], height=A4[0])
    sheet.write(60, 64, quay.SCHEDULE_TITLE, 16, "bold")
    columns: list[tuple[float, Align]] = [
        (66, "left"),
        (130, "left"),
        (300, "left"),
        (450, "right"),
        (530, "right"),
        (620, "right"),
        (700, "right"),
        (776, "right"),
    ]
    sheet.rule(60, 80, 782, 80, 1)
    sheet.rows(96, [quay.SCHEDULE_COLUMNS], columns, 10, "bold", step=0)
    sheet.rule(60, 103, 782, 103, 1)
    end = sheet.rows(121, quay.SCHEDULE, columns, 10, "sans", step=20.5)
    sheet.rule(60, end - 13, 782, end - 13, 1)
    sheet.write(60, end + 4, quay.SCHEDULE_NOTE, 8.5, "sans")
    return sheet


def notices() -> Sheet:
    """Three notices: French, German and English."""
    sheet = Sheet(measure=measure)
    y = 84.0
    for title, texts in (
        (quay.FRENCH_TITLE, quay.FRENCH),
        (quay.GERMAN_TITLE, quay.GERMAN),
        (quay.ENGLISH_TITLE, quay.ENGLISH),
    ):
        sheet.write(LEFT, y, title, 15, "serif_bold")
        y = sheet.paragraphs(LEFT, y + 24, RIGHT - LEFT, texts, 11.5, "serif") + 24
    return sheet


def delivery_note() -> Sheet:
    """A short note, for a page scanned upside down."""
    sheet = Sheet(measure=measure)
    sheet.write(LEFT, 90, office.NOTE_TITLE, 20, "bold")
    y = 130.0
    for label, value in office.NOTE_MARKS:
        sheet.write(LEFT, y, label, 11, "bold")
        sheet.write(LEFT + 110, y, value, 11, "sans")
        y += 18
    sheet.rule(LEFT, y, RIGHT, y)
    for amount, article in office.NOTE_ROWS:
        y += 22
        sheet.write(LEFT, y, amount, 11, "mono")
        sheet.write(LEFT + 110, y, article, 11, "mono")
    sheet.rule(LEFT, y + 12, RIGHT, y + 12)
    sheet.paragraphs(LEFT, y + 40, RIGHT - LEFT, office.NOTE_END, 10.5, "sans")
    return sheet


def receipt() -> Sheet:
    """A till receipt, 80 mm wide."""
    sheet = Sheet(measure=measure, width=226, height=470)
    name, *address = quay.RECEIPT_HEAD
    middle, left, right = 113.0, 14.0, 212.0
    sheet.write(middle, 38, name, 20, "mono_bold", "center")
    y = 56.0
    for line in address:
        sheet.write(middle, y, line, 9.5, "mono", "center")
        y += 14
    for rows, face in (
        (quay.RECEIPT_ROWS, "mono"),
        (quay.RECEIPT_SUMS, "mono_bold"),
        (quay.RECEIPT_TAIL, "mono"),
    ):
        sheet.rule(left, y, right, y)
        columns: Sequence[tuple[float, Align]] = ((left, "left"), (right, "right"))
        bold = face == "mono_bold"
        y = sheet.rows(y + 16, rows, columns, 10.5, "mono_bold" if bold else "mono", step=16)
        y -= 6
    sheet.rule(left, y, right, y)
    y += 18
    for line in quay.RECEIPT_END:
        sheet.write(middle, y, line, 9.5, "mono", "center")
        y += 14.5
    return sheet


def article() -> Sheet:
    """An essay in two columns under a heading across both."""
    sheet = Sheet(measure=measure)
    sheet.write(LEFT, 84, quay.ARTICLE_TITLE, 24, "serif_bold")
    sheet.write(LEFT, 104, quay.ARTICLE_BY, 9.5, "serif")
    sheet.rule(LEFT, 114, RIGHT, 114)
    _columns(sheet, 140, quay.ARTICLE, 10.6)
    sheet.write(A4[0] / 2, 806, "24", 9, "serif", "center")
    return sheet


def _columns(sheet: Sheet, top: float, texts: Sequence[str], size: float) -> None:
    """Set paragraphs in two columns of the same length."""
    column, gutter, leading = 224.0, 23.0, size * 1.3
    lines = []
    for text in texts:
        lines += [*sheet.wrap(text, column, size, "serif"), ""]
    half = len(lines) // 2 + (not lines[len(lines) // 2])
    for x, part in ((LEFT, lines[:half]), (LEFT + column + gutter, lines[half:])):
        y = top
        for line in part:
            if line:
                sheet.write(x, y, line, size, "serif")
            y += leading if line else 0.45 * leading


def tables() -> Sheet:
    """A ruled table and one without rules, each with a caption."""
    sheet = Sheet(measure=measure, height=600)
    sheet.write(LEFT, 62, quay.TABLE_TITLE, 15, "bold")
    y = sheet.paragraphs(LEFT, 84, RIGHT - LEFT, quay.TABLE_TEXT, 9.5, "sans")
    sheet.write(LEFT, y + 10, quay.RULED_CAPTION, 9.5, "bold")
    y = _grid(sheet, y + 20)
    sheet.write(LEFT, y + 34, quay.OPEN_CAPTION, 9.5, "bold")
    columns: list[tuple[float, Align]] = [(LEFT + 4, "left")]
    columns += [(x, "right") for x in (220.0, 298.0, 376.0, 454.0, 528.0)]
    sheet.rows(y + 56, quay.OPEN, columns, 10, "sans", step=19)
    return sheet


def _grid(sheet: Sheet, top: float) -> float:
    """The ruled table; returns its lower edge."""
    step, count = 21.0, len(quay.RULED)
    edges = [LEFT + (RIGHT - LEFT) * i / 6 for i in range(7)]
    for i in range(count + 1):
        sheet.rule(LEFT, top + step * i, RIGHT, top + step * i)
    for x in edges:
        sheet.rule(x, top, x, top + step * count)
    columns: list[tuple[float, Align]] = [(x + 8, "left") for x in edges[:-1]]
    sheet.rows(top + 14.5, quay.RULED[:1], columns, 9.5, "bold", step=step)
    sheet.rows(top + 14.5 + step, quay.RULED[1:], columns, 9.5, "sans", step=step)
    return top + step * count


def chinese() -> Sheet:
    """A page of Chinese and English with a small table."""
    sheet = Sheet(measure=measure, height=700)
    sheet.write(A4[0] / 2, 76, quay.CHINESE_TITLE, 20, "cjk_bold", "center")
    sheet.write(A4[0] / 2, 98, quay.CHINESE_SUBTITLE, 11, "cjk", "center")
    sheet.rule(LEFT, 110, RIGHT, 110)
    width = RIGHT - LEFT
    y = sheet.paragraphs(LEFT, 138, width, quay.CHINESE, 11.5, "cjk", leading=1.6)
    columns: list[tuple[float, Align]] = [
        (LEFT + 8, "left"),
        (190, "left"),
        (318, "left"),
        (446, "left"),
    ]
    top = y + 4
    for i in range(len(quay.CHINESE_TABLE) + 1):
        sheet.rule(LEFT, top + 24 * i, RIGHT, top + 24 * i)
    end = sheet.rows(top + 16, quay.CHINESE_TABLE, columns, 10.5, "cjk", step=24)
    sheet.write(LEFT, end + 24, quay.CHINESE_END, 10, "cjk")
    return sheet


def self_test() -> Sheet:
    """Ten lines for the program's self-test."""
    sheet = Sheet(measure=measure, width=330, height=230)
    for i, line in enumerate(quay.SELF_TEST):
        sheet.write(20, 30 + 20 * i, line, 11, "sans")
    return sheet
