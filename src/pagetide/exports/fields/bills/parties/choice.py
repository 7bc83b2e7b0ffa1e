"""Seller and customer: the two most likely of all names with addresses on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from pagetide.exports.fields.bills.parties.address_blocks import (
    AddressBlock,
    address_blocks,
)
from pagetide.exports.fields.bills.parties.addresses import is_of_an_address
from pagetide.exports.fields.bills.parties.features import (
    Features,
    Surroundings,
    with_sole_address,
)
from pagetide.exports.fields.bills.parties.letterheads import is_bank, is_care_of
from pagetide.exports.fields.bills.parties.weights import WEIGHTS
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.languages.labels import plain

_BEST = 4  # candidates for either
_LETTERS = 5  # of a short name inside a longer one, at least
# Evidence that somebody may be billed: a label, or an address below, or a form of address. A
# name with an address after it on its line is a sender's.
_LABELS = ("customer_above", "customer_at_left")
Held = Sequence[tuple[str, float]]
"""The features that a name has."""
_PROOFS = ("coded", "street", "attention", "addressed", "salutation_above")


def parties_on(sheet: Sheet) -> tuple[AddressBlock | None, AddressBlock | None]:
    """The seller and the customer; None if there is none.

    Both are chosen together, as nobody bills themselves: a conditional logit model for each,
    fitted by `python -m bench.fitted_parties`.
    """
    blocks, features = candidates_on(sheet)
    proven = [_may_be_billed(each) for each in features]
    banks = [
        bool(each["bank"]) and is_bank(own.text)
        for own, each in zip(blocks, features, strict=True)
    ]
    held = [[(name, value) for name, value in each.items() if value] for each in features]
    sellers = _likeliest(held, WEIGHTS["supplier"], [not bank for bank in banks])
    customers = _likeliest(held, WEIGHTS["customer"], proven)
    likeliest_first = sorted(
        product(sellers, customers), key=lambda pair: pair[0][0] + pair[1][0], reverse=True
    )
    for (_, one), (_, other) in likeliest_first:
        if _may_be_two(blocks[one], blocks[other]):
            return blocks[one], _fullest(blocks[other], blocks)
    return (blocks[sellers[0][1]] if sellers else None), None


def _fullest(block: AddressBlock, blocks: Sequence[AddressBlock]) -> AddressBlock:
    """The same name and address with the most details, as a letter has above its slip."""
    own = {line.text for line in block.address}
    for other in blocks:
        more = [line.text for line in other.address if line.text not in own]
        is_same = other.text == block.text and len(other.address) == len(own) + len(more)
        if (
            is_same
            and more
            and all(is_care_of(text) or is_of_an_address(text) for text in more)
        ):
            return other
    return block


def candidates_on(sheet: Sheet) -> tuple[list[AddressBlock], list[Features]]:
    """The candidate names on a page, and their features."""
    blocks = address_blocks(sheet)
    if not blocks:
        return [], []
    around = Surroundings.of(sheet)
    return blocks, with_sole_address(
        [around.features(block, place) for place, block in enumerate(blocks)]
    )


def _may_be_billed(features: Features) -> bool:
    is_proven = any(features[proof] for proof in _PROOFS) and not features["in_one_line"]
    return is_proven or any(features[label] for label in _LABELS)


def _likeliest(
    held: Sequence[Held], weights: Mapping[str, float], among: Sequence[bool]
) -> list[tuple[float, int]]:
    """The highest sums of weights among the candidates, with their indexes."""
    places = [place for place, is_among in enumerate(among) if is_among]
    sums = [(_sum(held[place], weights), place) for place in places]
    return sorted(sums, reverse=True)[:_BEST]


def _sum(held: Held, weights: Mapping[str, float]) -> float:
    return sum([weights.get(name, 0.0) * value for name, value in held])


def _may_be_two(seller: AddressBlock, customer: AddressBlock) -> bool:
    own = {(p.line, p.x0) for p in (*seller.name, *seller.address)}
    theirs = {(p.line, p.x0) for p in (*customer.name, *customer.address)}
    return not own & theirs and not _is_in(plain(seller.text), plain(customer.text))


def _is_in(sign: str, name: str) -> bool:
    """Whether a name equals another, or is in it, as a trade name is in its legal name."""
    return sign == name or (len(sign) >= _LETTERS and sign in name)
