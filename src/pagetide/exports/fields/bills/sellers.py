"""Who bills, as bills name them: by the legal name, where the page has one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pagetide.exports.fields.bills.address_blocks import FOOT, AddressBlock
from pagetide.exports.fields.bills.letterheads import (
    bare_name,
    has_post_code,
    is_a_name,
    is_form,
    is_of_a_firm,
    is_of_an_address,
)
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.languages.labels import plain

_LETTERS = 5  # of a name that the foot has once more, at least
_FORM = 3  # words of it in which its legal form ends
_UNDER = 2  # lines below a firm's sign in which its legal name stands
_BETWEEN_PARTS = re.compile(r"\s*[,|·•]|\s[-–—/]\s")


def seller_named(block: AddressBlock, sheet: Sheet) -> tuple[Sequence[Phrase], str | None]:
    """A seller's name as phrases, and its text where that is not all of these.

    Firms say their legal names at the foot of a page, or below the name on their sign.
    """
    if legal := _legal(block, sheet) or _below(block):
        return [legal], None
    return block.name, bare_name(block.text)


def address_of(block: AddressBlock) -> Sequence[Phrase]:
    """The lines of a seller's address, without what stands between it and the name."""
    texts = [phrase.text for phrase in block.address]
    told = [at for at, text in enumerate(texts) if is_of_an_address(text)]
    if not told:
        return ()
    is_coded = any(map(has_post_code, texts))
    return block.address[told[0] : None if is_coded else told[-1] + 1]


def _below(block: AddressBlock) -> Phrase | None:
    if is_of_a_firm(block.text):
        return None
    lines = (line for line in block.address[:_UNDER] if not is_of_an_address(line.text))
    firm = next((line for line in lines if is_of_a_firm(line.text)), None)
    if firm is None:
        return None
    name = bare_name(_BETWEEN_PARTS.split(firm.text, maxsplit=1)[0])
    return firm.part(0, len(name)) if is_of_a_firm(name) and is_a_name(firm.text) else None


def _legal(block: AddressBlock, sheet: Sheet) -> Phrase | None:
    """A name as the page's foot has it whole; None where it does not say it."""
    own = plain("".join(phrase.text for phrase in block.name))
    for foot, said in _feet(sheet) if len(own) >= _LETTERS else ():
        bare = plain(said)
        before = bare.find(own)
        if before < 0 or (before and not is_form(said[: said.find(" ")])):
            continue  # a legal form may stand before a name
        ends = [word.end() for word in re.finditer(r"\S+", said)]
        ends = [end for end in ends if len(plain(said[:end])) >= before + len(own)]
        firm = [end for end in ends[:_FORM] if is_of_a_firm(said[:end])]
        end = firm[0] if firm else ends[0]
        is_sentence = said[end - 1] == "." and said[end : end + 2].strip().isupper()
        return foot.part(0, end - is_sentence)
    return None


def _feet(sheet: Sheet) -> Iterator[tuple[Phrase, str]]:
    """The lines at the foot of a page, with what each says first."""
    top = FOOT * sheet.page.height
    for row in sheet.rows:
        for foot in row:
            if foot.y0 > top:
                yield foot, _BETWEEN_PARTS.split(foot.text, maxsplit=1)[0]
