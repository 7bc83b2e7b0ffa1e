"""What a server says of reviews, as a program sees it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct

Reason = Literal["confidence", "sum", "sampled"]
ReviewState = Literal["none", "waiting", "claimed", "accepted", "corrected"]


class Correction(Struct, frozen=True, kw_only=True):
    """A person's correction, and where it stands.

    Attributes:
        job_id: Known in the list of all corrections, as are the next two, `box`, `image`, `by`
            and `at`.
        document: The document's name.
        sha256: Of its bytes.
        line: Its place in the page's `lines`; None where the text belongs to no line.
        name: What the text is known to be, such as `total`; or empty.
        old: As it was read: all of the line, or a part of it.
        new: As it is.
        polygon: Where; of a line its own is taken.
        box: Around the polygon: left, top, right, bottom, in the page's pixels at `dpi`.
        image: The page's picture in these pixels.
        by: Who corrected it.
    """

    job_id: str = ""
    document: str = ""
    sha256: str = ""
    page: int
    line: int | None = None
    name: str = ""
    old: str
    new: str
    polygon: tuple[tuple[float, float], ...] = ()
    box: tuple[float, float, float, float] | None = None
    dpi: float = 0
    image: str = ""
    by: str = ""
    at: datetime | None = None


class ReviewPlace(Struct, frozen=True, kw_only=True):
    """A place on a page that a reviewer should look at.

    Attributes:
        reason: `sampled` of what is shown without a doubt.
        line: Its place in the page's `lines`; None where the text belongs to no single one.
        name: What the text is known to be, such as `total`; or empty.
        text: As it was read.
        confidence: The least of what was read, 0–1; None where that is not known.
    """

    reason: Reason
    page: int
    line: int | None = None
    name: str = ""
    text: str = ""
    polygon: tuple[tuple[float, float], ...] = ()
    dpi: float = 0
    confidence: float | None = None

    def corrected(self, new: str) -> Correction:
        """That something else stands there."""
        return Correction(
            page=self.page,
            line=self.line,
            name=self.name,
            old=self.text,
            new=new,
            polygon=self.polygon,
        )


class RemoteReview(Struct, frozen=True, kw_only=True):
    """The review of a job's result, as its server described it.

    Attributes:
        name: The document's.
        reasons: Why it is wanted.
        by: Who has it, or has reviewed it.
        until: Until when they have it, unless they renew; None where nobody does.
        at: When it was reviewed.
        token: Of the claim; empty where it was not claimed by this.
        places: What to look at: what is doubtful or, of a sample, every line.
        places_left_out: How many more there are.
        corrections: What was found to be otherwise.
    """

    job_id: str
    name: str = ""
    state: ReviewState = "none"
    reasons: tuple[Reason, ...] = ()
    by: str = ""
    until: datetime | None = None
    at: datetime | None = None
    token: str = ""
    places: tuple[ReviewPlace, ...] = ()
    places_left_out: int = 0
    corrections: tuple[Correction, ...] = ()

    def __repr__(self) -> str:
        return f"<RemoteReview {self.job_id} {self.state} {len(self.places)} places>"


class WaitingReview(Struct, frozen=True, kw_only=True):
    """A document that waits for a reviewer.

    Attributes:
        name: The document's.
        since: When it came to be reviewed, or was given back.
    """

    job_id: str
    name: str = ""
    reasons: tuple[Reason, ...] = ()
    since: datetime | None = None


class ReviewLine(Struct, frozen=True, kw_only=True):
    """The reviews that wait.

    Attributes:
        waiting: How many.
        claimed: How many somebody has now.
        reviews: The first that wait, in the order in which they are claimed.
    """

    waiting: int = 0
    claimed: int = 0
    reviews: tuple[WaitingReview, ...] = ()
