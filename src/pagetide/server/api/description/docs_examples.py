"""Examples of requests for the API's own page: lines for a shell that work against this server.

A job's id stands in them as `$ID`, a signed link as `$URL`, a claim's token as `$TOKEN`, the
API key as `$PAGETIDE_KEY`, the document as `scan.pdf`.
"""

from __future__ import annotations

import re
from typing import Any

_LINKS = {  # what is opened by a link that the server has signed, and where that link is given
    "open_link": "as the job's `results` tell it",
    "open_figure_link": "as the list of figures tells it",
    "put_upload": "as `POST /v1/uploads` answers it",
}
_PLACES = {"job_id": "$ID", "number": "1", "order": "0", "pool": "cpu"}
_AS_JSON = "-H 'Content-Type: application/json' -d"
_CLAIM = f"""{_AS_JSON} '{{"token": "'"$TOKEN"'"}}'"""
_GIVEN = {
    "submit_job": "-F file=@scan.pdf -F model=structure-lite",
    "list_jobs": "-G -d status=succeeded -d limit=5",
    "show_job": "-G -d wait=30",
    "watch_job": "-N",
    "put_upload": "-T scan.pdf",
    "get_result": "-G -d format=md -d wait=30",
    "get_page": "-G -d wait=30",
    "get_page_image": "-o page.png -G -d width=200",
    "get_figure": "-o figure.png",
    "open_figure_link": "-o figure.png",
    "read_document": "-F file=@scan.pdf -F format=md -F wait=60",
    "extract_values": "-F file=@scan.pdf -F 'queries=What is the total?' -F wait=60",
    "claim_review": f"""{_AS_JSON} '{{"by": "Ann"}}'""",
    "close_review": _CLAIM,
    "renew_review": _CLAIM,
    "release_review": _CLAIM,
    "warm_pool": f"""{_AS_JSON} '{{"workers": 0}}'""",
}
_PLACE = re.compile(r"\{(\w+)\}")


def example(root: str, method: str, path: str, operation: dict[str, Any]) -> str:
    """A line for a shell that makes the request.

    Args:
        root: What the server's addresses begin with.
        method: In small letters.
        path: With its parameters in braces.
        operation: As OpenAPI describes it.
    """
    name = operation["operationId"]
    parts = ["curl -s"]
    if operation.get("security"):
        parts.append('-H "Authorization: Bearer $PAGETIDE_KEY"')
    given = _GIVEN.get(name, "")
    if method == "delete" or (method == "post" and not re.search("-[Fd] ", given)):
        parts.append(f"-X {method.upper()}")
    if given:
        parts.append(given)
    if name in _LINKS:
        return f'# URL is the link, {_LINKS[name]}.\n{" ".join(parts)} "$URL"'
    address = root + _PLACE.sub(lambda place: _PLACES[place[1]], path)
    parts.append(f'"{address}"' if "$" in address else address)
    return " ".join(parts)
