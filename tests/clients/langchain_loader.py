"""Loads a document with `PagetideLoader`, and tells what came as JSON.

`python langchain_loader.py URL SOURCE NAME=VALUE...`
"""

from __future__ import annotations

import json
import sys
from typing import Any

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

from pagetide.errors import PagetideError
from pagetide.integrations.langchain import PagetideLoader

url, source, *given = sys.argv[1:]
options: dict[str, Any] = dict(pair.split("=", 1) for pair in given)
loader = PagetideLoader(source, server=url or None, **options)
assert isinstance(loader, BaseLoader)
try:
    pages = loader.load()
except PagetideError as error:
    sys.exit(f"{error.code}: {error.message}")
assert all(isinstance(page, Document) for page in pages)
json.dump([[page.page_content, page.metadata] for page in pages], sys.stdout)
