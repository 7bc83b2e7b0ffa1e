"""What the ninth set of bills by others had: signs, letterheads, labels side by side."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pagetide.exports.fields.bills.parties.addresses import (
    has_post_code,
    is_of_an_address,
    is_street,
)
from pagetide.exports.fields.bills.parties.firms import is_of_a_firm
from pagetide.exports.fields.bills.parties.letterheads import (
    ends_head,
    is_a_name,
    is_attention,
    is_salutation,
)
from pagetide.exports.fields.bills.sums.tax_tables import TaxTable, tax_checks
from pagetide.exports.fields.pairs.names import name_of
from tests.unit.test_bill_checks import bill, broken
from tests.unit.test_fields import at, read
from tests.unit.test_parties import BUYER, SELLER, block


def _fields(*texts: tuple[float, float, str]) -> dict[str, str]:
    found = read(*(at(*each) for each in texts)).fields().bill
    assert found
    return {name: value.text for name, value in found.fields.items()}


SUMS = ((500.0, 700.0, "Total"), (640.0, 700.0, "36.00"))


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Auftrag Commande", "order_number"),
        ("Rundung Arrondi", "rounding"),
        ("Datum Date", "date"),
        ("Base imponible / Net total", "subtotal"),
        ("Rechnung Commande", ""),
    ],
)
def test_a_label_may_be_in_two_languages_side_by_side(label: str, name: str) -> None:
    assert name_of(label) == name


@pytest.mark.parametrize(
    ("sign", "legal"),
    [
        ("BRINKMEYER", "Elektro Brinkmeyer GmbH & Co. KG"),
        ("Harborlight", "Harborlight Software, Inc."),
        ("Suministros Ferrer", "Suministros Ferrer e Hijos, S.L."),
        ("Bellarine Supplies", "Bellarine Supplies Pty Ltd"),
    ],
)
def test_a_seller_has_the_legal_name_that_the_sign_is_in(sign: str, legal: str) -> None:
    lines = [(100.0, 40.0, sign), (100.0, 90.0, "Invoice 1177"), *SUMS]
    lines += [(100.0, 200.0 + 20 * n, line) for n, line in enumerate(BUYER)]
    lines += [(100.0, 1280.0, f"{legal} · 4 Quay Street · Leeds LS6 3QT")]
    assert _fields(*lines)["supplier"] == legal


def test_a_name_that_another_one_is_in_is_not_billed_by_it() -> None:
    lines = [(600.0, 40.0, "ROPEWALK"), (100.0, 90.0, "Invoice 1177"), *SUMS]
    lines += [(100.0, 180.0 + 20 * n, line) for n, line in enumerate(BUYER)]
    lines += [(100.0, 1240.0 + 20 * n, line) for n, line in enumerate(SELLER)]
    found = _fields(*lines)
    assert found["customer"] == BUYER[0] and found["supplier"] == SELLER[0]


@pytest.mark.parametrize("name", ["Zahnarztpraxis Dr. Ohlendorf", "Szkoła nr 4 im. M. Reja"])
def test_names_with_a_title_or_a_number_are_names(name: str) -> None:
    assert is_a_name(name) and not is_of_an_address(name) and not ends_head(name)


@pytest.mark.parametrize("text", ["fietsspaan.nl", "Menge ME", "Ilość J.m."])
def test_hosts_and_heads_side_by_side_are_none(text: str) -> None:
    assert not is_a_name(text)


def test_a_legal_form_that_begins_a_text_is_in_capitals() -> None:
    assert is_of_a_firm("SARL Kerleo") and not is_of_a_firm("Vos références")


def test_a_post_boxs_number_is_no_post_code() -> None:
    assert not has_post_code("PO Box 11207") and is_of_an_address("PO Box 11207")


@pytest.mark.parametrize("street", ["Kordonboyu Cad. No: 112", "Bd. Mihai Viteazul nr. 40"])
def test_a_houses_number_has_a_word_before_it(street: str) -> None:
    assert is_street(street) and not ends_head(street)


def test_how_to_address_somebody_is_in_two_languages() -> None:
    assert is_salutation("Frau / Madame") and is_attention("For the attention of accounts")


def test_a_tax_number_without_a_label_is_no_line_of_an_address() -> None:
    lines = [*block(100, 200, *BUYER, "BE 0688.410.297"), at(100, 40, SELLER[0])]
    lines += [at(100, 90, "Invoice 1177"), *(at(*each) for each in SUMS)]
    found = read(*lines).fields().bill
    assert found and found.fields["customer_address"].text == "\n".join(BUYER[1:])


def test_an_address_without_a_post_code_stands_below_who_is_addressed() -> None:
    lines = [(100.0, 40.0, SELLER[0]), (100.0, 90.0, "Invoice 1177"), *SUMS]
    own = ("Mr Cathal Heneghan", "Lisheen Lodge", "Curry", "Co. Sligo")
    lines += [(100.0, 200.0 + 20 * n, line) for n, line in enumerate(own)]
    assert _fields(*lines)["customer_address"] == "\n".join(own[1:])


def test_a_customer_that_is_a_code_is_a_number() -> None:
    found = _fields(
        (100.0, 90.0, "Invoice 1177"), (100.0, 120.0, "Kunde:"), (200.0, 120.0, "30442"), *SUMS
    )
    assert found["customer_number"] == "30442" and "customer" not in found


def test_a_date_keeps_the_stop_that_is_its_own() -> None:
    found = _fields(
        (100.0, 90.0, "Számla"), (100.0, 120.0, "Kelt:"), (200.0, 120.0, "2025.09.30."), *SUMS
    )
    assert found["date"] == "2025.09.30."


def test_a_number_stands_right_below_its_title() -> None:
    found = _fields(
        (100.0, 90.0, "FACTURA"), (300.0, 90.0, "CLIENTE"),
        (300.0, 120.0, "430-0672"), (100.0, 120.0, "A/25 003118"), *SUMS,
    )  # fmt: skip
    assert found["number"] == "A/25 003118" and found["customer_number"] == "430-0672"


def test_a_net_sum_below_items_with_their_taxes_is_right() -> None:
    found = bill(("Net total", "80.00"), ("VAT", "20.00"), ("Total incl. VAT", "100.00"))
    assert broken(found) == []


def test_a_band_of_sums_is_no_table_of_taxes() -> None:
    told = {"net": Decimal(30), "tax": Decimal(7), "gross": Decimal(42)}  # and five of carriage
    assert not list(tax_checks([TaxTable([told], {}, {})]))
    assert [each.holds for each in tax_checks([TaxTable([told, told], {}, {})])] == [False] * 2
