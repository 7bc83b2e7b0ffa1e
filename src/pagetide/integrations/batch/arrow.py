"""The rows as Arrow tables and Parquet files, by the extra `batch`."""

from __future__ import annotations

import io
from collections.abc import Sequence

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from pagetide.integrations.batch.rows import DocumentRow, PageRow

_REASON = pa.struct([("code", pa.string()), ("message", pa.string())])
PAGES = pa.schema(
    [
        pa.field("document", pa.string(), nullable=False),
        ("page", pa.int32()),
        ("text", pa.string()),
        ("markdown", pa.string()),
        ("blocks", pa.string()),
        ("tables", pa.string()),
        ("confidence", pa.float64()),
        ("notices", pa.list_(_REASON)),
        ("error", _REASON),
    ]
)
DOCUMENTS = pa.schema(
    [
        pa.field("document", pa.string(), nullable=False),
        ("pages", pa.int32()),
        ("failed_pages", pa.list_(pa.int32())),
        ("text", pa.string()),
        ("markdown", pa.string()),
        ("confidence", pa.float64()),
        ("notices", pa.list_(_REASON)),
        ("error", _REASON),
    ]
)


def table_of(rows: Sequence[PageRow] | Sequence[DocumentRow], schema: pa.Schema) -> pa.Table:
    """Rows as a table of that schema, `PAGES` or `DOCUMENTS`."""
    return pa.Table.from_pylist(msgspec.to_builtins(rows), schema=schema)


def parquet_of(rows: Sequence[PageRow] | Sequence[DocumentRow], schema: pa.Schema) -> bytes:
    """Rows as a Parquet file."""
    written = io.BytesIO()
    pq.write_table(table_of(rows, schema), written, compression="zstd")
    return written.getvalue()
