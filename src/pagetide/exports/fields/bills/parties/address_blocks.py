"""Names with the lines below them, as in letterheads, envelope windows, boxes and footers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import takewhile
from math import inf

from msgspec import Struct

from pagetide.exports.fields.bills.parties.addresses import (
    has_post_code,
    is_of_an_address,
    is_post_box,
    is_street,
    may_be_a_house,
)
from pagetide.exports.fields.bills.parties.firms import is_entry, is_form, is_of_a_firm
from pagetide.exports.fields.bills.parties.letterheads import (
    PARTIES,
    attended,
    ends_head,
    is_a_name,
    is_address_label,
    is_attention,
    is_call,
    is_care_of,
    is_name_label,
    is_person,
    is_salutation,
)
from pagetide.exports.fields.bills.parties.titles import has_title, is_title
from pagetide.exports.fields.pairs.names import name_of
from pagetide.exports.fields.pairs.near import overlap
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.exports.fields.values.dates import has_date
from pagetide.structure.tables.pieces import has_figures

FOOT = 0.75  # of a page's height: below it is its foot
_LEADING = 1.15  # heights between lines of one block, at most
_FLUSH = 0.6  # heights between their edges or middles, at most
_ABOVE = 2.5  # heights between a name and what is above it, at most
_ROWS, _BESIDE = 300, 20  # rows that are examined, and phrases of one, at most
_MOST = 9  # lines below a name that are examined
_LARGER = 1.6  # times a name's letters: those of an address are no larger
_LARGE = 1.25  # times the usual letters: those of a name in two lines
_SAME = 0.05  # of a line's height: how much letters of one size differ
_POST_CODE = 6  # digits of one without a place name, at most
_FIGURES = 3  # digits of what follows a name on its line, at least
_PARTS = re.compile(r"\s+[-–—·•|*/]\s+|\s*[,·•|]\s+")
_COLUMNS = 3  # of rows of items, at least
_AMOUNT = re.compile(r"(?<![\d.,])\d[\d.,]*[.,]\d\d(?![\d.,])")
# Of a tax number, without its label.
_CODE = re.compile(r"(?=(?:\w*\d){5})[A-Z\d-]{8,}|[A-Z]{2}\s?(?:\d[. ]?){8,12}")
_GO_ON = ("& ", "„", "«", "“")  # start a line of a name that the line above does not end
_DEAR = re.compile(
    r"dear |sehr geehrte|guten tag|bonjour|madame, monsieur|estimad|gentil|geachte|hej ", re.I
)
_COUNTRY = re.compile(r"[A-Z]{2,3}")
_BESIDE_LETTERS = str.maketrans("", "", " ()'’.-")  # of a country's name


class AddressBlock(Struct, frozen=True, dict=True):
    """A name and its surroundings.

    Attributes:
        name: Its lines.
        address: The lines of the address below; none if a name is alone.
        contact: Those among them that name the contact person.
        above: The text over it in its column, or before it as its label.
        after: The lines below that are neither, such as a phone number.
        is_first: Whether no line of its block is above it.
    """

    name: tuple[Phrase, ...]
    address: tuple[Phrase, ...]
    above: str
    after: tuple[Phrase, ...]
    is_first: bool
    contact: tuple[Phrase, ...] = ()

    @cached_property
    def text(self) -> str:
        """The name, in one line."""
        return " ".join(phrase.text for phrase in self.name)


def address_blocks(sheet: Sheet) -> list[AddressBlock]:
    """The names above a page's items and at its foot with their addresses, from the top."""
    top = next((row[0].y0 for row in sheet.rows if _is_of_items(row)), inf)
    foot = FOOT * sheet.page.height
    rows = [row for row in sheet.rows if not top <= row[0].y0 < foot and len(row) <= _BESIDE]
    found: list[AddressBlock] = []
    for lines, over in _columns(rows[:_ROWS]):
        for at in range(len(lines)):
            if lines[at].y0 < top or lines[at].y0 > foot:
                above = lines[at - 1].text if at else over
                found += _blocks(lines[at:], above, sheet.usual, is_first=not at)
    return sorted(found, key=lambda block: (block.name[0].y0, block.name[0].x0))


