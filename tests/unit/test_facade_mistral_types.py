"""Mistral's facade, where a value of a document is of another JSON type than it must be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.api_fake import Desk, Site, play

URL = {"type": "document_url", "document_url": "https://a.example/b.pdf"}
VALID: tuple[dict[str, Any], ...] = (
    {**URL, "document_name": "b.pdf"},
    {"type": "image_url", "image_url": "https://a.example/b.png"},
    {"type": "image_url", "image_url": {"url": "https://a.example/b.png", "detail": "auto"}},
    {"type": "file", "file_id": "00000000-0000-0000-0000-000000000000"},
)
OTHERS: tuple[object, ...] = (["a"], {"a": "b"}, [], {}, 7, -1.5, 1e300, True, False, "", "a")


def confused(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The document with each of its values, and those in them, of every other type."""
    made = []
    for name, value in document.items():
        inside = confused(value) if isinstance(value, dict) else []
        made += [{**document, name: other} for other in (*OTHERS, *inside)]
    return made


@pytest.mark.parametrize("document", VALID, ids=lambda document: list(document)[-1])
def test_a_value_of_another_type_is_refused_plainly(
    document: dict[str, Any], tmp_path: Path
) -> None:
    async def steps(site: Site) -> None:
        for one in confused(document):
            answer = await site.post_json("/v1/ocr", {"model": "fake", "document": one})
            assert 400 <= answer.status < 500, (one, answer.status)

    # Nothing here leads out: the host of the valid URLs is not known.
    play(Desk(tmp_path), steps)
