"""What Open WebUI's loader asks of Mistral's OCR: send, link, read, remove; or all at once.

    python mistral_open_webui.py URL KEY FILE [base64]

The URL ends in `/v1`. It prints the texts that the loader would keep, page by page.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import requests

TIMEOUT_S = 120


def read(session: requests.Session, url: str, document_url: str) -> list[str]:
    payload: dict[str, Any] = {
        "model": "mistral-ocr-latest",
        "document": {"type": "document_url", "document_url": document_url},
        "include_image_base64": False,
    }
    answer = session.post(f"{url}/ocr", json=payload, timeout=TIMEOUT_S)
    answer.raise_for_status()
    return [page["markdown"] for page in answer.json()["pages"] if page["index"] is not None]


def by_upload(session: requests.Session, url: str, file: Path) -> list[str]:
    with file.open("rb") as content:
        kept = session.post(
            f"{url}/files",
            files={"file": (file.name, content, "application/pdf")},
            data={"purpose": "ocr"},
            timeout=TIMEOUT_S,
        )
    kept.raise_for_status()
    place = f"{url}/files/{kept.json()['id']}"
    link = session.get(f"{place}/url", params={"expiry": 1}, timeout=TIMEOUT_S)
    link.raise_for_status()
    try:
        return read(session, url, link.json()["url"])
    finally:
        session.delete(place, timeout=TIMEOUT_S).raise_for_status()


def by_base64(session: requests.Session, url: str, file: Path) -> list[str]:
    encoded = base64.b64encode(file.read_bytes()).decode()
    return read(session, url, f"data:application/pdf;base64,{encoded}")


if __name__ == "__main__":
    asking = requests.Session()
    asking.headers["Authorization"] = f"Bearer {sys.argv[2]}"
    way = by_base64 if sys.argv[4:] == ["base64"] else by_upload
    sys.stdout.write(json.dumps(way(asking, sys.argv[1], Path(sys.argv[3]))))
