"""Spark in local mode, with executors as processes: documents read by `mapInArrow`.

Arguments: the folder of documents, the folder of pages, the model.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from pagetide.integrations.spark import read_documents


def main(source: str, target: str, model: str) -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.executorEnv.SPARK_LOCAL_IP", "127.0.0.1")
        .config("spark.executor.memory", "512m")
        .getOrCreate()
    )
    paths = [(str(path),) for path in sorted(Path(source).rglob("*.pdf"))]
    documents = session.createDataFrame(paths, "path STRING")
    pages = read_documents(documents, model=model, pages_per_part=4, partitions=12)
    pages.write.mode("overwrite").parquet(target)
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
