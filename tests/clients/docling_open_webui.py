"""What Open WebUI's loader asks of docling-serve: one form, with a file's whole path as name.

    python docling_open_webui.py URL KEY FILE PARAMETERS

The parameters are JSON, as in its settings. It prints the text that the loader would keep, or
fails as the loader does.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import requests


def read(url: str, key: str, file: str, parameters: dict[str, Any]) -> str:
    with Path(file).open("rb") as content:
        answer = requests.post(
            f"{url}/v1/convert/file",
            files={"files": (file, content, "application/pdf")},
            data={"image_export_mode": "placeholder", **parameters},
            headers={"X-Api-Key": key},
            timeout=120,
        )
    if not answer.ok:
        raise SystemExit(f"{answer.reason} - {answer.json()['detail']}")
    return str(answer.json()["document"]["md_content"])


if __name__ == "__main__":
    sys.stdout.write(
        json.dumps(read(sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])))
    )
