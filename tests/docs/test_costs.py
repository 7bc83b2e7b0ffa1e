"""What the pages on deployments say of costs is what the simulator says."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from pagetide.cli import program

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"


@dataclass(frozen=True)
class Page:
    """A page with a table of costs.

    Attributes:
        options: Of `pagetide simulate`, for every row.
        rows: More options, by what a row's first cells are.
        columns: What its other cells say; each figure of a cell is one of these, in order.
    """

    name: str
    options: str
    rows: Mapping[tuple[str, ...], str]
    columns: tuple[str, ...]


COST, IDLE = "usd_a_1000_pages", "idle_share"
P50, P95 = "wait_p50_s", "wait_p95_s"
ALL = (COST, IDLE, P50, P95)
PAGES = (
    Page(
        "deploy-compose.md",
        "--setup box --policy fixed:replicas=1 --price 0.085",
        {
            ("100,000",): "--pages-a-month 100000",
            ("1,000,000",): "--pages-a-month 1000000",
        },
        ALL,
    ),
    Page(
        "deploy-kubernetes.md",
        "--setup kubernetes-cpu --price 0.085",
        {
            ("100,000",): "--pages-a-month 100000",
            ("1,000,000",): "--pages-a-month 1000000",
            ("10,000,000",): "--pages-a-month 10000000",
        },
        (COST, P95),
    ),
    Page(
        "deploy-aws.md",
        "--setup aws-cpu",
        {
            ("1,000,000 pages a month",): "--pages-a-month 1000000",
            ("10,000 pages a month, of which most meet a cold function",): (
                "--pages-a-month 10000"
            ),
        },
        (COST, P95),
    ),
    Page(
        "deploy-azure.md",
        "--setup two-clouds --price 1",
        {
            ("100,000", "1"): "--pages-a-month 100000",
            ("100,000", "2, as shipped"): (
                "--pages-a-month 100000 --policy container-apps:most=15,target=2"
            ),
            ("100,000", "10"): (
                "--pages-a-month 100000 --policy container-apps:most=15,target=10"
            ),
            ("1,000,000", "2"): (
                "--pages-a-month 1000000 --policy container-apps:most=15,target=2"
            ),
        },
        ALL,
    ),
    Page(
        "sagemaker.md",
        "--setup aws-gpu",
        {
            ("3,000",): "--pages-a-month 3000",
            ("30,000",): "--pages-a-month 30000",
            ("100,000",): "--pages-a-month 100000",
        },
        ALL,
    ),
)
CASES = [(page, first) for page in PAGES for first in page.rows]


@pytest.mark.parametrize(
    ("page", "first"), CASES, ids=[f"{page.name}-{'-'.join(first)}" for page, first in CASES]
)
def test_a_row_is_what_the_simulator_says(page: Page, first: tuple[str, ...]) -> None:
    figures = simulated(f"{page.options} {page.rows[first]}")
    [cells] = [row for row in rows(page.name) if tuple(row[: len(first)]) == first]
    written = re.findall(
        r"\d[\d,]*(?:\.\d+)?", " ".join(cells[len(first) :]).split(", mostly")[0]
    )
    assert len(written) >= len(page.columns)
    for text, column in zip(written, page.columns, strict=False):
        assert text == rounded(figures[column] * (100 if column == IDLE else 1), like=text)


def simulated(options: str) -> dict[str, float]:
    """What one run prints."""
    ran = CliRunner().invoke(program, ["simulate", *options.split(), "--json"])
    [figures] = json.loads(ran.stdout).values()
    return dict(figures)


def rows(name: str) -> list[list[str]]:
    """The cells of a page's tables."""
    lines = (HOW_TO / name).read_text(encoding="utf-8").splitlines()
    return [
        [c.strip() for c in line.strip("|").split("|")] for line in lines if line[:1] == "|"
    ]


def rounded(value: float, like: str) -> str:
    """The value with as many decimals as a figure has."""
    decimals = len(like.partition(".")[2])
    return f"{value:,.{decimals}f}"
