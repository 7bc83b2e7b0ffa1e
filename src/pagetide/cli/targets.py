"""Where results go: names that do not collide, and files that are whole or not there."""

from __future__ import annotations

import itertools
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from pagetide.system.part_file import part_file


def assign(
    places: Sequence[Path], folder: Path, suffixes: Sequence[str], inputs: Collection[str]
) -> list[Path]:
    """A stem below the folder for each input, so that no result overwrites another.

    The first that fits is taken: `scan`, `scan.pdf`, `scan.pdf-2` and so on. The choice
    depends on the list alone, not on which input is read first.

    Args:
        places: Each input's place below the folder.
        folder: The output folder.
        suffixes: What will stand behind the stem.
        inputs: Real paths of the inputs, which no result may overwrite.
    """
    plain = [folder / place.with_suffix("") for place in places]
    shared = {stem for stem in plain if plain.count(stem) > 1}
    taken = set(inputs)
    stems = []
    for place, stem in zip(places, plain, strict=True):
        for candidate in _candidates(folder / place, stem, stem in shared):
            results = {os.path.realpath(f"{candidate}{suffix}") for suffix in suffixes}
            if not results & taken:
                break
        taken |= results
        stems.append(candidate)
    return stems


def _candidates(whole: Path, stem: Path, shared: bool) -> Iterator[Path]:
    if not shared:
        yield stem
    yield whole
    for number in itertools.count(2):
        yield whole.with_name(f"{whole.name}-{number}")


def write(path: Path, content: bytes) -> None:
    """Put a file in its place at once: a reader never sees half of it.

    Raises:
        CannotWrite: The folder or the file cannot be written.
    """
    with part_file(path) as file:
        file.write(content)
