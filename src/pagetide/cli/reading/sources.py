"""What the user named on the command line, as a list of inputs."""

from __future__ import annotations

import glob
import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pagetide.errors import NotFound


@dataclass(frozen=True, kw_only=True)
class InputSource:
    """One input.

    Attributes:
        source: A path, an address, or what the standard input held.
        name: What the user calls it.
        place: Where its results belong below the output folder, with the input's own suffix.
    """

    source: str | bytes
    name: str
    place: Path


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The inputs, and the files in folders that were passed over."""

    found: tuple[InputSource, ...]
    skipped: tuple[str, ...]


def find(
    arguments: Iterable[str],
    stdin: Callable[[], bytes],
    *,
    urls: bool = False,
    results: Path | None = None,
) -> Finding:
    """The inputs that the arguments name, each file once, folders walked in name order.

    Args:
        arguments: Files, folders, patterns or `-`. A file is taken as it is; in a folder
            only what begins like a document is taken, and hidden files are left alone.
        stdin: Gives what `-` stands for; called at most once.
        urls: Whether an argument may be the address of a document.
        results: Where results go: what lies there is passed over in a folder around it.

    Raises:
        NotFound: There is nothing to read in all of them.
    """
    found: dict[str, InputSource] = {}
    skipped: list[str] = []
    for argument in arguments:
        if argument == "-":
            if "-" not in found:
                found["-"] = InputSource(source=stdin(), name="-", place=Path("stdin"))
            continue
        if urls and argument.lower().startswith(("http://", "https://")):
            found.setdefault(argument, _at_url(argument))
            continue
        paths, root = _matches(argument)
        for path in paths:
            for file in _walk(path) if _is_folder(path) else [path]:
                if root and results and _is_result(file, root, results):
                    continue
                if _is_folder(path) and not _is_document(file):
                    skipped.append(str(file))
                    continue
                place = file.relative_to(root) if root else Path(file.name)
                one = InputSource(source=str(file), name=str(file), place=place)
                found.setdefault(os.path.realpath(file), one)
    if not found:
        raise NotFound("There is nothing to read: no PDF and no picture.")
    return Finding(found=tuple(found.values()), skipped=tuple(skipped))


def _at_url(url: str) -> InputSource:
    name = unquote(urlsplit(url).path).rpartition("/")[2]
    return InputSource(source=url, name=url, place=Path(Path(name).name or "document"))


def _matches(argument: str) -> tuple[list[Path], Path | None]:
    """The paths that a pattern matches, or the argument itself; and the folder they lie in.

    No folder is given of a single file.
    """
    path = Path(argument)
    if _exists(path) or not glob.has_magic(argument):
        return [path], path if _is_folder(path) else None
    matched = sorted(glob.glob(argument, recursive=True))  # noqa: PTH207 - may be absolute
    if not matched:
        return [path], None
    plain = itertools.takewhile(lambda part: not glob.has_magic(part), path.parts)
    return [Path(each) for each in matched], Path(*plain)


def _exists(path: Path) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - the path's own raises if its name is too long


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - likewise


def _walk(folder: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_dir() and not entry.is_symlink():
            yield from _walk(entry)
        elif entry.is_file():
            yield entry


def _is_result(file: Path, root: Path, results: Path) -> bool:
    """Whether a file lies in the folder of results, and that one below the one to read."""
    results = results.resolve()
    return root.resolve() in results.parents and results in file.resolve().parents


def _is_document(file: Path) -> bool:
    from pagetide.inputs.sniff import HEAD_BYTES, sniff

    try:
        with file.open("rb") as opened:
            return sniff(opened.read(HEAD_BYTES)) is not None
    except OSError:
        return True  # reading it will say what is wrong
