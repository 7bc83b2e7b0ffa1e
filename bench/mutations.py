"""Do the tests notice? `python -m bench.mutations [--only N] [--area AREA]`.

The faults of `mutations.toml` are injected into a copy of the working tree, one at a time, and
the tests of their area run against it. A fault that none of them notices has survived.
"""

from __future__ import annotations

import argparse
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path

from bench.scratch import Scratch, scratch

LEAST_CAUGHT = 28
PATIENCE = 4  # tests that take this many times as long as without a fault count as hung
_STORED = ("tests/unit", "tests/contract/test_store.py")
TESTS = {
    **dict.fromkeys(("moves", "claims", "stores"), _STORED),
    "structure": ("tests/unit", "tests/golden"),
    "api": ("tests/unit",),
}


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A fault that a developer could introduce.

    Attributes:
        name: What is wrong then.
        area: Which tests must notice.
        path: Of the module, in the package.
        old: Occurs in it once.
        new: Its replacement.
        harm: What a user would see.
    """

    name: str
    area: str
    path: str
    old: str
    new: str
    harm: str

    def into(self, text: str) -> str:
        """The module's text with the fault in it.

        Raises:
            ValueError: The text to replace does not occur exactly once.
        """
        if text.count(self.old) != 1:
            raise ValueError(f"{self.path} does not say exactly once: {self.old}")
        return text.replace(self.old, self.new)


def faults() -> list[Fault]:
    """All of them, area by area."""
    told = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    return [Fault(**each) for each in told["fault"]]


@contextmanager
def with_fault(module: Path, fault: Fault) -> Iterator[None]:
    """Inject the fault into a module for a while."""
    text = module.read_text()
    try:
        _write(module, fault.into(text))
        yield
    finally:
        _write(module, text)


def _write(module: Path, text: str) -> None:
    """Write a module; what Python compiled of it counts as its own for a second."""
    module.write_text(text)
    Path(cache_from_source(str(module))).unlink(missing_ok=True)


def calm_s(place: Scratch, tests: Iterable[str]) -> float:
    """How many seconds the tests take without a fault; exits if one fails even so."""
    begun = time.monotonic()
    if failed := place.first_failed(files_of(place, tests)):
        raise SystemExit(f"Without any fault this fails: {failed}")
    took = time.monotonic() - begun
    print(f"| | | none | | {took:.0f} |", flush=True)
    return took


def caught_by(place: Scratch, fault: Fault, most_s: float) -> str:
    """The first test that notices a fault; `hung` if they take longer; nothing if none does."""
    files = files_of(place, TESTS[fault.area])
    files.sort(key=lambda file: _relevance(file, fault), reverse=True)
    with with_fault(place.package / fault.path, fault):
        try:
            return place.first_failed(files, most_s)
        except TimeoutError:
            return "hung"


def files_of(place: Scratch, tests: Iterable[str]) -> list[Path]:
    """The test files, except the one that checks whether the faults' places exist."""
    return [file for file in place.files(tests) if file.name != "test_mutations.py"]


def _relevance(file: Path, fault: Fault) -> tuple[int, int]:
    """How likely a test file is to notice: by its name, then by what it mentions."""
    words = [part.removesuffix("s") for part in Path(fault.path).with_suffix("").parts]
    named = [place for place, word in enumerate(words, 1) if word in file.stem]
    return sum(named), file.read_text().count(words[-1])


def main() -> None:
    """Try the faults; print which test notices each; exit with 1 if too many survive."""
    parser = argparse.ArgumentParser(prog="python -m bench.mutations", description=__doc__)
    parser.add_argument("--only", type=int, metavar="N", help="the fault of this number")
    parser.add_argument("--area", choices=TESTS)
    arguments = parser.parse_args()
    chosen = [
        (number, fault)
        for number, fault in enumerate(faults(), 1)
        if arguments.only in (None, number) and arguments.area in (None, fault.area)
    ]
    if not chosen:
        parser.error("there is no such fault")
    print("| | area | fault | caught by | s |\n| --- | --- | --- | --- | --- |", flush=True)
    tests = dict.fromkeys(each for _, fault in chosen for each in TESTS[fault.area])
    with scratch() as place:
        most_s = PATIENCE * calm_s(place, tests)
        caught = sum(_tried(place, number, fault, most_s) for number, fault in chosen)
    print(f"\ncaught {caught} of {len(chosen)}")
    sys.exit(0 if caught >= min(LEAST_CAUGHT, len(chosen)) else 1)


def _tried(place: Scratch, number: int, fault: Fault, most_s: float) -> bool:
    """Try one fault and print its row; whether it was caught."""
    begun = time.monotonic()
    found = caught_by(place, fault, most_s)
    row = f"{number} | {fault.area} | {fault.name} | {found or '**SURVIVED**'}"
    print(f"| {row} | {time.monotonic() - begun:.0f} |", flush=True)
    return bool(found)


if __name__ == "__main__":
    main()
