"""The client of PaddleOCR's job API, sync and async, told by JSON what to do.

    python paddleocr_api.py URL [async] < calls.json

Each call is `{"do": NAME, "key": …, …}`; what becomes of each is one of the list it prints.
The client's first pause is shortened, so that a test need not sit through it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from paddleocr import (
    AsyncPaddleOCRClient,
    OCROptions,
    PaddleOCRClient,
    PaddleOCRVLOptions,
    PPStructureV3Options,
)

OPTIONS: dict[str, Callable[..., Any]] = {
    "ocr": OCROptions,
    "structure": PPStructureV3Options,
    "vl": PaddleOCRVLOptions,
}
PAUSE_S = 0.1
DOES = {
    "ocr": "ocr",
    "parse": "parse_document",
    "submit": "submit_ocr",
    "status": "get_status",
    "batch": "get_batch_status",
    "wait": "wait_ocr_result",
}


def arguments(call: dict[str, Any]) -> dict[str, Any]:
    given = dict(call.get("with", {}))
    if "options" in call:
        given["options"] = OPTIONS[call["kind"]](**call["options"])
    return given


def plain(value: Any) -> Any:
    return dataclasses.asdict(value) if dataclasses.is_dataclass(value) else value  # type: ignore[arg-type]


def failed(error: Exception) -> dict[str, Any]:
    return {"error": type(error).__name__, "message": str(error)}


def saved(client: Any, call: dict[str, Any], result: Any) -> list[str]:
    if "save" not in call:
        return []
    kind = "ocr" if call["do"] == "ocr" else "document_parsing"
    return list(getattr(client, f"save_{kind}_result_resources")(result, call["save"]))


def told(url: str, call: dict[str, Any]) -> dict[str, Any]:
    with PaddleOCRClient(token=call["key"], base_url=url) as client:
        client._poller._initial_interval = PAUSE_S
        try:
            result = getattr(client, DOES[call["do"]])(**arguments(call))
            return {"result": plain(result), "saved": saved(client, call, result)}
        except Exception as error:
            return failed(error)


async def told_async(url: str, call: dict[str, Any]) -> dict[str, Any]:
    async with AsyncPaddleOCRClient(token=call["key"], base_url=url) as client:
        client._poller._initial_interval = PAUSE_S
        try:
            answer = getattr(client, DOES[call["do"]])(**arguments(call))
            return {"result": plain(await answer if inspect.isawaitable(answer) else answer)}
        except Exception as error:
            return failed(error)


async def all_at_once(url: str, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list(await asyncio.gather(*(told_async(url, call) for call in calls)))


def main(url: str, *ways: str) -> None:
    calls = json.load(sys.stdin)
    if "async" in ways:
        answers = asyncio.run(all_at_once(url, calls))
    else:
        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(partial(told, url), calls))
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
