"""Converts a document with `PagetideConverter` in a pipeline, and tells what came as JSON.

`python haystack_converter.py URL SOURCE NAME=VALUE...`
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from haystack import Pipeline
from haystack.core.errors import PipelineRuntimeError
from haystack.dataclasses import ByteStream
from haystack.utils import Secret

from pagetide.errors import PagetideError
from pagetide.integrations.haystack import PagetideConverter

url, source, *given = sys.argv[1:]
options: dict[str, Any] = dict(pair.split("=", 1) for pair in given)
key = Secret.from_env_var("PAGETIDE_KEY", strict=False)
pipeline = Pipeline()
pipeline.add_component("converter", PagetideConverter(url or None, key, **options))
# As it comes back from a file, which may name what its reader allows.
pipeline = Pipeline.loads(pipeline.dumps(), allowed_modules=["pagetide.integrations.haystack"])
stream = ByteStream(Path(source).read_bytes(), meta={"file_path": source})
asked = {"converter": {"sources": [source, stream], "meta": {"shelf": "A"}}}
try:
    pages = pipeline.run(asked)["converter"]["documents"]
except (PagetideError, PipelineRuntimeError) as error:
    cause = error if isinstance(error, PagetideError) else error.__cause__
    assert isinstance(cause, PagetideError)
    sys.exit(f"{cause.code}: {cause.message}")
assert all(page.meta.pop("shelf") == "A" for page in pages)
by_path, by_bytes = pages[: len(pages) // 2], pages[len(pages) // 2 :]
assert [page.content for page in by_path] == [page.content for page in by_bytes]
assert {page.meta["file_path"] for page in by_bytes} == {source}
json.dump([[page.content, page.meta] for page in by_path], sys.stdout)
