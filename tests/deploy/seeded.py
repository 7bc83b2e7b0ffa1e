"""Do the checks of `deploy/` notice? `python -m tests.deploy.seeded [--kind KIND] [--set SET]`.

The faults of `faults/*.toml` are put into a copy of the working tree, one at a time, and the
tests of `tests/deploy` that are about such files run against it. What is about faults itself is
left out by its name, as it quotes what a fault changes.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench.scratch import Scratch, scratch

FAULTS = Path(__file__).with_name("faults")
LEAST_SHARE = 0.95
OTHERS = ("-k", "not seeded and not slip and not fault")


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What a file of faults is about.

    Attributes:
        folder: Below `deploy/`, where its faults' files are.
        file: Which it is where a fault does not say.
        tests: What looks at such files, below `tests/deploy`; first what sees the most.
    """

    folder: str = ""
    file: str = ""
    tests: tuple[str, ...]


_AWS = Kind(
    file="aws/template.yaml",
    tests=("test_aws_roles.py", "test_aws_template.py", "test_aws_sagemaker.py"),
)
KINDS = {
    "aws": _AWS,
    "aws_permissions": _AWS,
    "azure": Kind(file="azure/template.json", tests=("test_azure_*.py",)),
    "compose": Kind(tests=("test_compose*.py", "test_images.py", "test_vllm.py")),
    "kubernetes": Kind(
        folder="kubernetes/",
        tests=("kubernetes/test_room.py", "kubernetes/test_*.py", "test_vllm.py"),
    ),
}


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A text in a file of `deploy/` that is replaced wherever it stands.

    Attributes:
        kind: Of `KINDS`.
        file: Below the repository's root.
        set: `kept`, `told` by a reading of an earlier version, or `new`.
        said: What the rule that sees it must say, where that is checked.
    """

    kind: str
    name: str
    file: str
    old: str
    new: str
    set: str = "kept"
    said: str = ""

    def into(self, text: str) -> str:
        """The file's text with the fault in it.

        Raises:
            ValueError: What it changes is not there.
        """
        if self.old not in text:
            raise ValueError(f"{self.file} does not say what {self.name!r} changes")
        return text.replace(self.old, self.new)


@cache
def faults(kind: str) -> tuple[Fault, ...]:
    """Those of one kind."""
    of, told = KINDS[kind], tomllib.loads((FAULTS / f"{kind}.toml").read_text())
    return tuple(
        Fault(
            kind=kind,
            name=name,
            file=f"deploy/{of.folder}{each.pop('file', of.file)}",
            **each,
        )
        for name, each in told.items()
    )


@contextmanager
def with_fault(root: Path, fault: Fault) -> Iterator[None]:
    """Have a fault in a copy of the repository for a while."""
    place = root / fault.file
    text = place.read_text()
    place.write_text(fault.into(text))
    try:
        yield
    finally:
        place.write_text(text)


def caught_by(place: Scratch, kind: str) -> str:
    """The first check that fails; empty if none does."""
    folder = place.root / "tests" / "deploy"
    files = [file for form in KINDS[kind].tests for file in sorted(folder.glob(form))]
    return place.first_failed(dict.fromkeys(files), words=OTHERS)


def main() -> None:
    """Try the faults; print the share that is caught; end with 1 where that is too small."""
    parser = argparse.ArgumentParser(prog="python -m tests.deploy.seeded", description=__doc__)
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--set", choices=("kept", "told", "new"))
    arguments = parser.parse_args()
    shares = []
    with scratch() as place:
        for kind in arguments.kind or KINDS:
            if failed := caught_by(place, kind):
                raise SystemExit(f"Without any fault this fails: {failed}")
            chosen = [each for each in faults(kind) if arguments.set in (None, each.set)]
            shares.append(_share(place, kind, chosen))
    _tell("\n| kind | faults | caught | share | missed |\n| --- | --- | --- | --- | --- |")
    for kind, tried, missed in shares:
        found = tried - len(missed)
        _tell(f"| {kind} | {tried} | {found} | {found / tried:.0%} | {'; '.join(missed)} |")
    least = min(1 - len(missed) / tried for _, tried, missed in shares)
    sys.exit(0 if least >= LEAST_SHARE else 1)


def _share(place: Scratch, kind: str, chosen: list[Fault]) -> tuple[str, int, list[str]]:
    """Try the faults of a kind; how many there are, and the names of those nobody saw."""
    missed = []
    for fault in chosen:
        with with_fault(place.root, fault):
            found = caught_by(place, kind)
        _tell(f"{kind}: {fault.name}: {found or 'MISSED'}")
        if not found:
            missed.append(fault.name)
    return kind, len(chosen), missed


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
