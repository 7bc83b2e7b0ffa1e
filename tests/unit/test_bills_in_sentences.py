"""What four sets of bills had: labels, accounts and names in sentences, and the like."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pagetide.document import Block, Cell, Table
from pagetide.exports.fields.bills.items.rows import rows_of_items
from pagetide.exports.fields.bills.items.word_columns import _are_apart
from pagetide.exports.fields.bills.parties.addresses import is_of_an_address
from pagetide.exports.fields.bills.parties.letterheads import is_a_name
from pagetide.exports.fields.bills.sums.payable import paid_in_parts
from pagetide.exports.fields.heads import heads_of
from pagetide.exports.fields.pairs.names import name_of
from pagetide.exports.fields.phrases.sheet import sheets
from pagetide.exports.fields.values.dates import DATE, TIME
from pagetide.exports.fields.values.forms import span_of
from pagetide.geometry import polygon_of
from tests.unit.test_fields import at, read, told
from tests.unit.test_recipients import SELLER, SUMS


def _fields(*texts: tuple[float, float, str]) -> dict[str, str]:
    lines = [at(*each) for each in ((0, 300, "Rechnung"), *texts)]
    bill = read(*SELLER, *lines, *SUMS).fields().bill
    assert bill
    return {name: value.text for name, value in bill.fields.items()}


def _parts(line: str) -> list[str]:
    [sheet] = sheets(read(at(0, 0, line)).pages[0])
    return [phrase.text for row in sheet.rows for phrase in row]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (
            "Factuurnummer 2025-304871 Factuurdatum 16-06-2025 Bestelnummer 100088412",
            ["Factuurnummer 2025-304871", "Factuurdatum 16-06-2025", "Bestelnummer 100088412"],
        ),
        (
            "Netto 14 dage, forfaldsdato 28.10.2025.",
            ["Netto 14 dage", "forfaldsdato 28.10.2025."],
        ),
        (
            "No. A25-0317, issued 29 August 2025",
            ["No. A25-0317", "issued 29 August 2025"],
        ),
        ("Artikel 5, Nr. 7 der Satzung", ["Artikel 5, Nr. 7 der Satzung"]),
        ("tomo 1188, folio 44, hoja CS-20277", ["tomo 1188, folio 44, hoja CS-20277"]),
        ("Die Rechnung vom 12. Mai ist bezahlt", ["Die Rechnung vom 12. Mai ist bezahlt"]),
    ],
)
def test_a_line_is_cut_before_known_labels_with_their_values(
    line: str, parts: list[str]
) -> None:
    assert _parts(line) == parts


@pytest.mark.parametrize(
    ("first", "second", "iban"),
    [
        ("auf IBAN CH71 0077 4010 2648", "3920 0.", "CH71 0077 4010 2648\n3920 0"),
        ("IBAN NO33 1506 4419", "837, SWIFT DNBANOKK.", "NO33 1506 4419\n837"),
        ("account 00462719, IBAN GB42", "LOYD 3094 8100 4627 19, BIC X", "GB42\nLOYD 3094"),
    ],
)
def test_an_account_goes_on_below_where_its_check_digits_say_so(
    first: str, second: str, iban: str
) -> None:
    found = _fields((0, 500, first), (0, 522, second))
    assert found["iban"].startswith(iban)


def test_other_figures_in_the_next_line_are_no_part_of_an_account() -> None:
    found = _fields((0, 500, "IBAN CH71 0077 4010 2648"), (0, 522, "3921 0."))
    assert found["iban"] == "CH71 0077 4010 2648"  # as it stands, and not called proven


def test_an_account_of_poland_may_have_no_country() -> None:
    assert _fields((0, 500, "Nr konta 80 1020 1156 0000 7204 0183 6275"))["iban"] == (
        "80 1020 1156 0000 7204 0183 6275"
    )
    assert "iban" not in _fields((0, 500, "Nr konta 81 1020 1156 0000 7204 0183 6275"))


def test_the_code_of_a_bank_is_found_in_a_sentence() -> None:
    said = (0, 500, "À verser sur le compte BE40 3631 5288 4063 (BIC BBRUBEBB) avec")
    assert _fields(said)["bic"] == "BBRUBEBB"
    assert "bic" not in _fields((0, 500, "Die BIC RECHNUNG liegt bei"))


def test_a_value_may_stand_at_half_the_height_of_its_two_lines_of_label() -> None:
    pairs = told(read(at(0, 0, "Deposit"), at(300, 11, "500.00"), at(0, 24, "paid")))
    assert ("paid", "Deposit", "500.00") in pairs


def test_a_tax_with_its_base_in_its_label_is_what_stands_beside() -> None:
    line = at(0, 0, "Mva. 25 % av 9 870,00")
    [(name, _, value)] = told(read(line, at(600, 0, "2 467,50")))
    assert (name, value) == ("tax", "2 467,50")
    [(name, _, value)] = told(read(line, at(600, 0, "2 400,00")))
    assert (name, value) == ("tax", "9 870,00")


def test_a_label_of_what_was_paid_may_have_its_date() -> None:
    assert name_of("abzüglich Anzahlung vom 07.01.2025") == "paid"
    assert name_of("Rechnung vom 07.01.2025") == ""


def test_a_currency_may_stand_behind_a_comma() -> None:
    assert name_of("Å betale, NOK") == "total"


def test_an_aside_may_end_in_the_next_line() -> None:
    assert name_of("DISCOUNT 5% (non-") == "discount"


def test_what_was_paid_in_parts_is_all_or_the_sum_that_is_told() -> None:
    parts = [Decimal(3000), Decimal(2500)]
    assert paid_in_parts(parts) == 5500
    assert paid_in_parts([*parts, Decimal(-5500)]) == 5500


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("25-061.", "25-061"),
        ("CL00213 Suivant devis n° 655", "CL00213"),
        ("RZ 06.10.", None),
        ("4500 Müller", "4500"),
        ("PO 61877", None),
    ],
)
def test_a_number_ends_before_words_of_something_else(text: str, kept: str | None) -> None:
    span = span_of(text, "code")
    assert (text[slice(*span)] if span else None) == kept


def test_a_sort_code_is_no_date() -> None:
    assert DATE.search("sort code 60-14-28") is None
    assert DATE.search("31-12-28") is not None


def test_a_day_and_month_before_another_date_is_no_time() -> None:
    assert TIME.search("vom 22.04. bis 06.05.2025") is None
    assert TIME.search("um 14.30 Uhr") is not None


def test_a_sentence_is_no_name() -> None:
    said = "Esta Administración no se responsabiliza por los datos ingresados en el detalle"
    assert not is_a_name(said)
    assert is_a_name("Gesellschaft für Lüftung und Klima Beratung mbH & Co. KG")


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("Slieve Rua Veterinary Clinic", False),
        ("Rua do Souto", True),
        ("Station Road", True),
        ("Kordonboyu Cad. No", True),
    ],
)
def test_a_word_for_a_street_counts_where_streets_have_it(line: str, is_one: bool) -> None:
    assert is_of_an_address(line) is is_one


@pytest.mark.parametrize(
    ("before", "after", "apart"),
    [
        ("01", "8840-12", True),
        ("19.05.2025", "410", True),
        ("1", "250,00", False),
        ("12", "500", False),
    ],
)
def test_what_stands_near_may_be_two_columns_or_one_number(
    before: str,
    after: str,
    apart: bool,
) -> None:
    assert _are_apart(before, after) is apart


def _table(*rows: tuple[str, ...]) -> Table:
    cells = tuple(
        Cell(row=n, column=c, text=text, line_indexes=(0,))
        for n, row in enumerate(rows)
        for c, text in enumerate(row)
        if text
    )
    return Table(rows=len(rows), columns=len(rows[0]), cells=cells)


def _items(*rows: tuple[str, ...]) -> list[dict[str, str]]:
    page = read(at(0, 0, "Invoice")).pages[0]
    table = _table(*rows)
    block = Block(kind="table", polygon=polygon_of((0, 0, 1, 1)), order=0, table=table)
    found = rows_of_items([(page, block, table)], None).rows
    return [
        {
            name: value.text
            for name in ("article", "description", "quantity", "price", "amount")
            if (value := getattr(row.item, name))
        }
        for row in found
    ]


def test_an_amount_without_a_known_head_comes_out_with_a_rate_taken_off() -> None:
    rows = [("Bezeichnung", "Menge", "Preis", "Rb", "Xy")]
    rows += [
        ("Leitung", "500", "0,62", "15,0", "263,50"),
        ("Dose", "36", "3,45", "20", "99,36"),
    ]
    found, _ = heads_of(_table(*rows))
    assert found[4] == ("amount",)


def test_the_article_may_stand_in_a_line_of_what_is_sold() -> None:
    [item] = _items(
        ("Product", "Aantal", "Prijs", "Totaal"),
        ("Ketting\nArt.nr. SH-601", "1", "27,95", "27,95"),
    )
    assert (item["description"], item["article"]) == ("Ketting", "SH-601")


def test_a_tills_name_may_stand_above_how_many_at_which_price() -> None:
    [item] = _items(("Descrição", "IVA", "Valor"), ("Café\n4 x 0,95", "13%", "3,80"))
    assert (item["description"], item["quantity"], item["price"]) == ("Café", "4", "0,95")


def test_a_table_of_taxes_is_none_of_items() -> None:
    assert not _items(
        ("Cod. IVA", "Descrizione", "Imponibile"), ("22", "Aliquota 22%", "3.183,67")
    )
