"""The documents of a source: a folder, a bucket, or a list of paths."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from pagetide.errors import BadOption, NotFound
from pagetide.integrations.batch.plan import Entry
from pagetide.server.wiring import open_place

# Objects are known by their names: to look into each would fetch the bucket twice.
ENDINGS = frozenset(
    (
        *(".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp"),
        *(".jp2", ".gif", ".avif", ".heic", ".heif"),
    )
)
_COLUMNS = ("path", "document", "url", "uri", "file")


def entries_of(source: str) -> list[Entry]:
    """The documents of a source, in the order of their names, or of the list.

    Args:
        source: A folder or the URL of a bucket with a prefix, of which PDFs and pictures are
            taken by their names' endings; or a file with a path or URL in each line, or a
            Parquet file with a column of them.

    Raises:
        NotFound: There is nothing to read.
        BadOption: The list is none.
    """
    path = Path(source)
    listed = "://" not in source and path.is_file()
    found = list(_listed(path) if listed else _placed(source))
    if not found:
        raise NotFound("There is nothing to read: no PDF and no picture.")
    return found


def _placed(source: str) -> Iterator[Entry]:
    named = sorted(file.name for file in open_place(source).files())
    where = source if "://" in source else str(Path(source).absolute())
    for name in named:
        pure = PurePosixPath(name)
        hidden = any(part.startswith((".", "_")) for part in pure.parts)
        if not hidden and pure.suffix.lower() in ENDINGS:
            yield Entry(document=name, place=where, name=name)


def _listed(path: Path) -> Iterator[Entry]:
    lines = _column(path) if path.suffix == ".parquet" else _lines(path)
    for line in dict.fromkeys(lines):  # each once
        yield entry_of(line, path.absolute().parent)


def entry_of(line: str, folder: Path) -> Entry:
    """The document at a path, counted from `folder`, or at the URL of an object.

    Raises:
        BadOption: The URL names no object.
    """
    scheme, sign, rest = line.partition("://")
    if sign and scheme != "file":
        bucket, _, name = rest.partition("/")
        if not name:
            raise BadOption(f"{line} names no object.")
        return Entry(document=line, place=f"{scheme}://{bucket}", name=name)
    at = folder / (rest if sign else line)
    return Entry(document=line, place=str(at.parent), name=at.name)


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadOption(f"{path} is not a list of paths: one per line, in UTF-8.") from None
    return [line.strip() for line in text.splitlines() if line.strip()]


def _column(path: Path) -> list[str]:
    """The first of the known columns that a Parquet file has, by the extra `batch`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = pq.read_schema(path).names
        column = next((name for name in _COLUMNS if name in names), None)
        if column is None:
            raise BadOption(f"{path} has none of the columns {', '.join(_COLUMNS)}.")
        read = pq.read_table(path, columns=[column])
    except pa.ArrowInvalid:
        raise BadOption(f"{path} is not a Parquet file.") from None
    return [one for one in read.column(column).to_pylist() if one]
