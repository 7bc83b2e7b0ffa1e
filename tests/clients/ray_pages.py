"""Documents of a folder read by Ray Data's `map_batches`, in one node of its own.

Arguments: the folder of documents, the folder of pages, the model.
"""

from __future__ import annotations

import sys
from pathlib import Path

import ray

from pagetide.integrations.ray import read_documents


def main(source: str, target: str, model: str) -> None:
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False)
    paths = sorted(Path(source).rglob("*.pdf"))
    # One as bytes, the others as paths.
    held = [{"document": str(paths[0]), "bytes": paths[0].read_bytes()}]
    documents = ray.data.from_items(held).union(
        ray.data.from_items([{"path": str(path)} for path in paths[1:]])
    )
    pages = read_documents(documents, model=model, pages_per_part=4, concurrency=2)
    pages.write_parquet(target)
    ray.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
