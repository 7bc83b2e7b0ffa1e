"""Reviews: documents that a person is to look at, claimed, kept, corrected, accepted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from pagetide.client.answers import decoded
from pagetide.client.asynchronous.connection import AsyncConnection
from pagetide.client.requests import AnyJob, Request, about
from pagetide.client.review_answers import Correction, RemoteReview, ReviewLine


class AsyncReviews:
    """The documents of this key that wait for a person: `AsyncClient.reviews`."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def waiting(self, limit: int = 50) -> ReviewLine:
        """The reviews that wait: how many, and the first, `limit` of them at most."""
        request = Request(path="/v1/reviews", query={"limit": f"{limit:d}"})
        return await self._connection.ask(request, ReviewLine)

    async def claim(self, by: str = "") -> RemoteReview | None:
        """Claim the document that has waited longest; nobody else gets it until its `until`.

        Args:
            by: Who reviews, as they call themselves; empty means the key's name.

        Returns:
            What to look at, or None where nothing waits.
        """
        body = msgspec.json.encode({"by": by})
        reply = await self._connection.send(
            Request(method="POST", path="/v1/reviews/next", json=body)
        )
        return None if reply.status_code == 204 else decoded(reply.content, RemoteReview)

    async def of(self, job: AnyJob, *, all_lines: bool = False) -> RemoteReview:
        """How far the review of a job is, what there is to look at, and what came of it.

        Args:
            job: The job or its id.
            all_lines: All lines, not only the doubtful ones.
        """
        query = {"all_lines": "true"} if all_lines else {}
        return await self._connection.ask(about(job, "review", query=query), RemoteReview)

    async def renew(self, review: RemoteReview) -> RemoteReview:
        """Keep a claim: say so several times before its `until`.

        Raises:
            LeaseLost: It has ended, and somebody else may have the document.
        """
        return await self._say(review, "renew")

    async def release(self, review: RemoteReview) -> None:
        """Give a claim back: the document waits again, behind all others.

        Raises:
            LeaseLost: It has ended, and somebody else may have the document.
        """
        await self._say(review, "release")

    async def close(
        self, review: RemoteReview, corrections: Sequence[Correction] = ()
    ) -> RemoteReview:
        """Say that all of a document has been looked at.

        Args:
            review: As it was claimed.
            corrections: What is to be corrected; none means that all is as it was read.

        Raises:
            LeaseLost: The claim has ended, and somebody else may have the document.
            BadOption: A correction is of nothing that was read.
        """
        return await self._say(
            review, corrections=[_correction_body(each) for each in corrections]
        )

    async def corrections(self) -> tuple[Correction, ...]:
        """All that people have corrected and that is kept, of the newest jobs first."""
        reply = await self._connection.send(Request(path="/v1/reviews/corrections"))
        return tuple(decoded(line, Correction) for line in reply.content.splitlines())

    async def _say(self, review: RemoteReview, *rest: str, **more: Any) -> RemoteReview:
        """The review after that, with what its claim had."""
        body = msgspec.json.encode({"token": review.token, **more})
        request = about(review.job_id, "review", *rest, method="POST", json=body)
        now = await self._connection.ask(request, RemoteReview)
        kept = {"places": review.places, "places_left_out": review.places_left_out}
        return replace(now, token=review.token, **kept)


def _correction_body(correction: Correction) -> dict[str, Any]:
    names = ("page", "line", "name", "old", "new", "polygon")
    return {name: getattr(correction, name) for name in names}
