"""The paths that a Parquet file holds, by the extra `batch`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pagetide.errors import BadOption


def paths_of(path: Path, known: Sequence[str]) -> list[str]:
    """The first of the known columns that the file has.

    Raises:
        BadOption: It is no Parquet, or has none of them.
    """
    try:
        names = pq.read_schema(path).names
        column = next((name for name in known if name in names), None)
        if column is None:
            raise BadOption(f"{path} has none of the columns {', '.join(known)}.")
        read = pq.read_table(path, columns=[column])
    except pa.ArrowInvalid:
        raise BadOption(f"{path} is not a Parquet file.") from None
    return [one for one in read.column(column).to_pylist() if one]
