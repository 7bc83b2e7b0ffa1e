"""The data that tests read is the data that was measured, where that stands beside us."""

from __future__ import annotations

import csv
import json
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CHECKOUT

SHARED = CHECKOUT.parent / "shared"
TESTS = Path(__file__).parents[1]


def test_the_data_of_tests_is_what_was_measured() -> None:
    if not (SHARED / "vectors").exists():
        pytest.skip("the measured data is not beside this checkout")
    assert hpa_cases() == json.loads((SHARED / "vectors" / "hpa_golden.json").read_text())
    ours = rows(TESTS / "data" / "languages.csv")
    theirs = rows(SHARED / "languages.csv")
    assert ours == [{key: row[key] for key in ours[0]} for row in theirs]
    for captured in sorted((TESTS / "golden" / "paddle").glob("*.json")):
        assert captured.read_bytes() == (SHARED / "samples" / captured.name).read_bytes()


def hpa_cases() -> list[dict[str, Any]]:
    cases = []
    for line in (TESTS / "data" / "hpa.jsonl").read_text().splitlines():
        case = json.loads(line)
        case["t_ms"] = list(accumulate(case.pop("gaps_ms")))
        cases.append(case)
    return cases


def rows(table: Path) -> list[dict[str, str]]:
    with table.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))
