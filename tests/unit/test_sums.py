"""Which texts end with an amount of money."""

from __future__ import annotations

import pytest

from pagetide.structure.rows import is_sum


@pytest.mark.parametrize("text", ["29.99 € TTC", "Total 12,50 €", "Due £ 3.10", "sum 4.20 EUR"])
def test_an_amount_is_a_sum_whatever_tax_is_said_to_be_in_it(text: str) -> None:
    assert is_sum(text)


@pytest.mark.parametrize("text", ["2.10 API", "Dues and fees 29.99 € TTC", "Chapter 3.12"])
def test_a_section_with_its_number_or_its_sum_is_none(text: str) -> None:
    assert not is_sum(text)
