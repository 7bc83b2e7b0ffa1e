"""A key's quotas and what is left of them, in headers of an answer.

As the IETF's draft "RateLimit header fields for HTTP" has them (draft-ietf-httpapi-
ratelimit-headers-10): `RateLimit-Policy: "requests";q=10;w=1` says what may be had in how
many seconds, `RateLimit: "requests";r=9;t=1` what is left, and in how many there is more.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

from msgspec import Struct
from starlette.requests import Request
from starlette.types import Scope

from pagetide.errors import Busy, StoreFailed
from pagetide.server.api.context import Context, call
from pagetide.server.jobs.allowances import DAY_S, Allowance, Usage, day_left_s
from pagetide.server.service.submitting.submission import Submission

REQUESTS, ACTIVE_PAGES, PAGES_A_DAY = "requests", "active-pages", "pages-day"
_NOTED = "pagetide.quotas"  # in the scope of a request


class Quota(Struct, frozen=True, gc=False):
    """A limit of a key, and what is left of it.

    Attributes:
        name: Of what.
        most: So much.
        left: So much is left.
        window_s: In so many seconds; None where it is had at once.
        reset_s: In so many seconds there is more; None where nobody knows.
    """

    name: str
    most: int
    left: int
    window_s: int | None = None
    reset_s: int | None = None


def of_requests(most: int, left: int) -> Quota:
    """Requests a second."""
    return Quota(REQUESTS, most, max(0, left), window_s=1, reset_s=1)


def of_pages(allowance: Allowance, usage: Usage, now: float) -> tuple[Quota, ...]:
    """Pages, at once and a day, as far as they are limited."""
    found = []
    if (most := allowance.active_pages) is not None:
        found.append(Quota(ACTIVE_PAGES, most, max(0, most - usage.active_pages)))
    if (most := allowance.pages_per_day) is not None:
        left = max(0, most - usage.today(now))
        found.append(Quota(PAGES_A_DAY, most, left, window_s=DAY_S, reset_s=day_left_s(now)))
    return tuple(found)


def has_noted(request: Request, name: str) -> bool:
    """Whether the answer will report this quota."""
    return name in request.scope.get(_NOTED, {})


def note(request: Request, *quotas: Quota) -> None:
    """Report these quotas in the answer to a request."""
    noted = request.scope.setdefault(_NOTED, {})
    noted.update({quota.name: quota for quota in quotas})


def headers(scope: Scope) -> Mapping[str, str]:
    """The headers for the noted quotas; none where none was."""
    quotas = scope.get(_NOTED)
    if not quotas:
        return {}
    policies = (_item(each.name, q=each.most, w=each.window_s) for each in quotas.values())
    left = (_item(each.name, r=each.left, t=each.reset_s) for each in quotas.values())
    return {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(left)}


@asynccontextmanager
async def noted(
    request: Request, context: Context, submission: Submission
) -> AsyncIterator[None]:
    """Tell of the pages that a key has left after a submission, or why it was refused."""
    try:
        yield
    except Busy:
        await _note_pages(request, context, submission)
        raise
    await _note_pages(request, context, submission)


async def _note_pages(request: Request, context: Context, submission: Submission) -> None:
    allowance, store = submission.allowance, context.service.store
    if not allowance.limited:
        return
    with suppress(StoreFailed):  # the job is kept all the same; the next answer reports it
        usage = await call(store.usage, submission.owner)
        note(request, *of_pages(allowance, usage, context.service.clock()))


def _item(name: str, **parameters: int | None) -> str:
    """An item of structured fields (RFC 9651)."""
    known = (f";{key}={value}" for key, value in parameters.items() if value is not None)
    return f'"{name}"' + "".join(known)
