"""What a request to Mistral's OCR asks for.

Source: `mistralai.client.models.OCRRequest` of mistralai 3.7.0.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from pagetide.engines.catalogue import DEFAULT
from pagetide.errors import BadOption, UnknownModel
from pagetide.server.api.bodies.job_form import converted, json_object
from pagetide.server.api.extracting import ExtractionRequest
from pagetide.server.api.problems import unknown_names
from pagetide.settings import Settings

LATEST = "mistral-ocr-latest"
MOST_PAGES = 100_000
MOST_PROMPT = 10_000
LONGEST_NAME = 255
_OWN_NAME = re.compile(r"mistral-", re.IGNORECASE)
_RANGE = re.compile(r"\s*([0-9]{1,6})\s*(?:-\s*([0-9]{1,6})\s*)?", re.ASCII)
_ANNOTATING = {
    "bbox_annotation_format": "Pictures",
    "document_annotation_format": "Documents",
    "document_annotation_prompt": "Documents",
}

PageIndex = Annotated[int, Meta(ge=0, lt=1_000_000)]
Count = Annotated[int, Meta(ge=0)]


class OcrRequest(Struct, frozen=True, kw_only=True):
    """A request, the document aside; the names are Mistral's."""

    document: dict[str, Any]
    model: str | None = None
    pages: str | list[PageIndex] | None = None
    include_image_base64: bool | None = None
    image_limit: Count | None = None
    image_min_size: Count | None = None
    table_format: Literal["markdown", "html"] | None = None
    extract_header: bool | None = None
    extract_footer: bool | None = None
    include_blocks: bool | None = True
    confidence_scores_granularity: Literal["page", "block"] | None = None
    bbox_annotation_format: dict[str, Any] | None = None
    document_annotation_format: dict[str, Any] | None = None
    document_annotation_prompt: Annotated[str, Meta(max_length=MOST_PROMPT)] | None = None

    def annotation(self) -> ExtractionRequest | None:
        """What is to be found in the document; None where nothing is.

        Raises:
            BadOption: It is not described by a JSON Schema.
            BadSchema: The schema cannot be filled in.
        """
        form, prompt = self.document_annotation_format, self.document_annotation_prompt
        if form is None:
            if prompt is not None:
                raise BadOption("`document_annotation_prompt` needs a format beside it.")
            return None
        schema = _schema_in("document_annotation_format", form)
        return ExtractionRequest.by({**schema, "description": prompt} if prompt else schema)

    def picture_annotation(self) -> dict[str, Any] | None:
        """The schema of what is to be said of each picture; None where nothing is.

        Raises:
            BadOption: It is not described by a JSON Schema.
            BadSchema: The schema cannot be filled in.
        """
        if self.bbox_annotation_format is None:
            return None
        schema = _schema_in("bbox_annotation_format", self.bbox_annotation_format)
        return ExtractionRequest.by(schema).schema

    def model_here(self, settings: Settings) -> str:
        """The model that is meant: an operator's choice, or one of ours by its name.

        Mistral's newest, where nobody chose, stands for whatever reads best by default here:
        its clients know no other name. The answer says what read.

        Raises:
            UnknownModel: It is another of Mistral's.
        """
        name = self.model or LATEST
        found = settings.model_named(name)
        if found is None and name != LATEST and _OWN_NAME.match(name):
            raise UnknownModel(f"Invalid model: {name[:80]}")
        return found or (DEFAULT if name == LATEST else name)

    def page_range(self) -> str | None:
        """The pages to read as `page_ranges` writes them: from 1.

        Raises:
            BadOption: `pages` is not page numbers from 0, with ranges of them.
        """
        if self.pages is None:
            return None
        if isinstance(self.pages, str):
            return ",".join(map(_from_one, self.pages.split(",")))
        if not 0 < len(self.pages) <= MOST_PAGES:
            raise BadOption(f"`pages` must name 1 to {MOST_PAGES} pages.")
        return ",".join(str(index + 1) for index in self.pages)


class Place(Struct, frozen=True, kw_only=True):
    """Where a document is: at a URL, which may be one of data, or in a file kept here.

    Attributes:
        name: What it is called, if the request says so.
    """

    url: str = ""
    file_id: str = ""
    name: str = ""


def request_of(body: object, *, annotates: bool = False) -> OcrRequest:
    """The request that a body is.

    Args:
        body: As it came.
        annotates: Whether there is a model server to annotate documents and pictures.

    Raises:
        BadOption: A field is unknown, not valid, or asks for what is not done here.
    """
    fields = json_object(body)
    unknown_names("field", set(fields), set(OcrRequest.__struct_fields__))
    for name, what in () if annotates else _ANNOTATING.items():
        if fields.get(name) is not None:
            raise BadOption(f"{what} are not annotated here: `{name}` is refused.")
    if fields.get("confidence_scores_granularity") == "word":
        raise BadOption("`confidence_scores_granularity` can be page or block here, not word.")
    given = {name: value for name, value in fields.items() if value is not None}
    return converted(given, OcrRequest)


def _schema_in(name: str, form: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema in a format of an annotation."""
    described = form.get("json_schema")
    schema = described.get("schema") if isinstance(described, dict) else None
    if form.get("type") != "json_schema" or not isinstance(schema, dict):
        raise BadOption(f"`{name}` must be of the type json_schema.")
    return schema


def place_of(document: dict[str, Any]) -> Place:
    """Where a request's document is.

    Raises:
        BadOption: It is not in a form that is read here.
    """
    kind = document.get("type")
    if kind is None:
        kind = next((k for k in _FIELDS if k in document), None)
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise BadOption("`document` must be of the type document_url, image_url or file.")
    unknown_names("field of a document", set(document), {"type", *_FIELDS[kind]})
    value = document.get("file_id" if kind == "file" else kind)
    if kind == "image_url" and isinstance(value, dict):
        unknown_names("field of a picture", set(value), {"url", "detail"})
        if value.get("detail") not in (None, "auto"):
            raise BadOption("`detail` of a picture can only be auto here.")
        value = value.get("url")
    name = document.get("document_name") or ""
    if not isinstance(value, str) or not isinstance(name, str):
        raise BadOption(f"A document of the type {kind} is named by a text.")
    if len(name) > LONGEST_NAME:
        raise BadOption(f"`document_name` has more than {LONGEST_NAME} letters.")
    return Place(file_id=value) if kind == "file" else Place(url=value, name=name)


_FIELDS = {
    "document_url": frozenset({"document_url", "document_name"}),
    "image_url": frozenset({"image_url"}),
    "file": frozenset({"file_id"}),
}


def _from_one(part: str) -> str:
    match = _RANGE.fullmatch(part)
    if match is None:
        raise BadOption("`pages` must be page numbers from 0, such as 0,2-4.")
    first = int(match[1]) + 1
    return f"{first}-{int(match[2]) + 1}" if match[2] else str(first)
