"""Which format the ending of a file's name stands for."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

from pagetide.document import Document
from pagetide.errors import BadOption
from pagetide.exports.formats import FORMATS, Files, Style, export, packed
from pagetide.exports.origin import Origin

# `.png` is a page's picture, and figures go into an archive; chunks are the only JSON Lines.
_OTHERWISE = {"figures", "chunks"}
_SINGLE = {form.suffix: name for name, form in FORMATS.items() if name not in _OTHERWISE}
_PACKED = {form.packed_suffix: name for name, form in FORMATS.items() if form.many}
ENDINGS = {**_SINGLE, ".jsonl": "chunks", **_PACKED}


def ending_of(path: Path) -> str:
    """The ending of `ENDINGS` that a file's name has, in small letters.

    Raises:
        BadOption: It has none of them.
    """
    name = path.name.lower()
    for ending in sorted(ENDINGS, key=len, reverse=True):
        if name.endswith(ending) and name != ending:
            return ending
    raise BadOption(
        f"The extension of {path.name!r} is not a known format; known: {', '.join(ENDINGS)}."
    )


def files(document: Document, path: Path, origin: Origin | None, style: Style) -> Files:
    """Names of files, to stand beside `path`, and contents, in the format of its ending.

    Where the format is one of many files, and there is but one, it has the path's own name.

    Raises:
        BadOption: There is no such format, or nothing of the kind to write.
        PagetideError: As for `export`.
    """
    ending = ending_of(path)
    stem, name = path.name[: -len(ending)], ENDINGS[ending]
    if ending in _PACKED:
        yield path.name, b"".join(packed(document, name, origin, style))
        return
    made = export(document, name, origin, style)
    first, second = next(made, None), next(made, None)
    if first is None:
        raise BadOption(f"There is nothing to write to {path.name}.")
    if second is None:
        yield path.name, first[1]
        return
    for suffix, content in chain((first, second), made):
        yield stem + suffix, content