def _is_of_items(row: Sequence[Phrase]) -> bool:
    """Whether a row has as many columns as items have, and one of them an amount."""
    return len(row) >= _COLUMNS and any(_AMOUNT.search(phrase.text) for phrase in row)


def _columns(rows: Sequence[Sequence[Phrase]]) -> list[tuple[list[Phrase], str]]:
    """Aligned and close lines, each block with the text near above it."""
    columns: list[tuple[list[Phrase], str]] = []
    near: list[list[Phrase]] = []  # blocks that may continue
    seen: list[Phrase] = []  # phrases that may be above one
    for row in rows:
        top = row[0].y0
        near = [own for own in near if top - own[-1].y1 <= 2 * _LEADING * own[-1].height]
        seen = [own for own in seen if top - own.y1 <= 2 * _ABOVE * own.height]
        for phrase in row:
            fitting = [lines for lines in near if _goes_on(lines[-1], phrase)]
            # A label for a party starts another block.
            if fitting and name_of(phrase.text) not in PARTIES:
                max(fitting, key=lambda lines: lines[-1].y1).append(phrase)
                continue
            over = [p for p in seen if overlap(p, phrase)]
            over = [p for p in over if phrase.y0 - p.y1 <= _ABOVE * p.height]
            text = max(over, key=lambda p: p.y1).text if over else ""
            columns.append(([phrase], text))
            near.append(columns[-1][0])
        seen += row
    return columns


def _goes_on(last: Phrase, phrase: Phrase) -> bool:
    if phrase.x0 >= last.x1 or phrase.x1 <= last.x0:
        return False  # as most are, in other columns
    own = last.height
    if phrase.y0 < last.y0 + 0.5 * own:
        return False
    height = min(own, phrase.height)
    left, right = phrase.x0 - last.x0, phrase.x1 - last.x1
    is_flush = min(abs(left), abs(right), abs(left + right)) < _FLUSH * height
    return is_flush and phrase.y0 - last.y1 <= _LEADING * height


def _blocks(
    lines: Sequence[Phrase], above: str, usual: float, *, is_first: bool
) -> Iterator[AddressBlock]:
    first, label = _without_label(lines[0])
    above = label or above
    if is_attention(first.text) and _is_nobody_else(lines, above, is_first=is_first):
        first = first.part(attended(first.text), len(first.text))
    if parted := _parted(first):
        yield AddressBlock((parted[0],), parted[1:], above, tuple(lines[1:]), is_first)
    is_wrapped = first.text[-1:] == "," and len(lines) > 1 and is_form(lines[1].text)
    if parted or not (_may_be_a_name(first.text) or is_wrapped):
        return
    name = (first, *takewhile(lambda line: _is_of_name(line, first, usual), lines[1:]))
    rest = lines[len(name) :]
    below, end = _address(rest, first)
    contact = tuple(_contacts(below, name[0].text))
    address = tuple(line for line in below if line not in contact) if contact else below
    yield AddressBlock(name, address, above, tuple(rest[end:]), is_first, contact)


def _is_nobody_else(lines: Sequence[Phrase], above: str, *, is_first: bool) -> bool:
    """Whether a letter's attention line names the only addressee."""
    is_asked = is_first or name_of(above.rstrip(" :")) in PARTIES
    return is_asked and not any(_may_be_a_name(line.text) for line in lines[1:2])


def _contacts(lines: Sequence[Phrase], name: str) -> Iterator[Phrase]:
    """The contact person's lines at a company: `z. Hd. Frau Loidl`, `Herrn Uwe Kröger`."""
    for line in lines:
        if is_attention(line.text) or (is_person(line.text) and not is_person(name)):
            yield line


def _may_be_a_name(text: str) -> bool:
    if not is_a_name(text) or _is_other(text) or is_salutation(text):
        return False
    if is_attention(text) or is_care_of(text) or is_address_label(text):
        return False
    is_firm = is_of_a_firm(text) and not is_street(text)
    return is_firm or not (has_title(text) or is_of_an_address(text))


