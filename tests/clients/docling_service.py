"""Docling's client of docling-serve, and the loader of LangChain on it.

    python docling_service.py URL KEY OTHER_KEY FOLDER PLACE

The folder holds `real.pdf`, `form.pdf`, `large.pdf`, `some.pdf` and `broken.pdf`, and
`every.json`, a DoclingDocument; at the place, a URL, is `some.pdf` too. It prints what became
of each step, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from docling.datamodel.base_models import OutputFormat
from docling.datamodel.service.options import ConvertDocumentsOptions as Options
from docling.datamodel.service.targets import InBodyTarget, PresignedUrlTarget
from docling.service_client import (
    AsyncDoclingServiceClient,
    ChunkerKind,
    DoclingServiceClient,
)
from docling_core.transforms.chunker import HierarchicalChunker
from docling_core.types.doc import DoclingDocument
from langchain_docling import DoclingLoader
from langchain_docling.loader import ExportType

Steps = dict[str, Any]
FAKE = {"pipeline": "vlm"}
PATIENCE_S = 60.0


def real(client: Any, folder: Path) -> Any:
    """The way that nobody configures: no target, and news by a web socket."""
    options = Options(page_range=(1, 2), to_formats=[OutputFormat.MARKDOWN])
    job = client.submit(folder / "real.pdf", options=options)
    result = job.result()
    return {
        "id": job.task_id,
        "status": result.status.value,
        "name": str(result.input.file),
        "document": result.document.export_to_dict(),
        "markdown": result.document.export_to_markdown(),
        "chunks": len(list(HierarchicalChunker().chunk(result.document))),
    }


def cut(client: Any, folder: Path) -> Any:
    """Chunks by both of theirs."""
    options = Options(page_range=(1, 2))
    told = {}
    for kind in ChunkerKind:
        result = client.chunk(folder / "real.pdf", kind, options)
        told[kind.value] = [
            (chunk.filename, chunk.page_numbers, chunk.doc_items, chunk.num_tokens)
            for chunk in result.chunks
        ]
    return told


def every_kind(client: Any, folder: Path) -> Any:
    document = DoclingDocument.model_validate_json((folder / "every.json").read_bytes())
    items = (*document.texts, *document.tables, *document.pictures)
    return {
        "labels": sorted(item.label.value for item in items),
        "markdown": document.export_to_markdown(),
    }


def form(client: Any, folder: Path) -> Any:
    """A form's labels, values and boxes, as docling-core's own types have them."""
    document = client.convert(folder / "form.pdf").document
    told = []
    for item in document.key_value_items:
        cells = {cell.cell_id: cell for cell in item.graph.cells}
        links = [
            (
                link.label.value,
                *(cells[link.source_cell_id].text, cells[link.target_cell_id].text),
                cells[link.target_cell_id].label.value,
            )
            for link in item.graph.links
        ]
        boxes = [cell.prov.bbox.model_dump(mode="json") for cell in item.graph.cells]
        told.append({"page": item.prov[0].page_no, "links": links, "boxes": boxes})
    return {"items": told, "markdown": document.export_to_markdown()}


def at_a_url(client: Any, place: str) -> Any:
    result = client.convert(place, options=Options(**FAKE))
    return {"name": str(result.input.file), "pages": len(result.document.pages)}


def clipped(client: Any, folder: Path) -> Any:
    """The last page wanted lies behind the document's end."""
    result = client.convert(folder / "some.pdf", options=Options(**FAKE), max_num_pages=50)
    return {"status": result.status.value, "pages": len(result.document.pages)}


def beyond(client: Any, folder: Path) -> Any:
    return client.convert(folder / "some.pdf", options=Options(**FAKE, page_range=(9, 12)))


def torn(client: Any, folder: Path) -> Any:
    result = client.convert(folder / "some.pdf", options=Options(ocr_preset="torn"))
    told = [(error.page_no, error.error_message) for error in result.errors]
    return {
        "status": result.status.value,
        "errors": told,
        "pages": len(result.document.pages),
    }


def large(client: Any, folder: Path) -> Any:
    options = Options(ocr_preset="large")
    job = client.submit(folder / "large.pdf", options=options, target=InBodyTarget())
    document = job.result().document
    return {
        "pages": len(document.pages),
        "bytes": len(document.model_dump_json()),
        "texts": len(document.texts),
        "last": document.texts[-1].text,
    }


def loaded(client: Any, folder: Path) -> Any:
    loader = DoclingLoader(
        str(folder / "some.pdf"),
        converter=client,
        convert_kwargs={"options": Options(**FAKE)},
        export_type=ExportType.MARKDOWN,
    )
    return [page.page_content for page in loader.load()]


