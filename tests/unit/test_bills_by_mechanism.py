"""What the tenth and eleventh sets of bills had: labels, numbers, accounts, sums in bands."""

from __future__ import annotations

import pytest

from pagetide.exports.fields.bills.parties.letterheads import (
    is_bank,
    is_care_of,
    is_person,
)
from pagetide.exports.fields.pairs.labels_of_sums import named_among
from pagetide.exports.fields.pairs.names import name_of
from pagetide.exports.fields.pairs.sum_rows import sums_side_by_side
from pagetide.exports.fields.pairs.sums import is_payable, sum_of
from pagetide.exports.fields.phrases.sheet import sheets
from tests.unit.test_fields import at, read, told
from tests.unit.test_recipients import SELLER, SUMS


def _fields(*texts: tuple[float, float, str]) -> dict[str, str]:
    lines = [at(*each) for each in ((0, 300, "Rechnung"), *texts)]
    bill = read(*SELLER, *lines, *SUMS).fields().bill
    assert bill
    return {name: value.text for name, value in bill.fields.items()}


def test_a_label_that_names_two_has_both_values() -> None:
    pairs = told(read(at(0, 0, "Belegnummer / Datum"), at(300, 0, "9100274466 / 11.06.2025")))
    assert pairs == [
        ("number", "Belegnummer", "9100274466"),
        ("date", "Datum", "11.06.2025"),
    ]


@pytest.mark.parametrize(
    "line",
    ["Invoice no. / date 90014711 / 12.03.2025", "Belegnummer / Datum: 471 / 12.03.2025"],
)
def test_a_label_that_names_two_may_stand_in_one_line_with_both(line: str) -> None:
    pairs = told(read(at(0, 0, line)))
    assert [name for name, _, _ in pairs] == ["number", "date"]
    assert pairs[1][2] == "12.03.2025"


def test_one_value_is_not_parted() -> None:
    [(name, label, value)] = told(read(at(0, 0, "Belegnummer / Datum"), at(300, 0, "71-204")))
    assert (name, label, value) == ("", "Belegnummer / Datum", "71-204")


def test_a_box_has_its_number_before_its_label() -> None:
    assert name_of("2. Invoice number") == "number"
    assert told(read(at(0, 0, "2. Invoice number"), at(0, 20, "EX-2026-057"))) == [
        ("number", "2. Invoice number", "EX-2026-057")
    ]


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("Seria MSV nr. 0004418", "0004418"),
        ("État de frais n° 2025/0318", "2025/0318"),
        ("No. 1188, 3rd Cross Road", None),
        ("Kunde Nr. 30442", None),
        ("Ordre : n° 77120", None),
        ("RCS Paris n° 552 100 554", None),
        ("Agrément n° 552100", None),
        ("Compte bancaire n° 1044 7190", None),
    ],
)
def test_a_sign_tells_a_number_that_no_label_does(line: str, number: str | None) -> None:
    assert _fields((0, 440, line)).get("number") == number


def test_the_number_behind_two_words_of_a_title() -> None:
    assert _fields((0, 340, "TAX INVOICE 77120"))["number"] == "77120"
    assert _fields((0, 340, "Honorarrechnung 25.0318 Mandat 4417"))["number"] == "25.0318"


def test_an_account_may_stand_in_two_lines() -> None:
    rows = ((0, 500, "IBAN DE89 3704 0044"), (0, 520, "0532 0130 00"))
    assert _fields(*rows)["iban"].split() == ["DE89", "3704", "0044", "0532", "0130", "00"]


def test_an_account_with_wrong_check_digits_is_told_and_not_called_right() -> None:
    bill = read(
        *SELLER,
        at(0, 300, "Rechnung"),
        at(0, 500, "Sparkasse · IBAN DE77 7655 0000 0812 4410 09 · BIC BYLADEM1"),
        *SUMS,
    )
    found = bill.fields().bill
    assert found
    assert found.fields["iban"].text == "DE77 7655 0000 0812 4410 09"
    assert found.fields["iban"].kind != "iban"


def test_of_several_accounts_the_first_is_told() -> None:
    rows = (
        (0, 500, "IBAN DE89 3704 0044 0532 0130 00"),
        (0, 520, "IBAN GB29 NWBK 6016 1331 9268 19"),
    )
    assert _fields(*rows)["iban"] == "DE89 3704 0044 0532 0130 00"


