"""A valid request for every route, from which wrong ones are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from pagetide.server.compat.azure.batches.batch import Batch, Batches, Item
from pagetide.server.compat.azure.request import AnalyzeRequest as AzureAsked
from tests.fuzz import dialects
from tests.fuzz.asked import BOUNDARY, JSON, Asked, Part
from tests.fuzz.dialects import Dialect
from tests.fuzz.world import World, in_base64, picture

FORM = f"multipart/form-data; boundary={BOUNDARY}"
AZURE, JOBS = "/documentintelligence", "/api/v2/ocr/jobs"
Named = dict[str, Any]
FIELDS: Named = {
    "model": "fake",
    "pages": "1",
    "dpi": 100,
    "languages": ["en"],
    "formats": ["md"],
}
FIELDS |= {"metadata": {"a": "b"}, "options": {}, "ttl_s": 3600, "priority": "batch"}
FIELDS |= {"text_layer": "never", "line_breaks": "keep", "password": "secret"}
FIELDS |= {"review_below": 0.5, "review_sums": True, "review_sample": 0.5}
FIELDS |= {"webhook_url": "http://127.0.0.1:1/hook", "name": "a.png"}
SCHEMA: Named = {
    "type": "object",
    "properties": {
        "total": {"anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}]},
        "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
    },
    "$defs": {"item": {"properties": {"kind": {"enum": ["a", "b"]}}}},
}


@dataclass(frozen=True)
class Seed:
    """A route's valid request.

    Attributes:
        made: The request; called again where the last one used something up.
        dialect: How the route tells of errors.
    """

    name: str
    path: str
    made: Callable[[], Asked]
    dialect: Dialect

    @property
    def uses_up(self) -> bool:
        """Whether a request that succeeds takes away what the next one needs."""
        return self.name.startswith("DELETE ")


def seeds(world: World) -> list[Seed]:
    """All of them."""
    found = [
        *_native(world),
        *_reviews(world),
        *_azure(world),
        *_docling(world),
        *_paddle(world),
        *_others(world),
    ]
    return found


def _seed(dialect: Dialect, made: Callable[[], Asked]) -> Seed:
    first = made()
    media = next((value for name, value in first.headers if name == "content-type"), "")
    kind = " form" if media == FORM else ""
    return Seed(f"{first.method} {first.path}{kind}", first.path, made, dialect)


class _With:
    """Requests with a key."""

    def __init__(self, world: World, dialect: Dialect) -> None:
        self._key, self._dialect = world.key, dialect

    def get(self, path: str, query: Named | None = None, /, **places: object) -> Seed:
        return self._of("GET", path, places, query)

    def delete(self, path: str, query: Named | None = None, /, **places: object) -> Seed:
        return self._of("DELETE", path, places, query)

    def json(
        self,
        path: str,
        body: object,
        query: Named | None = None,
        /,
        **places: object,
    ) -> Seed:
        return self._of("POST", path, places, query, JSON, json=body)

    def form(self, path: str, *parts: Part) -> Seed:
        return self._of("POST", path, {}, None, FORM, form=list(parts))

    def raw(
        self,
        method: str,
        path: str,
        query: Named | None = None,
        /,
        **places: object,
    ) -> Seed:
        return self._of(method, path, places, query, "application/octet-stream", raw=picture())

    def _of(
        self,
        method: str,
        path: str,
        places: Named,
        query: Named | None,
        media_type: str = "",
        **body: object,
    ) -> Seed:
        headers = [("authorization", f"Bearer {self._key}"), ("host", "127.0.0.1")]
        headers += [("content-type", media_type)] if media_type else []

        def made() -> Asked:
            there = {n: value() if callable(value) else value for n, value in places.items()}
            return Asked(
                method,
                path,
                there,
                list((query or {}).items()),
                list(headers),
                **body,  # type: ignore[arg-type]
            )

        return _seed(self._dialect, made)


def _reviews(world: World) -> Iterator[Seed]:
    ours, job = _With(world, dialects.native), world.job()
    yield ours.json("/v1/reviews/next", {"by": "Ann"})
    yield ours.get("/v1/reviews", {"limit": 5})
    yield ours.get("/v1/reviews/corrections")
    yield ours.get("/v1/jobs/{job_id}/review", {"all_lines": "true"}, job_id=job.id)
    for path in ("/renew", "/release"):
        nobodys = {"token": "of nobody"}
        yield ours.json(f"/v1/jobs/{{job_id}}/review{path}", nobodys, job_id=job.id)
    correction: Named = {"page": 1, "line": 0, "old": "a", "new": "b", "name": "total"}
    correction["polygon"] = [[0, 0], [9, 0], [9, 9], [0, 9]]
    closing = {"token": "of nobody", "corrections": [correction]}
    yield ours.json("/v1/jobs/{job_id}/review", closing, job_id=job.id)


def _native(world: World) -> Iterator[Seed]:
    ours, job = _With(world, dialects.native), world.job(pages=2)
    fields = [
        Part(name, value)
        for name, value in FIELDS.items()
        if name not in ("languages", "formats")
    ]
    document = Part("file", picture(), "a.png")
    away = {"file_url": f"{world.away}/doc.png"}
    yield ours.json("/v1/jobs", {"file": in_base64(), **FIELDS})
    yield ours.json("/v1/read", {**away, **FIELDS, "wait": 5, "format": "md"})
    for path in ("/v1/jobs", "/v1/read"):
        yield ours.form(path, document, *fields, Part("languages", "en"), Part("formats", "md"))
    yield ours.json("/v1/extract", {"job": job.id, "schema": SCHEMA})
    yield ours.json("/v1/extract", {"file": in_base64(), **FIELDS, "queries": ["What?"]})
    yield ours.form("/v1/extract", document, *fields, Part("queries", "What?"))
    yield ours.get("/v1/jobs", {"status": "succeeded", "cursor": job.id, "limit": 5})
    yield ours.get("/v1/jobs/{job_id}", {"wait": 0.1}, job_id=job.id)
    for path in ("events", "deliveries", "pages"):
        yield ours.get(f"/v1/jobs/{{job_id}}/{path}", job_id=job.id)
    yield ours.get("/v1/jobs/{job_id}/result", {"format": "json", "wait": 0.1}, job_id=job.id)
    yield ours.get("/v1/jobs/{job_id}/pages/{number}", {"wait": 0.1}, job_id=job.id, number=1)
    yield ours.get("/v1/jobs/{job_id}/pages/{number}/image", job_id=job.id, number=1)
    yield ours.get("/v1/jobs/{job_id}/pages/{number}/figures", job_id=job.id, number=1)
    yield ours.get(
        "/v1/jobs/{job_id}/pages/{number}/figures/{order}.png", job_id=job.id, number=1, order=0
    )
    signed = world.signed(f"/v1/files/{job.id}/json")
    yield ours.get("/v1/files/{job_id}/{format}", signed, job_id=job.id, format="json")
    figure = f"/v1/files/{job.id}/pages/1/figures/0.png"
    path = "/v1/files/{job_id}/pages/{number}/figures/{order}.png"
    yield ours.get(path, world.signed(figure), job_id=job.id, number=1, order=0)
    yield ours.json("/v1/jobs/{job_id}/cancel", None, job_id=lambda: world.job().id)
    yield ours.json("/v1/jobs/{job_id}/deliveries", None, job_id=job.id)
    yield ours.delete("/v1/jobs/{job_id}", job_id=lambda: world.job().id)
    yield ours.json("/v1/uploads", {})
    upload = world.upload()
    link = {"owner": world.owner, "most_bytes": "1000"}
    signed = world.signed(f"/v1/uploads/{upload}?owner={world.owner}&most_bytes=1000")
    yield ours.raw("PUT", "/v1/uploads/{upload_id}", link | signed, upload_id=upload)
    yield ours.json("/v1/jobs", {"upload": world.upload(), "model": "fake"})
    yield ours.json("/v1/pools/{pool}/warm", {"workers": 1, "for_s": 60}, pool="cpu")
    yield ours.get("/v1/backlog/{pool}", pool="cpu")
    for path in ("limits", "backlog", "history", "models", "languages"):
        yield ours.get(f"/v1/{path}")
    for path in ("/health/live", "/health/ready", "/metrics", "/openapi.json", "/docs", "/"):
        yield ours.get(path)
    yield ours.get("/ui/{path}", path="shell.js")


def _azure(world: World) -> Iterator[Seed]:
    ours, version = _With(world, dialects.azure), {"api-version": "2024-11-30"}
    note = AzureAsked(
        model_id="prebuilt-layout", output=("pdf", "figures"), query_fields=("Total",)
    ).note()
    asked: Named = {"pages": "1", "locale": "en", "stringIndexType": "textElements"}
    asked |= {
        "features": "ocrHighResolution",  # batches take no query fields
        "outputContentFormat": "markdown",
        "output": "pdf",
    }
    model = f"{AZURE}/documentModels/{{model_id}}"
    there = {"model_id": "prebuilt-layout"}
    job = world.job(note)

    def fresh() -> str:
        return world.job(note).id

    fields = {"features": "queryFields", "queryFields": "Total,DueDate"}
    yield ours.json(
        f"{model}:analyze", {"base64Source": in_base64()}, version | asked | fields, **there
    )
    yield ours.json(
        f"{model}:analyze", {"urlSource": f"{world.away}/doc.png"}, version, **there
    )
    yield ours.raw("POST", f"{model}:analyze", version, **there)
    box, target = f"{world.away}/box?sig=a", {"resultContainerUrl": f"{world.away}/out?sig=b"}
    more = {"resultPrefix": "x/", "overwriteExisting": True}
    some = {"azureBlobSource": {"containerUrl": box, "prefix": ""}}
    listed = {"azureBlobFileListSource": {"containerUrl": box, "fileList": "list"}}
    for source in (some, listed):
        yield ours.json(
            f"{model}:analyzeBatch", {**source, **target, **more}, version | asked, **there
        )
    result = f"{model}/analyzeResults/{{result_id}}"
    for path in ("", "/pdf"):
        yield ours.get(f"{result}{path}", version, result_id=job.id, **there)
    figure = f"{result}/figures/{{figure_id}}"
    yield ours.get(figure, version, result_id=job.id, figure_id="1.1", **there)
    yield ours.delete(result, version, result_id=fresh, **there)
    batches = f"{model}/analyzeBatchResults"
    yield ours.get(batches, version | {"after": job.id}, **there)
    one, batch = f"{batches}/{{result_id}}", partial(_batch, world)
    yield ours.get(one, version, result_id=batch(), **there)
    yield ours.delete(one, version, result_id=batch, **there)
    for path in ("info", "documentModels", "documentClassifiers"):
        yield ours.get(f"{AZURE}/{path}", version)
    yield ours.get(model, version, **there)


def _batch(world: World) -> str:
    """Id of a batch of one document, which has been read."""
    note = AzureAsked(model_id="prebuilt-layout")
    job = world.job(note.note())
    item = Item(source=f"{world.away}/box/a.png", result="a.json", job_id=job.id)
    batch = Batch(
        id=job.id,
        request=note,
        target=f"{world.away}/out?sig=b",
        overwrite=True,
        created_at=job.created_at,
        changed_at=job.created_at,
        items=(item,),
    )
    nowhere: Any = None
    Batches(world.service, world.owner, nowhere, nowhere).keep(batch)
    return job.id


def _docling(world: World) -> Iterator[Seed]:
    ours, job = _With(world, dialects.detail), world.job()
    options: Named = {"to_formats": ["md", "json", "html", "text"], "from_formats": ["image"]}
    options |= {"image_export_mode": "embedded", "do_ocr": True, "force_ocr": True}
    options |= {"ocr_engine": "auto", "ocr_lang": ["en"], "pipeline": "standard"}
    options |= {"page_range": [1, 2], "include_images": True, "table_mode": "fast"}
    options |= {"md_page_break_placeholder": "--", "images_scale": 2.0, "abort_on_error": False}
    held = {"kind": "file", "base64_string": in_base64(), "filename": "a.png"}
    away = {"kind": "http", "url": f"{world.away}/doc.png", "headers": {}}
    parts = [Part(n, str(v)) for n, v in options.items() if not isinstance(v, list)]
    parts += [
        Part("files", picture(), "a.png"),
        Part("to_formats", "md"),
        Part("target_type", "inbody"),
    ]
    for tail in ("", "/async"):
        for source in (held, away):
            whole = {"sources": [source], "options": options, "target": {"kind": "inbody"}}
            yield ours.json(f"/v1/convert/source{tail}", whole)
        yield ours.form(f"/v1/convert/file{tail}", *parts)
    yield ours.get("/v1/status/poll/{task_id}", {"wait": 0.1}, task_id=job.id)
    yield ours.get("/v1/result/{task_id}", task_id=job.id)
    yield ours.get("/version")


def _paddle(world: World) -> Iterator[Seed]:
    ours, job = _With(world, dialects.paddlex), world.job()
    asked: Named = {"file": in_base64(), "fileType": 1, "logId": "a", "visualize": True}
    layout: Named = {
        "markdownIgnoreLabels": ["header"],
        "prettifyMarkdown": True,
        "mergeTables": True,
    }
    layout |= {"restructurePages": True}
    layout |= {"outputFormats": [], "relevelTitles": True}
    told: Named = {"useDocOrientationClassify": False, "textDetLimitSideLen": 64}
    yield ours.json("/ocr", asked | {"returnWordBox": True})
    yield ours.json("/ocr", asked | told)
    yield ours.json("/layout-parsing", asked | layout)
    told |= {"layoutThreshold": {"0": 0.5}, "useTableRecognition": True}
    yield ours.json("/layout-parsing", asked | layout | told)
    yield ours.json("/layout-parsing", {"file": f"{world.away}/doc.png"})
    yield ours.json(
        "/restructure-pages",
        {"pages": [PRUNED, PRUNED], "concatenatePages": True, "logId": "a"},
    )
    yield ours.get("/health")
    theirs = _With(world, dialects.paddleocr)
    payload: Named = {
        "useDocOrientationClassify": False,
        "visualize": True,
        "markdownIgnoreLabels": ["a"],
    }
    asked = {
        "model": "PP-StructureV3",
        "optionalPayload": payload,
        "pageRanges": "1",
        "batchId": "b",
    }
    yield theirs.json(JOBS, asked | {"fileUrl": f"{world.away}/doc.png"})
    yield theirs.form(
        JOBS, Part("file", picture(), "a.png"), *(Part(*pair) for pair in asked.items())
    )
    yield theirs.get(f"{JOBS}/batch/{{batch_id}}", batch_id="b")
    yield theirs.get(f"{JOBS}/{{job_id}}", job_id=job.id)
    for path, places in (
        ("result.jsonl", {}),
        ("pages/{number}.png", {"number": 1}),
        ("pages/{number}/drawn.png", {"number": 1}),
    ):
        signed = world.signed(f"{JOBS}/{job.id}/{path.format(**places)}")
        yield theirs.get(f"{JOBS}/{{job_id}}/{path}", signed, job_id=job.id, **places)


def _others(world: World) -> Iterator[Seed]:
    held = Part("file", picture(), "a.png")
    ours, job = _With(world, dialects.detail), world.job()
    yield ours.form("/predict", held)
    yield ours.form("/api/v1/ocr/process", held)
    yield ours.get("/api/v1/ocr/results/{task_id}", task_id=job.id)
    theirs = _With(world, dialects.mistral)
    asked: Named = {"model": "mistral-ocr-latest", "pages": [0], "include_image_base64": True}
    asked |= {
        "image_limit": 3,
        "image_min_size": 1,
        "table_format": "html",
        "extract_header": True,
    }
    asked |= {"confidence_scores_granularity": "block", "include_blocks": True}
    described = {"type": "json_schema", "json_schema": {"name": "a", "schema": SCHEMA}}
    asked |= {"document_annotation_format": described, "document_annotation_prompt": "Look."}
    data = {
        "type": "document_url",
        "document_url": f"data:image/png;base64,{in_base64()}",
        "document_name": "a",
    }
    picture_url = {
        "type": "image_url",
        "image_url": {"url": f"{world.away}/doc.png", "detail": "auto"},
    }
    for document in (data, picture_url, {"type": "file", "file_id": world.upload()}):
        yield theirs.json("/v1/ocr", asked | {"document": document})
    yield theirs.form("/v1/files", held, Part("purpose", "ocr"), Part("visibility", "user"))
    yield theirs.get("/v1/files/{file_id}/url", {"expiry": 24}, file_id=world.upload())
    yield theirs.delete("/v1/files/{file_id}", file_id=world.upload)
    yield from _textract(world)


def _textract(world: World) -> Iterator[Seed]:
    ours = _With(world, dialects.textract)
    held, stored = {"Bytes": in_base64()}, {"S3Object": {"Bucket": "scans", "Name": "a.png"}}
    job = world.job({"textract": "AnalyzeDocument", "textract_features": "LAYOUT"})
    bill = world.job({"textract": "AnalyzeExpense"})
    asked = {
        "DetectDocumentText": {"Document": held},
        "AnalyzeDocument": {
            "Document": held,
            "FeatureTypes": ["TABLES", "LAYOUT", "FORMS", "QUERIES"],
            "QueriesConfig": {"Queries": [{"Text": "What?", "Alias": "W", "Pages": ["*"]}]},
        },
        "AnalyzeExpense": {"Document": held},
        "StartDocumentTextDetection": {"DocumentLocation": stored, "ClientRequestToken": "a"},
        "StartDocumentAnalysis": {
            "DocumentLocation": stored,
            "FeatureTypes": ["LAYOUT"],
            "JobTag": "b",
        },
        "StartExpenseAnalysis": {"DocumentLocation": stored, "ClientRequestToken": "c"},
        "GetExpenseAnalysis": {"JobId": bill.id},
        "GetDocumentAnalysis": {"JobId": job.id, "MaxResults": 5, "NextToken": "x"},
        "GetDocumentTextDetection": {"JobId": job.id},
    }
    for name, body in asked.items():
        yield _targeted(ours.json("/", body), name)
    yield ours.json(
        "/service/Textract/operation/{operation}", {}, operation="DetectDocumentText"
    )


def _targeted(seed: Seed, name: str) -> Seed:
    def made() -> Asked:
        asked = seed.made()
        asked.headers.append(("x-amz-target", f"Textract.{name}"))
        return asked

    return Seed(f"{seed.name} {name}", seed.path, made, seed.dialect)


PRUNED = {
    "prunedResult": {
        "parsing_res_list": [
            {
                "block_label": "table",
                "block_content": "<table><tr><td>a</td></tr></table>",
                "block_bbox": [1, 2, 30, 40],
                "block_id": 0,
            },
            {
                "block_label": "paragraph_title",
                "block_content": "1.2 Title",
                "block_bbox": [1, 50, 30, 60],
                "block_id": 1,
                "title_level": 2,
            },
        ],
        "overall_ocr_res": {"rec_boxes": [[1, 50, 30, 60]]},
        "layout_det_res": {"boxes": []},
    },
    "markdownImages": {"img_b1.jpg": in_base64()},
}