def all_of_them(client: Any, folder: Path) -> Any:
    found = client.convert_all(
        [folder / "some.pdf", folder / "broken.pdf"], options=Options(**FAKE)
    )
    return [(result.status.value, [e.error_message for e in result.errors]) for result in found]


def broken(client: Any, folder: Path) -> Any:
    return client.convert(folder / "broken.pdf")


def refused(**asked: Any) -> Callable[[Any, Path], Any]:
    return lambda client, folder: client.convert(folder / "some.pdf", options=Options(**asked))


def presigned(client: Any, folder: Path) -> Any:
    return client.submit(folder / "some.pdf", target=PresignedUrlTarget())


def at_a_private_place(client: Any, folder: Path) -> Any:
    return client.convert("http://10.0.0.1:9/secret.pdf")


def begun(client: Any, folder: Path, name: str = "some.pdf", model: str = "fake") -> Any:
    return client.submit(
        folder / name, options=Options(ocr_preset=model), target=InBodyTarget()
    )


def begun_for_long(client: Any, folder: Path) -> Any:
    """A job that takes a minute, of which the worker notes at its next page that it is over."""
    return begun(client, folder, "large.pdf", "slow")


def cancel(client: Any, job: Any) -> None:
    own(client).post(f"/v1/jobs/{job.task_id}/cancel").raise_for_status()


def cancelled(client: Any, folder: Path) -> Any:
    job = begun_for_long(client, folder)
    cancel(client, job)
    return job.result()


def erased(client: Any, folder: Path) -> Any:
    job = begun(client, folder)
    job.result()
    own(client).delete(f"/v1/jobs/{job.task_id}").raise_for_status()
    return job.result()


def gone(client: Any, folder: Path) -> Any:
    job = begun(client, folder)
    own(client).delete(f"/v1/jobs/{job.task_id}").raise_for_status()
    return job.poll()


def foreign(client: Any, folder: Path, other: str) -> Any:
    job = begun(client, folder)
    with client_of(client._base_url, other) as theirs:
        return theirs._poll_task_status(job.task_id, 0)


def not_ready(client: Any, folder: Path) -> Any:
    job = begun_for_long(client, folder)
    try:
        return job._handlers.fetch_result(job.task_id, None)
    finally:
        cancel(client, job)


async def asynchronous(url: str, key: str, folder: Path) -> Any:
    async with AsyncDoclingServiceClient(
        url, api_key=key, http_connect_timeout=PATIENCE_S
    ) as client:
        job = await client.submit(
            folder / "some.pdf", options=Options(**FAKE), target=InBodyTarget()
        )
        result = await job.result()
        return [text.text for text in result.document.texts]


def own(client: Any) -> httpx.Client:
    """A client of our own API, with the same key."""
    headers = {"Authorization": f"Bearer {client._api_key}"}
    return httpx.Client(base_url=client._base_url, headers=headers, timeout=PATIENCE_S)


def client_of(url: str, key: str) -> Any:
    return DoclingServiceClient(
        url, api_key=key, http_retries=0, http_connect_timeout=PATIENCE_S
    )


def what_became(step: Callable[[], Any]) -> Any:
    began = time.monotonic()
    try:
        return {"told": step(), "seconds": time.monotonic() - began}
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)}


def main(url: str, key: str, other: str, folder: Path, place: str) -> Steps:
    with client_of(url, key) as client, client_of(url, "nobody") as stranger:
        steps: dict[str, Callable[[], Any]] = {
            step.__name__: lambda step=step: step(client, folder)  # type: ignore[misc]
            for step in (
                real,
                cut,
                every_kind,
                form,
                clipped,
                beyond,
                torn,
                large,
                loaded,
                all_of_them,
                broken,
                presigned,
                at_a_private_place,
                cancelled,
                erased,
                gone,
                not_ready,
            )
        }
        steps["version"] = client.version
        steps["at_a_url"] = lambda: at_a_url(client, place)
        steps["health"] = lambda: client.health().status
        steps["foreign"] = lambda: foreign(client, folder, other)
        steps["stranger"] = lambda: stranger.convert(folder / "some.pdf")
        steps["unknown_task"] = lambda: client._poll_task_status("nothing", 0)
        steps["asynchronous"] = lambda: asyncio.run(asynchronous(url, key, folder))
        options: dict[str, dict[str, Any]] = {
            "described": {"do_picture_description": True},
            "doctags": {"to_formats": ["doctags"]},
            "easyocr": {"ocr_preset": "easyocr"},
            "asr": {"pipeline": "asr"},
        }
        for name, asked in options.items():
            step = refused(**asked)
            steps[name] = lambda step=step: step(client, folder)  # type: ignore[misc]
        return {name: what_became(step) for name, step in steps.items()}


if __name__ == "__main__":
    sys.stdout.write(
        json.dumps(main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]), sys.argv[5]))
    )
