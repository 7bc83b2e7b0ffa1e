"""For pipelines on Spark, by the extra `spark`.

documents = spark.read.parquet("s3a://bucket/paths/")       # with a column `path`
read_documents(documents).write.parquet("s3a://bucket/pages/")
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from pagetide import ReadOptions
from pagetide.integrations.batch.arrow import PAGES, table_of
from pagetide.integrations.batch.stages import MOST, Cutter, PartsReader

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_REASON = "STRUCT<code: STRING, message: STRING>"
SCHEMA = (
    "document STRING NOT NULL, page INT, text STRING, markdown STRING, blocks STRING,"
    f" tables STRING, confidence DOUBLE, notices ARRAY<{_REASON}>, error {_REASON}"
)
_PARTS = pa.schema(
    [
        pa.field("document", pa.string(), nullable=False),
        ("path", pa.string()),
        ("bytes", pa.binary()),
        ("first", pa.int32()),
        ("last", pa.int32()),
    ]
)
PARTS = "document STRING NOT NULL, path STRING, bytes BINARY, first INT, last INT"

Batches = Iterator[pa.RecordBatch]


def reader(
    model: str = "structure-lite",
    how: ReadOptions | None = None,
    options: Mapping[str, str | int | float | bool] | None = None,
    threads: int | None = 1,
) -> Callable[[Batches], Batches]:
    """What `DataFrame.mapInArrow` takes with `SCHEMA`: rows of paths or bytes in, pages out.

    Rows have a `path` (or the URL of an object) or `bytes`, and may have a `document`, a
    `first` and a `last` page. What cannot be read is a row with its `error`. See
    `stages.PartsReader` for the arguments.
    """
    return partial(_read, partial(PartsReader, model, how, options, threads))


def cutter(pages_per_part: int = MOST) -> Callable[[Batches], Batches]:
    """What `DataFrame.mapInArrow` takes with `PARTS`: a row for each part of a document."""
    return partial(_cut, pages_per_part)


def read_documents(
    documents: DataFrame,
    *,
    model: str = "structure-lite",
    how: ReadOptions | None = None,
    options: Mapping[str, str | int | float | bool] | None = None,
    pages_per_part: int = MOST,
    partitions: int | None = None,
) -> DataFrame:
    """The pages of a frame of documents, each long document read by many tasks.

    Args:
        documents: Rows as `reader` takes them. A long document should come as a path: bytes
            go along with each of its parts.
        model: What reads the pictures.
        how: Language, resolution and the like.
        options: What the model takes beside, by name.
        pages_per_part: Most pages that are cut as one.
        partitions: Tasks that read; by default four for each core of the cluster.
    """
    context = documents.sparkSession.sparkContext
    parts = documents.mapInArrow(cutter(pages_per_part), PARTS)
    spread = parts.repartition(partitions or 4 * context.defaultParallelism)
    return spread.mapInArrow(reader(model, how, options), SCHEMA)


def _read(make: Callable[[], PartsReader], batches: Batches) -> Batches:
    with closing(make()) as reading:
        for batch in batches:
            for row in batch.to_pylist():
                yield from table_of(list(reading.rows([row])), PAGES).to_batches()


def _cut(pages_per_part: int, batches: Batches) -> Batches:
    with closing(Cutter(pages_per_part)) as cutting:
        for batch in batches:
            for row in batch.to_pylist():
                parts = list(cutting.cut(row))
                yield pa.RecordBatch.from_pylist(parts, schema=_PARTS)
