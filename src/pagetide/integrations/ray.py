"""For pipelines on Ray Data, by the extra `ray`.

documents = ray.data.read_parquet("s3://bucket/paths/")     # with a column `path`
pages = read_documents(documents, model="structure-lite", concurrency=8, num_gpus=0.5)
pages.write_parquet("s3://bucket/pages/")
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pagetide import ReadOptions
from pagetide.integrations.batch.arrow import PAGES, table_of
from pagetide.integrations.batch.stages import MOST, Cutter, PartsReader

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data import Dataset


class PageReader:
    """An actor for `Dataset.map_batches` with `batch_format="pyarrow"`; one reader each.

    Rows in have a `path` (or the URL of an object) or `bytes`, and may have a `document`, a
    `first` and a `last` page; rows out are those of `batch.arrow.PAGES`. What cannot be read
    is a row with its `error`.
    """

    def __init__(
        self,
        model: str = "structure-lite",
        how: ReadOptions | None = None,
        options: Mapping[str, str | int | float | bool] | None = None,
        threads: int | None = 1,
    ) -> None:
        """See `stages.PartsReader`."""
        self._reader = PartsReader(model, how, options, threads)

    def __call__(self, batch: pa.Table) -> pa.Table:
        """The pages of a batch.

        Raises:
            PagetideError: The model is not installed, and the like: no row can be read.
        """
        return table_of(list(self._reader.rows(batch.to_pylist())), PAGES)


class DocumentCutter:
    """A callable for `Dataset.flat_map`: a row for each part of a document."""

    def __init__(self, pages_per_part: int = MOST) -> None:
        self._cutter = Cutter(pages_per_part)

    def __call__(self, row: dict[str, Any]) -> list[dict[str, Any]]:
        """The parts of a row."""
        return list(self._cutter.cut(row))


def read_documents(
    documents: Dataset,
    *,
    model: str = "structure-lite",
    how: ReadOptions | None = None,
    options: Mapping[str, str | int | float | bool] | None = None,
    pages_per_part: int = MOST,
    concurrency: int | tuple[int, int] = 1,
    num_cpus: int = 1,
    num_gpus: float | None = None,
) -> Dataset:
    """The pages of a dataset of documents, each long document read by many actors.

    Args:
        documents: Rows as `PageReader` takes them. A long document should come as a path:
            bytes go along with each of its parts.
        model: What reads the pictures.
        how: Language, resolution and the like.
        options: What the model takes beside, by name.
        pages_per_part: Most pages that an actor reads at once.
        concurrency: Actors that read, or the fewest and the most.
        num_cpus: Cores of each.
        num_gpus: GPUs of each, such as 0.25.
    """
    from ray.data import ActorPoolStrategy

    most = concurrency if isinstance(concurrency, int) else concurrency[1]
    fewest = concurrency if isinstance(concurrency, int) else concurrency[0]
    parts = documents.flat_map(
        DocumentCutter,
        fn_constructor_args=(pages_per_part,),
        compute=ActorPoolStrategy(size=1),
        num_cpus=0.1,
    )
    return parts.map_batches(
        PageReader,
        fn_constructor_args=(model, how, options, num_cpus),
        compute=ActorPoolStrategy(min_size=fewest, max_size=most),
        batch_size=1,
        batch_format="pyarrow",
        num_cpus=num_cpus,
        num_gpus=num_gpus,
    )
