"""The corpus is the one that the other tests here were made for."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path


def test_every_document_of_the_corpus_is_there_as_it_was(corpus: Path) -> None:
    items = [json.loads(line) for line in (corpus / "manifest.jsonl").read_text().splitlines()]
    assert {item["set"] for item in items} >= {"derived", "hostile", "icdar2013pdf", "pdf"}
    for item in items:
        found = hashlib.sha256((corpus / item["path"]).read_bytes()).hexdigest()
        assert found == item["sha256"], item["path"]
