"""`PaddleOCRVL` of the `paddleocr` package, for `bench.vl`: run by a Python that has it.

Reads pages from `pages.npy` in a folder. A line on standard input says how many pages a
document has; it then reads all of them once, document by document, as an instance takes one
call at a time, and prints the seconds until the first page and until the last.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path


def main() -> None:
    """Serve runs until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("url")
    parser.add_argument("slots", type=int)
    arguments = parser.parse_args()
    # Before the import, which reads them; nothing may be downloaded.
    os.environ["PADDLE_PDX_CACHE_HOME"] = str(arguments.folder / "cache")
    os.environ["PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK"] = "True"
    import numpy
    from paddleocr import PaddleOCRVL  # type: ignore[import-not-found,unused-ignore]

    pages = list(numpy.load(arguments.folder / "pages.npy", mmap_mode="r"))
    pipeline = PaddleOCRVL(
        pipeline_version="v1.6",
        engine="onnxruntime",
        layout_detection_model_name="PP-DocLayoutV3",
        layout_detection_model_dir=str(arguments.folder / "layout"),
        vl_rec_backend="vllm-server",
        vl_rec_server_url=arguments.url,
        vl_rec_max_concurrency=arguments.slots,
        use_doc_orientation_classify=False,
        use_doc_unwarping=False,
        merge_layout_blocks=False,
    )
    print("ready", flush=True)
    for line in sys.stdin:
        size, first = int(line), 0.0
        started = time.perf_counter()
        for start in range(0, len(pages), size):
            document = [numpy.array(page) for page in pages[start : start + size]]
            count = 0
            for _ in pipeline.predict_iter(document):
                first = first or time.perf_counter() - started
                count += 1
            assert count == len(document)
        print(first, time.perf_counter() - started, flush=True)


main()
