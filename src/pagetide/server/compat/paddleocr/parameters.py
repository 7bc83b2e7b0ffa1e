"""Parameters of the routes of PaddleOCR's job API."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Depends

from pagetide.errors import JobUnknown

_JOB_ID = re.compile(r"[0-9A-Za-z_-]{1,80}")


def _job_id(job_id: str) -> str:
    if not _JOB_ID.fullmatch(job_id):
        raise JobUnknown
    return job_id


JobId = Annotated[str, Depends(_job_id)]
