"""Tables as pandas data frames, using the extra `pandas`."""

from __future__ import annotations

from typing import Any

from pagetide.document import Table
from pagetide.errors import RuntimeUnavailable, installing
from pagetide.exports.tables.cells import named_rows


def frame_of(table: Table) -> Any:
    """A table as a `pandas.DataFrame` of texts, its header as the columns' names.

    Raises:
        RuntimeUnavailable: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise RuntimeUnavailable(f"Data frames need pandas: {installing('pandas')}.") from None
    names, rows = named_rows(table)
    return pandas.DataFrame(rows, columns=names or None)
