"""Every check of the chart catches what it is for: a fault is put in, and named."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest

from tests.deploy.helm.chart import CHART, values_of
from tests.deploy.helm.rules import complaints

FAULTS = tomllib.loads(Path(__file__).with_name("faults.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_chart_is_caught(name: str, tmp_path: Path) -> None:
    fault = FAULTS[name]
    chart = shutil.copytree(CHART, tmp_path / "pagetide")  # what links lead to, too
    file = chart / fault["file"]
    text = file.read_text(encoding="utf-8")
    assert fault["old"] in text, "the fault is not put in"
    file.write_text(text.replace(fault["old"], fault["new"]), encoding="utf-8")
    found = complaints(values_of(fault["values"]), chart)
    assert any(fault["said"] in said for said in found), found
