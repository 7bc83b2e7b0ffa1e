"""Where an answer says that a figure's picture is: in the answer itself, or behind a link."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable

from pagetide.server.api.answers import links
from pagetide.server.jobs.job import Job
from pagetide.server.service.service import Service

Address = Callable[[int, int], str]  # of a page's number and a block's order


def embedded(service: Service, job: Job) -> Address:
    """Pictures as `data:` URLs; they are cut out as they are asked for."""

    def address(number: int, order: int) -> str:
        png = service.pages.figure(job, number, order)
        return "data:image/png;base64," + base64.b64encode(png).decode()

    return address


def linked(job: Job, root: str, secret: bytes, valid_s: float) -> Address:
    """Pictures behind signed links that open without a key for a while."""

    def address(number: int, order: int) -> str:
        path = links.figure_path(job.id, number, order)
        return root + links.signed(secret, path, now=time.time(), valid_s=valid_s)

    return address
