"""Where results go: named by the input alone, and over nothing that is there."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from pagetide.cli.reading.sources import InputSource
from pagetide.errors import WouldOverwrite
from pagetide.system.stage import Stage

Names = Literal["full", "stem"]
Existing = Literal["refuse", "skip", "replace"]


class Endings(Protocol):
    """What the files of a result end in."""

    @property
    def suffixes(self) -> list[str]:
        """Of formats that are one file."""
        ...

    @property
    def patterns(self) -> list[str]:
        """Of formats that are any number of files, as patterns."""
        ...


@dataclass(kw_only=True)
class Targets:
    """The files of each input.

    Attributes:
        inputs: All of them.
        folder: Where files go.
        endings: What they end in.
        names: Whether a file's name begins with the input's whole name or leaves its ending
            out.
        existing: What to do about files that are there: refuse to begin, skip inputs whose
            files are all there, or replace them.
    """

    inputs: Sequence[InputSource]
    folder: Path
    endings: Endings
    names: Names = "full"
    existing: Existing = "refuse"
    _taken: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self._taken = {os.path.realpath(one.name) for one in self.inputs}

    def to_do(self) -> tuple[list[InputSource], list[InputSource]]:
        """The inputs to read, and those whose results are there.

        Raises:
            WouldOverwrite: A result would take the place of an input, of another's result,
                or, unless these are skipped or replaced, of a file that is there.
        """
        self._check_apart()
        if self.existing == "refuse":
            self._check_free()
        skips = self.existing == "skip"
        done = {one.name for one in self.inputs if skips and self._is_done(one)}
        to_do = [one for one in self.inputs if one.name not in done]
        return to_do, [one for one in self.inputs if one.name in done]

    def stem(self, one: InputSource) -> Path:
        """What the paths of its files begin with."""
        place = one.place if self.names == "full" else one.place.with_suffix("")
        return self.folder / place

    @contextmanager
    def stage(self, one: InputSource) -> Iterator[Stage]:
        """Where its files are written; they take their places together at the end.

        Raises:
            CannotWrite: One cannot be written, or one is there that may not be replaced.
        """
        with Stage(self._may_write) as stage:
            yield stage
        self._taken |= {os.path.realpath(path) for path in stage.written}

    def _may_write(self, path: Path) -> bool:
        """Whether to write a file; one that is there and to be left is not.

        Raises:
            WouldOverwrite: It is an input or of another input, or there.
        """
        there = os.path.lexists(path)
        if there and self.existing == "skip":
            return False
        if os.path.realpath(path) in self._taken:
            raise WouldOverwrite(f"{path} is an input or another result of this run.")
        if there and self.existing == "refuse":
            raise WouldOverwrite(f"{path} already exists.")
        return True

    def _check_apart(self) -> None:
        owners: dict[str, str] = {}
        for one in self.inputs:
            for path in self._singles(one) or [str(self.stem(one))]:
                other = owners.setdefault(os.path.realpath(path), one.name)
                if other != one.name:
                    raise WouldOverwrite(
                        f"{other} and {one.name} would both be {path}: {self._way_out()}"
                    )
                if self.existing == "replace" and os.path.realpath(path) in self._taken:
                    raise WouldOverwrite(f"{path} is an input: choose another folder.")

    def _way_out(self) -> str:
        if self.names == "stem":
            return "omit --names stem, or pass the folder that contains them."
        return "pass the folder that contains them, or use a separate output folder for each."

    def _check_free(self) -> None:
        there = [path for one in self.inputs for path in self._there(one)]
        if there:
            more = f" and {len(there) - 1} more are" if there[1:] else " is"
            raise WouldOverwrite(
                f"{there[0]}{more} there already: --skip-existing leaves inputs out that are"
                " done, --force overwrites."
            )

    def _is_done(self, one: InputSource) -> bool:
        """Whether all its files are there; of any number of files, whether there are some."""
        singles = self._singles(one)
        return all(map(os.path.lexists, singles)) if singles else bool(self._there(one))

    def _singles(self, one: InputSource) -> list[str]:
        return [f"{self.stem(one)}{suffix}" for suffix in self.endings.suffixes]

    def _there(self, one: InputSource) -> list[str]:
        literal = glob.escape(str(self.stem(one)))
        many = [found for ending in self.endings.patterns for found in _found(literal, ending)]
        return [*filter(os.path.lexists, self._singles(one)), *sorted(many)]


def _found(literal: str, ending: str) -> list[str]:
    return glob.glob(f"{literal}{ending}")  # noqa: PTH207 - the folder may be named by a pattern
