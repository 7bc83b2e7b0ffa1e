"""Query fields: values that a model server found, as fields of a document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pagetide.document import Page
from pagetide.document.extraction import ExtractedLeaf, Extraction
from pagetide.document.field import Value
from pagetide.server.api.extracting import ExtractionRequest
from pagetide.server.compat.azure.page_answer import Answering
from pagetide.server.compat.azure.wire import Warned

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")


def query_request(names: Sequence[str]) -> ExtractionRequest:
    """What is looked for: texts of these names."""
    parts = {
        name: {"type": "string", "description": _HUMP.sub(" ", name).strip()} for name in names
    }
    return ExtractionRequest(schema={"type": "object", "properties": parts})


class Querying:
    """The pages that values stand on, until all of them are there."""

    def __init__(self, found: Extraction) -> None:
        self._found = found
        self._wanted = {place.page for leaf in found.leaves for place in leaf.lines}
        self._answering: dict[int, Answering] = {}

    def add(self, page: Page, answering: Answering) -> None:
        """The next page, and who answers about it."""
        if page.number in self._wanted:
            self._answering[page.number] = answering

    def documents(self, documents: list[dict[str, Any]], model_id: str) -> list[dict[str, Any]]:
        """The documents, the first of them with the fields; one is made where there is none."""
        fields = {leaf.path[1:]: self._field(leaf) for leaf in self._found.leaves}
        if documents:
            first, *others = documents
            return [{**first, "fields": {**first["fields"], **fields}}, *others]
        answered = [field for field in fields.values() if "content" in field]
        return [
            {
                "docType": model_id,
                "boundingRegions": [self._answering[n].whole() for n in sorted(self._wanted)],
                "spans": [span for field in answered for span in field["spans"]],
                "fields": fields,
                "confidence": min((field["confidence"] for field in answered), default=1),
            }
        ]

    def warnings(self) -> Iterator[Warned]:
        """What is doubtful, by the field, and what was left out."""
        for leaf in self._found.leaves:
            if leaf.standing in ("ungrounded", "inferred", "elsewhere"):
                yield Warned(
                    code=leaf.standing, message=_WHY[leaf.standing], target=leaf.path[1:]
                )
        for notice in self._found.warnings:
            yield Warned(code=notice.code, message=notice.message)

    def _field(self, leaf: ExtractedLeaf) -> dict[str, Any]:
        """The page's own words, never the server's."""
        parts = [
            self._answering[place.page].pair_part(
                Value(
                    text=leaf.text,
                    page=place.page,
                    polygon=place.polygon,
                    lines=() if place.line is None else (place.line,),
                )
            )
            for place in leaf.lines
        ]
        if not parts:
            return {"type": "string", "confidence": 0}
        return {
            "type": "string",
            "valueString": leaf.text,
            "content": leaf.text,
            "boundingRegions": [region for part in parts for region in part.bounding_regions],
            "spans": [span for part in parts for span in part.spans],
            "confidence": 1.0 if leaf.confidence is None else leaf.confidence,
        }


_WHY = {
    "ungrounded": "What the model server said stands nowhere in the document.",
    "inferred": "It may be read in more than one way.",
    "elsewhere": "It stands in other lines than the model server named.",
}
