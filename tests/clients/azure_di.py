"""Azure's client of Document Intelligence, told by JSON what to do.

    python azure_di.py URL KEY [--async] < calls.json

Each call is `[NAME, ARGUMENTS]`; `{"job": N}` stands for the id that call N was answered with,
and `into` for where the answer is to be kept. What becomes of each is one of the list it
prints.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from azure.ai.documentintelligence import (
    DocumentIntelligenceAdministrationClient,
    DocumentIntelligenceClient,
)
from azure.ai.documentintelligence.aio import DocumentIntelligenceClient as AsyncClient
from azure.ai.documentintelligence.models import (
    AnalyzeBatchDocumentsRequest,
    AnalyzeDocumentRequest,
    AzureBlobContentSource,
    AzureBlobFileListContentSource,
)
from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import HttpResponseError
from azure.core.pipeline.transport import AioHttpTransport, RequestsTransport

Json = dict[str, Any]
PAUSE_S = 0.1  # between polls, though the server says a second: a test need not sit through it


class Transport(RequestsTransport):  # type: ignore[misc]
    def sleep(self, duration: float) -> None:
        super().sleep(min(duration, PAUSE_S))


class AsyncTransport(AioHttpTransport):  # type: ignore[misc]
    async def sleep(self, duration: float) -> None:
        await super().sleep(min(duration, PAUSE_S))


def body_of(source: Json) -> Any:
    """What the client is given: an open file, or a request with bytes or a URL."""
    if "file" in source:
        return Path(source["file"]).open("rb")
    if "bytes" in source:
        return AnalyzeDocumentRequest(bytes_source=Path(source["bytes"]).read_bytes())
    if "url" in source:
        return AnalyzeDocumentRequest(url_source=source["url"])
    return source["json"]


def batch_of(source: Json, target: Json) -> AnalyzeBatchDocumentsRequest:
    blobs = {}
    if "file_list" in source:
        blobs["azure_blob_file_list_source"] = AzureBlobFileListContentSource(**source)
    else:
        blobs["azure_blob_source"] = AzureBlobContentSource(**source)
    return AnalyzeBatchDocumentsRequest(**blobs, **target)


def kept(into: str, parts: Iterator[bytes]) -> Json:
    with Path(into).open("wb") as file:
        file.writelines(parts)
    return {"bytes": Path(into).stat().st_size}


def analyzed(client: Any, model: str, source: Json, into: str = "", **options: Any) -> Json:
    poller = client.begin_analyze_document(model, body_of(source), **options)
    found = poller.result()
    return _shown(poller.details["operation_id"], found, into)


def _shown(operation_id: str, result: Any, into: str) -> Json:
    if not into:
        return {"id": operation_id, "result": result.as_dict()}
    Path(into).write_text(json.dumps(result.as_dict()))
    return {"id": operation_id}


def call(url: str, key: str, name: str, given: Json) -> Any:
    client = DocumentIntelligenceClient(url, AzureKeyCredential(key), transport=Transport())
    about = DocumentIntelligenceAdministrationClient(url, AzureKeyCredential(key))
    with client, about:
        if name == "analyze":
            return analyzed(client, **given)
        if name == "pdf":
            into = given.pop("into")
            return kept(into, client.get_analyze_result_pdf(**given))
        if name == "figure":
            into = given.pop("into")
            return kept(into, client.get_analyze_result_figure(**given))
        if name == "delete":
            client.delete_analyze_result(**given)
            return {}
        if name == "batch":
            poller = client.begin_analyze_batch_documents(
                given["model"],
                batch_of(given["source"], given["target"]),
                **given.get("options", {}),
            )
            found = poller.result()
            where = poller.polling_method()._initial_response.http_response.headers
            operation = where["Operation-Location"].rpartition("/")[2].partition("?")[0]
            return {"id": operation, "result": found.as_dict()}
        if name == "get_batch":
            return client.get_analyze_batch_result(**_renamed(given)).as_dict()
        if name == "list_batches":
            return [each.as_dict() for each in client.list_analyze_batch_results(**given)]
        if name == "delete_batch":
            client.delete_analyze_batch_result(**given)
            return {}
        if name == "about":
            models = [model.model_id for model in about.list_models()]
            one = about.get_model(models[0]).model_id
            resource = about.get_resource_details().as_dict()
            return {"models": models, "one": one, "resource": resource}
        return getattr(about, name)(**given)


def _renamed(given: Json) -> Json:
    return {"continuation_token": given["token"]} if "token" in given else given


async def call_async(url: str, key: str, name: str, given: Json) -> Any:
    async with AsyncClient(url, AzureKeyCredential(key), transport=AsyncTransport()) as client:
        if name == "analyze":
            model, source = given.pop("model"), given.pop("source")
            into = given.pop("into", "")
            poller = await client.begin_analyze_document(model, body_of(source), **given)
            return _shown(poller.details["operation_id"], await poller.result(), into)
        if name == "pdf":
            into = given.pop("into")
            parts: AsyncIterator[bytes] = await client.get_analyze_result_pdf(**given)
            return kept(into, iter([part async for part in parts]))
        assert name == "delete"
        await client.delete_analyze_result(**given)
        return {}


def refused(error: HttpResponseError) -> Json:
    told = error.error
    inner = (told.innererror or {}) if told else {}
    return {
        "status": error.status_code,
        "kind": type(error).__name__,
        "code": told.code if told else "",
        "inner": inner.get("code", ""),
        "said": inner.get("message") or (told.message if told else str(error)),
    }


def filled(given: Json, answers: list[Any]) -> Json:
    def value(given: Any) -> Any:
        known = isinstance(given, dict) and "job" in given
        return answers[given["job"]]["id"] if known else given

    return {name: value(each) for name, each in given.items()}


def main() -> None:
    url, key = sys.argv[1:3]
    answers: list[Any] = []
    for name, given in json.load(sys.stdin):
        arguments = filled(given, answers)
        try:
            if "--async" in sys.argv:
                answers.append(asyncio.run(call_async(url, key, name, arguments)))
            else:
                answers.append(call(url, key, name, arguments))
        except HttpResponseError as error:
            answers.append(refused(error))
    sys.stdout.write(json.dumps(answers))


main()
