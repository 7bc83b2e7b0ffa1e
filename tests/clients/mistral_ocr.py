"""Mistral's client of its OCR, told by JSON what to do.

    python mistral_ocr.py URL KEY < calls.json

Each call is the arguments of `ocr.process`, where `{"file": PATH, "type": TYPE}` stands for a
data URL; with `"asynchronous": true` it is `ocr.process_async`. What becomes of each is one of
the list it prints.
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from pathlib import Path
from typing import Any

from mistralai.client import Mistral
from mistralai.client.errors import MistralError


def filled(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "file" in value:
        encoded = base64.b64encode(Path(value["file"]).read_bytes()).decode()
        return f"data:{value['type']};base64,{encoded}"
    return {name: filled(one) for name, one in value.items()}


def answered(client: Mistral, call: dict[str, Any]) -> Any:
    asynchronous = call.pop("asynchronous", False)
    arguments = {name: filled(value) for name, value in call.items()}
    try:
        if asynchronous:
            answer = asyncio.run(client.ocr.process_async(**arguments))
        else:
            answer = client.ocr.process(**arguments)
    except MistralError as error:
        told = json.loads(error.body)
        return {"error": type(error).__name__, "status": error.status_code, "told": told}
    return answer.model_dump(mode="json")


def by_files(client: Mistral, path: Path) -> Any:
    """A file sent first and read twice, by its id and by its link; and once it is gone."""
    file: Any = {"file_name": path.name, "content": path.read_bytes()}
    kept = client.files.upload(file=file, purpose="ocr")
    link = client.files.get_signed_url(file_id=kept.id)
    model = "mistral-ocr-2512"
    read = [
        client.ocr.process(model=model, document={"type": "file", "file_id": kept.id}),
        client.ocr.process(
            model=model, document={"type": "document_url", "document_url": link.url}
        ),
    ]
    deleted = client.files.delete(file_id=kept.id)
    call = {"model": model, "document": {"type": "file", "file_id": kept.id}}
    return {
        "kept": kept.model_dump(mode="json"),
        "texts": [[page.markdown for page in answer.pages] for answer in read],
        "deleted": deleted.deleted,
        "after": answered(client, call),
    }


if __name__ == "__main__":
    with Mistral(api_key=sys.argv[2], server_url=sys.argv[1]) as mistral:
        done = [
            by_files(mistral, Path(call["by_files"]))
            if "by_files" in call
            else answered(mistral, call)
            for call in json.load(sys.stdin)
        ]
    sys.stdout.write(json.dumps(done))