def test_sums_side_by_side_may_have_a_rate_among_them() -> None:
    names = ("TOTALE MERCE", "IMPONIBILE", "ALIQUOTA", "IMPOSTA", "TOTALE DOCUMENTO")
    sums = ("1.480,37", "1.480,37", "22 %", "325,68", "1.806,05")
    rows = [at(180 * n, 0, text) for n, text in enumerate(names)]
    rows += [at(180 * n, 20, text) for n, text in enumerate(sums)]
    pairs = told(read(*rows))
    assert ("tax", "IMPOSTA", "325,68") in pairs
    assert ("total", "TOTALE DOCUMENTO", "1.806,05") in pairs


def test_rows_of_rates_are_no_sums_side_by_side() -> None:
    texts = [
        ("Satz", "Netto", "Steuer", "Brutto"),
        ("10 %", "10,00", "1,00", "11,00"),
        ("20 %", "5,00", "1,00", "6,00"),
    ]
    lines = [
        at(180 * n, 20 * row, text)
        for row, own in enumerate(texts)
        for n, text in enumerate(own)
    ]
    [sheet] = sheets(read(*lines).pages[0])
    assert not list(sums_side_by_side(sheet.rows))
    assert list(sums_side_by_side(sheet.rows[:2]))


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("IVA 22% su imponibile", "tax"),
        ("Amount now due", "total"),
        ("VAT thereon at 20%", "tax"),
        ("Total Amt Incl. GST @6%", "total"),
    ],
)
def test_what_a_sum_is_by_its_words(label: str, name: str) -> None:
    assert sum_of(label) == name


def test_what_is_left_to_pay_whatever_else_its_label_says() -> None:
    assert is_payable("Noch zu bezahlen")
    assert not is_payable("Gesamtbetrag brutto")


def test_one_of_several_payments_is_an_item() -> None:
    assert named_among("IBI 2025, cuota 6 de 12") == ""
    assert named_among("Cuota de IVA") == "tax"


def test_a_reference_without_a_figure_is_a_name() -> None:
    assert "order_number" not in _fields((0, 340, "Ihre Referenz: Camilla Ström"))
    assert _fields((0, 340, "Your ref: AUG-FREIGHT"))["order_number"] == "AUG-FREIGHT"


@pytest.mark.parametrize("name", ["Deutsche Bank AG", "Sparkasse Nürnberg", "Banco Real"])
def test_a_bank_is_no_seller(name: str) -> None:
    assert is_bank(name)
    rows = ((300, 560, name), (300, 580, "IBAN: DE89 3704 0044 0532 0130 00"))
    assert _fields(*rows)["supplier"] == "Papierhaus Seidel OHG"


def test_lines_of_an_address_that_are_no_names() -> None:
    assert is_care_of("c/o Möller Ekonomi")
    assert is_care_of("Inh. Selma Yilmaz")
    assert is_person("Herrn Uwe Kröger")
    assert not is_person("An Spidéal")


@pytest.mark.parametrize(
    "line",
    [
        "La Remise – EURL Kermadec Botanique au capital de 5 000 €",
        "La Remise est une marque de EURL Kermadec Botanique. Des frais de 2 %",
        "EURL Kermadec Botanique t/a La Remise, 56460 La Chapelle",
    ],
)
def test_a_trade_names_firm_bills(line: str) -> None:
    texts = (at(40, 40, "La Remise"), at(0, 300, "Facture"), at(0, 900, line))
    bill = read(*texts, *SUMS).fields().bill
    assert bill
    assert bill.fields["supplier"].text == "EURL Kermadec Botanique"


def test_a_box_may_have_its_number_before_a_label_with_its_value() -> None:
    assert told(read(at(0, 0, "1. Invoice number: INV-17"))) == [
        ("number", "1. Invoice number", "INV-17")
    ]


def test_who_is_to_have_it_is_billed_where_nobody_else_is_named() -> None:
    rows = [at(40, 160, "Bill to:"), at(40, 180, "Attn: Jane Doe")]
    rows += [at(40, 200, "22 Low Road"), at(40, 220, "Leeds LS1 2AB")]
    bill = read(*SELLER, at(0, 300, "Invoice"), *rows, *SUMS).fields().bill
    assert bill
    assert bill.fields["customer"].text == "Jane Doe"
    assert bill.fields["supplier"].text == "Papierhaus Seidel OHG"
    assert "customer_contact" not in bill.fields
