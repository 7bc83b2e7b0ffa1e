"""The heads of a mail that was printed: labels with their values, a row each."""

from __future__ import annotations

import re

import pagetide
from tests.written_pdf import text, written_pdf


def test_the_heads_of_a_letter_by_mail_are_a_row_each() -> None:
    named = (
        (b"From:", b"Karin Holm"),
        (b"To:", b"Dispatch"),
        (b"Cc:", b"Warehouse two"),
        (b"Date:", b"3 Nov 2026 16:22"),
        (b"Sent by:", b"Mail 12"),
    )
    rows = b"".join(
        text(name, 60, 690 - 15 * row) + text(value, 140, 690 - 15 * row)
        for row, (name, value) in enumerate(named)
    )
    rules = b"60 706 480 0.7 re f 60 622 480 0.7 re f\n"
    prose = b"".join(
        text(b"The driver signed for eighteen pallets, but the list says twenty", 60, y)
        for y in (600, 586, 572)
    )
    document = pagetide.read(written_pdf(rules + rows + prose), text_layer="only")
    said = document.to_text()
    for name, value in named:
        assert re.search(rf"{name.decode()}\s+{value.decode()}", said)
