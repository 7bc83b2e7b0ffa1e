"""Where results are written, what they are called, and what becomes of those that are there."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagetide.cli.completion import folders
from pagetide.cli.options import together

if TYPE_CHECKING:
    from pagetide.cli.reading.targets import Existing

_FOLDER_ONLY = ("png", "csv", "figures")  # any number of files
_BINARY = {"pdf": "A PDF", "xlsx": "A workbook"}

output = click.option(
    "-o",
    "--output",
    metavar="DIR",
    default="-",
    shell_complete=folders,
    help="Write results below this folder; without it, or with -, to standard output.",
)
# What files below a folder are called, and what becomes of those that are there.
writing = together(
    click.option(
        "--names",
        type=click.Choice(["full", "stem"]),
        default="full",
        show_default=True,
        help="Whether results of scan.pdf are named scan.pdf.md or scan.md below DIR.",
    ),
    click.option(
        "--skip-existing",
        is_flag=True,
        help="Skip inputs whose results exist below DIR, to continue an interrupted run.",
    ),
    click.option("--force", is_flag=True, help="Overwrite existing results below DIR."),
    click.option(
        "--quiet", "-q", is_flag=True, help="Print only errors: no progress, no summary."
    ),
)


def existing_of(folder: Path | None, skip: bool, force: bool) -> Existing:
    """What to do about results that are there.

    Raises:
        UsageError: Two things at once, or there is no folder.
    """
    if skip and force:
        raise click.UsageError("Give --skip-existing or --force, not both.")
    if (skip or force) and folder is None:
        name = "--skip-existing" if skip else "--force"
        raise click.UsageError(f"{name} needs a folder: add -o DIR.")
    return "skip" if skip else "replace" if force else "refuse"


def check_place(folder: Path | None, names: Sequence[str], inputs: int) -> None:
    """Refuse what the standard output cannot carry.

    Raises:
        UsageError: Several formats, one of many files, a PDF or a workbook on a terminal, or
            several inputs in a format that holds but one.
    """
    if folder is not None:
        return
    if len(names) > 1:
        raise click.UsageError("Several formats need a folder: add -o DIR.")
    (only,) = names
    if only in _FOLDER_ONLY:
        raise click.UsageError(f"The format {only} needs a folder: add -o DIR.")
    if only in _BINARY and sys.stdout.isatty():
        raise click.UsageError(
            f"{_BINARY[only]} cannot be shown here: add -o DIR, or redirect it."
        )
    if inputs > 1 and only not in ("txt", "json", "chunks"):
        raise click.UsageError(
            f"Several inputs in the format {only} need a folder: add -o DIR."
        )
