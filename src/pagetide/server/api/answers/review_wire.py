"""Reviews as JSON."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from pagetide.exports.doubts import Doubt
from pagetide.geometry import Polygon, box_of
from pagetide.server.api.answers.wire import Link, Time, job_path, moment
from pagetide.server.jobs import review_task, reviewing
from pagetide.server.jobs.job import Job, Task
from pagetide.server.jobs.review import Correction, Reason, ReviewState
from pagetide.server.ports import Backlog

Text = Annotated[str, Meta(max_length=4000)]
Token = Annotated[str, Meta(min_length=1, max_length=100)]
MOST_PLACES = 1000  # of a document; nobody goes through more in one go


class ClaimForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The reviewer.

    Attributes:
        by: The reviewer's name; empty means the key's name.
    """

    by: Annotated[str, Meta(max_length=100)] = ""


class TokenForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The claim.

    Attributes:
        token: Of the claim.
    """

    token: Token


class CorrectionForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was read, and what the document says.

    Attributes:
        page: The page's number.
        line: Its position in the page's `lines`; null if the text belongs to no line.
        old: The text as read: all of the line, or a part of it.
        new: The correct text.
        name: The meaning of the text, such as `total`; or empty.
        polygon: Its position; for a line, the line's own is used.
    """

    page: int
    line: int | None = None
    old: Text
    new: Text
    name: Annotated[str, Meta(max_length=100)] = ""
    polygon: Annotated[Polygon, Meta(max_length=32)] = ()


class ReviewForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The outcome of a review.

    Attributes:
        token: Of the claim.
        corrections: At most 500; none means that everything is correct.
    """

    token: Token
    corrections: tuple[CorrectionForm, ...] = ()


class ReviewView(Struct, frozen=True, kw_only=True):
    """The review of a job's result.

    Attributes:
        name: The document's.
        reasons: Why a review is needed.
        by: Who has claimed it, or has reviewed it.
        until: End of the claim, unless it is renewed; null if it is not claimed.
        at: When it was reviewed.
        token: Of the claim; only if this request made it.
        places: The places to check: the doubtful ones or, for a sample, every line.
        places_left_out: How many more places there are.
        corrections: The corrections.
    """

    job_id: str
    name: str
    state: ReviewState
    reasons: tuple[Reason, ...]
    by: str
    until: Time | None
    at: Time | None
    token: str | UnsetType = UNSET
    places: tuple[Doubt, ...] = ()
    places_left_out: int = 0
    corrections: tuple[Correction, ...] = ()


class WaitingReview(Struct, frozen=True, kw_only=True):
    """A document that waits for a reviewer.

    Attributes:
        name: The document's.
        since: When it entered the queue, or was given back.
    """

    job_id: str
    name: str
    reasons: tuple[Reason, ...]
    since: Time


class ReviewList(Struct, frozen=True, kw_only=True):
    """The documents that wait for reviewers.

    Attributes:
        waiting: How many.
        claimed: How many are claimed now.
        reviews: The first that wait.
    """

    waiting: int
    claimed: int
    reviews: tuple[WaitingReview, ...]


def review_view(
    job: Job, task: Task | None, places: tuple[Doubt, ...] = (), token: str | UnsetType = UNSET
) -> ReviewView:
    """A job's review as the API shows it."""
    review, lease = job.review, task.lease if task else None
    return ReviewView(
        job_id=job.id,
        name=job.source.name,
        state=review_task.state(job, task),
        reasons=review.reasons if review else (),
        by=reviewing.reviewer(task) or (review.by if review else ""),
        until=moment(lease.until) if lease else None,
        at=None if review is None or review.at is None else moment(review.at),
        token=token,
        places=places[:MOST_PLACES],
        places_left_out=max(0, len(places) - MOST_PLACES),
        corrections=task.corrections if task else (),
    )


def list_view(counts: Backlog, waiting: list[tuple[Job, Task]]) -> ReviewList:
    """What waits as the API shows it."""
    return ReviewList(
        waiting=counts.waiting,
        claimed=counts.leased,
        reviews=tuple(
            WaitingReview(
                job_id=job.id,
                name=job.source.name,
                reasons=job.review.reasons if job.review else (),
                since=moment(task.due),
            )
            for job, task in waiting
        ),
    )


class CorrectionRow(Struct, frozen=True, kw_only=True):
    """A correction as a line of JSON, for training.

    Attributes:
        document: The document's name.
        sha256: Of its bytes.
        box: Around the polygon: left, top, right, bottom, in the page's pixels at `dpi`.
        image: The page's picture in these pixels; it needs the key.
        by: Who corrected it.
    """

    job_id: str
    document: str
    sha256: str
    page: int
    line: int | None
    name: str
    old: str
    new: str
    polygon: Polygon
    box: tuple[float, float, float, float] | None
    dpi: float
    image: Link
    by: str
    at: Time | None


def correction_line(job: Job, correction: Correction, root: str) -> bytes:
    """A correction as a line of JSON."""
    review, polygon = job.review, correction.polygon
    row = CorrectionRow(
        job_id=job.id,
        document=job.source.name,
        sha256=job.source.sha256,
        page=correction.page,
        line=correction.line,
        name=correction.name,
        old=correction.old,
        new=correction.new,
        polygon=polygon,
        box=box_of(polygon) if polygon else None,
        dpi=correction.dpi,
        image=f"{root}{job_path(job.id)}/pages/{correction.page}/image",
        by=review.by if review else "",
        at=moment(review.at) if review and review.at else None,
    )
    return msgspec.json.encode(row) + b"\n"
