"""Sends a file to `/api/v1/ocr/process` and asks for its result until there is one.

    python ocr_process.py URL KEY FILE

It prints both answers, and every status that it saw.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import requests


def main(url: str, key: str, file: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    with Path(file).open("rb") as document:
        sent = requests.post(
            f"{url}/api/v1/ocr/process",
            files={"file": (Path(file).name, document, "application/pdf")},
            headers=headers,
            timeout=60,
        )
    seen, answer = [], sent
    while sent.status_code == 202:
        task = sent.json()["task_id"]
        answer = requests.get(f"{url}/api/v1/ocr/results/{task}", headers=headers, timeout=60)
        data = answer.json()
        seen.append(data["status"])
        if data["status"] in ("SUCCESS", "FAILURE"):
            break
        time.sleep(0.05)
    told = {"sent": [sent.status_code, sent.json()], "seen": seen}
    json.dump({**told, "answer": [answer.status_code, answer.json()]}, sys.stdout)


main(*sys.argv[1:])
