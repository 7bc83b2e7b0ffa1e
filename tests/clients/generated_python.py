"""The client that openapi-python-client writes from our description, told by JSON what to do.

    python generated_python.py URL KEY < calls.json

Each call is a file's path. What becomes of each is one of the list it prints: the job's status,
the text of its first page, and what its Markdown begins with.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pagetide_client import AuthenticatedClient
from pagetide_client.api.jobs import show_job, submit_job
from pagetide_client.api.results import get_page, get_result
from pagetide_client.models import (
    Document,
    GetResultFormat,
    JobView,
    Page,
    SubmitJobFilesBody,
    SubmitJobFilesBodyFormatsItem,
)
from pagetide_client.types import File


def read(client: AuthenticatedClient, path: str) -> dict[str, Any]:
    with Path(path).open("rb") as file:
        body = SubmitJobFilesBody(
            file=File(file, Path(path).name, "application/pdf"),
            model="fake",
            pages="1-2",
            formats=[SubmitJobFilesBodyFormatsItem.MD],
        )
        submitted = submit_job.sync(client=client, body=body)
    if not isinstance(submitted, JobView):
        return {"refused": submitted.code}
    job = show_job.sync(submitted.id, client=client, wait=60)
    page = get_page.sync(submitted.id, 1, client=client)
    markdown = get_result.sync_detailed(
        submitted.id, client=client, format_=GetResultFormat.MD, wait=60
    )
    assert isinstance(job, JobView) and isinstance(page, Page)
    assert isinstance(job.result, Document)
    return {
        "status": job.status.value,
        "lines": [line.text for line in page.lines],
        "pages": len(job.result.pages),
        "corner": page.lines[0].polygon[0],
        "markdown": markdown.content.decode(),
    }


def main() -> None:
    url, key = sys.argv[1:]
    with AuthenticatedClient(url, key, timeout=90) as client:
        json.dump([read(client, path) for path in json.load(sys.stdin)], sys.stdout)


main()