def _without_label(line: Phrase) -> tuple[Phrase, str]:
    """A line without the label before it that says whose name it is, and that label."""
    if ":" not in line.text:
        return line, ""
    label, _, rest = line.text.partition(":")
    if not rest.strip():
        return line, ""
    if name_of(label) not in PARTIES and not is_name_label(label):
        return line, ""
    return line.part(len(label) + 1, len(line.text)), label


def _parted(line: Phrase) -> tuple[Phrase, ...]:
    """A name, and the address or numbers after it on a line that has both; or nothing."""
    text = line.text
    between = _PARTS.search(text) if has_figures(text) else None
    if between is None:
        return ()
    name, rest = text[: between.start()], text[between.end() :]
    if not is_a_name(name) or name[-1].isdigit() or is_of_an_address(name):
        return ()
    if sum(map(str.isdigit, rest)) < _FIGURES or not (is_of_a_firm(name) or _coded(rest)):
        return ()
    parts = [between.end(), *(part.end() for part in _PARTS.finditer(text, between.end()))]
    ends = [*(part.start() for part in _PARTS.finditer(text, between.end())), len(text)]
    coded = (e for s, e in zip(parts, ends, strict=True) if _coded(text[s:e]))
    end = next(coded, None)
    address = (line.part(between.end(), end),) if end else ()
    return (line.part(0, between.start()), *address)


def is_in_one_line(text: str) -> bool:
    """Whether a line has a post code after something else."""
    return _coded(text) and _PARTS.search(text) is not None


def _coded(text: str) -> bool:
    return has_post_code(text.strip())


def _is_of_name(line: Phrase, first: Phrase, usual: float) -> bool:
    """Whether a line continues a name: with its legal form, or in the same large letters."""
    if is_form(line.text) or line.text.startswith(_GO_ON):
        return True
    is_large = first.height > _LARGE * usual
    is_same = abs(line.height - first.height) < _SAME * first.height
    return is_large and is_same and is_a_name(line.text) and not is_of_an_address(line.text)


def _address(lines: Sequence[Phrase], name: Phrase) -> tuple[tuple[Phrase, ...], int]:
    """The lines of an address below a name, and where they end.

    Tax numbers or a title may be between the two; after a post code with its place only a
    country and the contact person follow.
    """
    found: list[Phrase] = []
    is_coded = False
    for at, line in enumerate(lines[:_MOST]):
        label, _, _ = line.text.partition(":")
        if is_address_label(label):
            line = line.part(len(label) + 1, len(line.text))
        text = line.text
        if line.height > _LARGER * name.height or _DEAR.match(text):
            return tuple(found), at
        if _is_other(text) and not (is_coded and _COUNTRY.fullmatch(text)):
            is_between = _is_number(text) or is_title(text)
            if not is_between or any(is_of_an_address(each.text) for each in found):
                return tuple(found), at
            continue
        if is_coded and not (is_attention(text) or _is_a_country(text)):
            return tuple(found), at
        found.append(line)
        is_coded |= has_post_code(text) and not may_be_a_house(text)
    return tuple(found), min(len(lines), _MOST)


def _is_a_country(text: str) -> bool:
    words = text.split()
    is_named = not (words[0][:1].islower() or words[-1][:1].islower())
    return is_named and text.translate(_BESIDE_LETTERS).isalpha()


@lru_cache(maxsize=512)  # a line is tested as a name, and below each name above it
def _is_other(text: str) -> bool:
    """Whether a line is not part of an address: contact details, a tax number, a title."""
    if is_attention(text) or is_care_of(text) or is_post_box(text):
        return False
    if not any(map(str.isalpha, text)) and 0 < sum(map(str.isdigit, text)) <= _POST_CODE:
        return has_date(text)
    return ends_head(text) or _is_number(text) or is_title(text)


def _is_number(text: str) -> bool:
    """Whether a line is a phone, tax or register number."""
    return is_call(text) or is_entry(text) or _CODE.fullmatch(text) is not None
