"""Small pages for tests, set from the samples' words: half as large as theirs, faster to read.

Nothing here needs an installed font: lines are broken by the widths of the font that the
imaging library includes, and PDFium draws the standard fonts by itself.
"""

from __future__ import annotations

from samples import words_office as office
from samples import words_quay as quay
from samples.sheet import Face, Sheet
from tests.drawing import font

A5 = (420.0, 595.0)
LEFT, RIGHT = 36.0, 384.0
MONO = 0.6  # a letter's width in the monospaced face, of its size


def measure(text: str, face: Face) -> float:
    """Width of the text in points at a size of 1 pt; exact for the monospaced face."""
    return len(text) * MONO if face.startswith("mono") else font(100).getlength(text) / 100


def sheet() -> Sheet:
    """An empty page."""
    return Sheet(measure=measure, width=A5[0], height=A5[1])


def letter() -> Sheet:
    """A letter: a head, an address, a date at the right, a greeting and a paragraph."""
    page = sheet()
    name, address = office.LETTER_HEAD
    page.write(LEFT, 48, name, 14, "serif_bold")
    page.write(LEFT, 62, address, 9, "serif")
    page.rule(LEFT, 70, RIGHT, 70)
    for i, line in enumerate(office.LETTER_TO):
        page.write(LEFT, 98 + 13 * i, line, 10, "serif")
    page.write(300, 160, office.LETTER_DATE, 10, "serif")
    page.write(LEFT, 184, office.LETTER_SUBJECT, 10, "serif_bold")
    end = page.paragraphs(LEFT, 208, RIGHT - LEFT, office.LETTER[:2], 10, "serif")
    for line in office.LETTER_SIGNED:
        page.write(LEFT, end + 14, line, 10, "serif")
        end += 14
    return page


def columns() -> Sheet:
    """An essay in two columns below a title across both."""
    page = sheet()
    page.write(LEFT, 56, quay.ARTICLE_TITLE, 18, "serif_bold")
    page.rule(LEFT, 66, RIGHT, 66)
    lines = [line for text in quay.ARTICLE[:1] for line in page.wrap(text, 164, 9, "serif")]
    half = (len(lines) + 1) // 2
    for x, part in ((LEFT, lines[:half]), (LEFT + 184, lines[half:])):
        for i, line in enumerate(part):
            page.write(x, 88 + 12.5 * i, line, 9, "serif")
    return page


def form() -> Sheet:
    """A form: questions, a rule below each place for an answer, and the answers."""
    page = sheet()
    page.write(LEFT, 56, "Berth application", 18, "bold")
    y = 92.0
    for asked, said in office.INVOICE_MARKS:
        page.write(LEFT, y, asked, 10, "sans")
        page.write(LEFT + 130, y, said, 9, "mono")
        page.rule(LEFT + 126, y + 4, RIGHT, y + 4)
        y += 26
    page.paragraphs(LEFT, y + 12, RIGHT - LEFT, office.NOTE_END, 9, "sans")
    return page


def log() -> Sheet:
    """A harbour's log in a monospaced face: the position of each letter is known."""
    page = sheet()
    page.write(LEFT, 52, "LOG OF THE EAST PONTOON", 12, "mono_bold")
    for i, row in enumerate(quay.SCHEDULE):
        page.write(LEFT, 80 + 22 * i, f"{row[7]}: {row[1]} made fast, {row[3]} m", 10, "mono")
    return page


def notice(*texts: str) -> Sheet:
    """Paragraphs in large letters."""
    page = sheet()
    page.paragraphs(LEFT, 80, RIGHT - LEFT, texts, 12, "sans")
    return page
