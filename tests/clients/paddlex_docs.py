"""A client of PaddleX serving as its documentation writes them.

    python paddlex_docs.py URL KEY FILE FOLDER

It reads the file by `/ocr` and `/layout-parsing`, puts the pages together by
`/restructure-pages`, writes Markdown and pictures below the folder, and prints the answers
without their pictures.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import requests


def write(folder: Path, name: str, picture: str) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(base64.b64decode(picture))
    return path.relative_to(folder).as_posix()


def main(url: str, key: str, file: str, place: str) -> None:
    folder, session = Path(place), requests.Session()
    session.headers["Authorization"] = f"Bearer {key}"
    encoded = base64.b64encode(Path(file).read_bytes()).decode("ascii")
    payload = {"file": encoded, "fileType": 0 if file.endswith(".pdf") else 1}

    def post(path: str, body: dict[str, Any]) -> Any:
        answer = session.post(url + path, json=body, timeout=120)
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return answer.json()["result"]

    lines = post("/ocr", {**payload, "visualize": True})
    written = []
    for i, page in enumerate(lines["ocrResults"]):
        written.append(write(folder, f"ocr_{i}.jpg", page.pop("ocrImage")))
        del page["inputImage"]
    parsed = post("/layout-parsing", payload)
    pages = []
    for i, page in enumerate(parsed["layoutParsingResults"]):
        images = page["markdown"].get("images")
        pages.append({"prunedResult": page["prunedResult"], "markdownImages": images})
        for name, picture in page["outputImages"].items():
            written.append(write(folder, f"{name}_{i}.jpg", picture))
    whole = post("/restructure-pages", {"pages": pages, "concatenatePages": True})
    (document,) = whole["layoutParsingResults"]
    for name, picture in document["markdown"]["images"].items():
        written.append(write(folder, f"markdown/{name}", picture))
    (folder / "doc.md").write_text(document["markdown"]["text"], encoding="utf-8")
    json.dump({"ocr": lines, "layout": parsed, "whole": document, "files": written}, sys.stdout)


main(*sys.argv[1:])
