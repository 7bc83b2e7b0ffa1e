"""Loads a document with `PagetideReader`, and tells what came as JSON.

`python llama_index_reader.py URL SOURCE NAME=VALUE...`
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from llama_index.core import SimpleDirectoryReader

from pagetide.errors import PagetideError
from pagetide.integrations.llama_index import PagetideReader

url, source, *given = sys.argv[1:]
options: dict[str, Any] = dict(pair.split("=", 1) for pair in given)
reader = PagetideReader(server=url or None, **options)
try:
    pages = reader.load_data(source, extra_info={"shelf": "A"})
except PagetideError as error:
    sys.exit(f"{error.code}: {error.message}")
assert all(page.metadata.pop("shelf") == "A" for page in pages)
# As LlamaIndex itself calls it, for a folder.
suffix = Path(source).suffix
folder = SimpleDirectoryReader(
    input_files=[source], file_extractor={suffix: reader}, raise_on_error=True
)
assert [page.text for page in folder.load_data()] == [page.text for page in pages]
json.dump([[page.text, page.metadata] for page in pages], sys.stdout)
