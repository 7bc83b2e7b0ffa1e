"""Who bills and who is billed: names with addresses, chosen at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Line
from pagetide.exports.fields.bills.parties.address_blocks import (
    AddressBlock,
    address_blocks,
)
from pagetide.exports.fields.bills.parties.choice import candidates_on, parties_on
from pagetide.exports.fields.bills.parties.sellers import seller_named
from pagetide.exports.fields.bills.parties.weights import WEIGHTS
from pagetide.exports.fields.phrases.sheet import Sheet, sheets
from tests.unit.test_fields import at, read

SELLER = ("Ropewalk Ltd", "4 Quay Street", "Leeds LS6 3QT")
BUYER = ("Minton Works", "Mill Lane 3", "York YO1 7HH")


def sheet(*lines: Line) -> Sheet:
    return next(sheets(read(*lines).pages[0]))


def block(x: float, y: float, *texts: str) -> list[Line]:
    return [at(x, y + 20 * n, text) for n, text in enumerate(texts)]


def told(found: AddressBlock) -> tuple[str, list[str]]:
    return found.text, [line.text for line in found.address]


def first(*lines: Line) -> tuple[str, list[str]]:
    return told(address_blocks(sheet(*lines))[0])


@pytest.mark.parametrize(
    ("lines", "address"),
    [
        (BUYER, BUYER[1:]),
        ((*BUYER, "UNITED KINGDOM"), (*BUYER[1:], "UNITED KINGDOM")),
        ((*BUYER, "Attn: Accounts"), BUYER[1:]),
        ((*BUYER, "Phone 0113 496 0000"), BUYER[1:]),
        ((*BUYER, "VAT No GB 284 7719 06"), BUYER[1:]),
        ((BUYER[0], "CIF B26481774", *BUYER[1:]), BUYER[1:]),
        ((BUYER[0], "FTS980317L52", *BUYER[1:]), BUYER[1:]),
        ((BUYER[0], "PO Box 614", "FIGTREE NSW 2525"), ("PO Box 614", "FIGTREE NSW 2525")),
        (
            (BUYER[0], "8 Forest Road", "Cape Town", "8001"),
            ("8 Forest Road", "Cape Town", "8001"),
        ),
        (("Nombre: Minton Works", "Domicilio: Mill Lane 3", BUYER[2]), BUYER[1:]),
        (("Minton Works · Mill Lane 3 · York YO1 7HH",), ("Mill Lane 3 · York YO1 7HH",)),
    ],
)
def test_an_address_is_what_stands_below_a_name(
    lines: tuple[str, ...], address: tuple[str, ...]
) -> None:
    assert first(*block(100, 200, *lines)) == (BUYER[0], list(address))


def test_a_partys_label_begins_another_block() -> None:
    [seller, *_] = address_blocks(sheet(*block(100, 200, "Ropewalk Ltd", "Bill to", *BUYER)))
    assert told(seller) == ("Ropewalk Ltd", [])


def test_a_name_in_large_letters_may_have_two_lines() -> None:
    large = [at(100, 0, "Seaview"), at(100, 34, "Rope Works")]
    tall = [
        Line(text=line.text, polygon=tuple((x, y * 2) for x, y in line.polygon), confidence=0.9)
        for line in large
    ]
    names = [found.text for found in address_blocks(sheet(*tall, *block(100, 300, *BUYER)))]
    assert "Seaview Rope Works" in names


def test_a_row_of_many_columns_has_no_names() -> None:
    names = [at(40 * n, 0, "Ann") for n in range(24)]
    assert address_blocks(sheet(*names, *block(0, 200, *BUYER)))[0].text == BUYER[0]


def test_nobody_bills_themselves() -> None:
    page = sheet(*block(600, 20, *SELLER), *block(60, 200, *BUYER), at(60, 400, "Invoice"))
    seller, customer = parties_on(page)
    assert seller and customer
    assert (told(seller), told(customer)) == (
        (SELLER[0], list(SELLER[1:])),
        (BUYER[0], list(BUYER[1:])),
    )


def test_a_label_tells_more_than_the_place() -> None:
    lines = [*block(60, 180, "From", *SELLER), *block(600, 180, "Bill to", *BUYER)]
    seller, customer = parties_on(sheet(*lines))
    assert seller and customer and (seller.text, customer.text) == (SELLER[0], BUYER[0])


def test_where_one_name_stands_it_is_who_bills() -> None:
    seller, customer = parties_on(sheet(*block(600, 20, *SELLER)))
    assert seller and (seller.text, customer) == (SELLER[0], None)


@given(st.lists(st.text("ab1 :·-–/|,.@€°\u00a0", max_size=14), max_size=8))
def test_any_lines_are_borne(texts: list[str]) -> None:
    """Whatever stands on a page, no name is empty and no line is of two parties."""
    lines = [at(100, 20 * n, text) for n, text in enumerate(texts) if text.strip()]
    if not lines:
        return
    seller, customer = parties_on(sheet(*lines))
    assert all(party.text.strip() for party in (seller, customer) if party)
    assert seller is None or customer is None or seller.text != customer.text


@pytest.mark.parametrize("addressed", ["Herrn", "Herr und Frau", "Gent.mo Sig.", "Eheleute"])
def test_how_somebody_is_addressed_is_no_name(addressed: str) -> None:
    names = [
        told(found) for found in address_blocks(sheet(*block(100, 200, addressed, *BUYER)))
    ]
    assert (BUYER[0], list(BUYER[1:])) in names
    assert addressed not in [name for name, _ in names]


def test_a_doctor_is_no_drive() -> None:
    assert first(*block(100, 200, "Dr. Anna Minton", *BUYER[1:])) == (
        "Dr. Anna Minton",
        list(BUYER[1:]),
    )


def test_what_is_no_country_ends_an_address() -> None:
    lines = block(100, 200, *BUYER, "Terms of delivery")
    assert first(*lines) == (BUYER[0], list(BUYER[1:]))


def test_a_name_goes_on_with_its_legal_form_behind_a_comma() -> None:
    name, _ = first(*block(100, 200, "Azulejos Minton,", "S.L.", *BUYER[1:]))
    assert name == "Azulejos Minton, S.L."


@pytest.mark.parametrize(
    ("sign", "said"),
    [
        ("Ropewalk", "Ropewalk Traders Ltd · 4 Quay Street · Leeds LS6 3QT"),
        ("Ropewálk", "Company: Ropewalk Traders Ltd"),
        ("* Rope-walk", "Ropewalk Traders Ltd"),
    ],
)
def test_a_seller_s_name_with_its_legal_form_may_stand_in_another_line(
    sign: str, said: str
) -> None:
    [found] = [each for each in address_blocks(sheet(at(60, 20, sign))) if each.text == sign]
    phrases, _ = seller_named(found, sheet(at(60, 20, sign), at(60, 300, said)))
    assert [phrase.text for phrase in phrases] == ["Ropewalk Traders Ltd"]


@pytest.mark.parametrize("party", WEIGHTS)
def test_the_weights_are_of_the_features_that_are_told(party: str) -> None:
    _, features = candidates_on(sheet(*block(100, 80, *SELLER), *block(100, 300, *BUYER)))

    assert all(each.keys() == WEIGHTS[party].keys() for each in features)
    assert len(features) == 2
