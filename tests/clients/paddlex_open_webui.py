"""What Open WebUI's loader for PaddleOCR-VL does with a file.

    python paddlex_open_webui.py URL KEY FILE

It prints the documents that the loader would make of the answer, or the error.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import requests


def load(url: str, key: str, file: str) -> list[dict[str, Any]]:
    content = base64.b64encode(Path(file).read_bytes()).decode("ascii")
    answer = requests.post(
        f"{url}/layout-parsing",
        json={
            "file": content,
            "fileType": 0 if file.lower().endswith(".pdf") else 1,
            "useDocOrientationClassify": False,
            "useDocUnwarping": False,
            "useChartRecognition": False,
        },
        headers={"Authorization": f"token {key}", "Content-Type": "application/json"},
        timeout=120,
    )
    answer.raise_for_status()
    pages = answer.json().get("result", {}).get("layoutParsingResults", [])
    texts = [page.get("markdown", {}).get("text", "").strip() for page in pages]
    return [
        {"page_content": text, "page": i, "total_pages": len(pages)}
        for i, text in enumerate(texts)
        if text
    ]


try:
    json.dump({"documents": load(*sys.argv[1:])}, sys.stdout)
except requests.HTTPError as error:
    body = "" if error.response is None else error.response.text
    json.dump({"error": str(error), "body": body}, sys.stdout)
