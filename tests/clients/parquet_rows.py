"""Which document, page and text, and error, the Parquet files of a folder hold: JSON lines.

Arguments: the folder. Where pages are no column, the text is told with None for the page.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyarrow.parquet as pq


def main(folder: str) -> None:
    for path in sorted(Path(folder).glob("*.parquet")):
        for row in pq.read_table(path).to_pylist():
            error = row["error"] and row["error"]["code"]
            print(json.dumps([row["document"], row.get("page"), row["text"], error]))


if __name__ == "__main__":
    main(sys.argv[1])
