"""A person's review of a result: when it is needed, why, and its outcome.

It stands beside the result: the job has ended, and its status says nothing of it.

    none → waiting → claimed → accepted | corrected
             ↑          |
             +----------+   given back, or the lease has run out: a browser died
"""

from __future__ import annotations

import hashlib
from typing import Literal, get_args

from msgspec import Struct

from pagetide.geometry import Polygon

Reason = Literal["confidence", "sum", "sampled"]
Outcome = Literal["accepted", "corrected"]
ReviewState = Literal["none", "waiting", "claimed", "accepted", "corrected"]

REASONS: tuple[Reason, ...] = get_args(Reason)


class Rules(Struct, frozen=True, kw_only=True, gc=False):
    """Which results a person is to review; by default none.

    Attributes:
        below: Those with a line that was read with less confidence than this, 0–1.
        sums: Those of bills whose sums do not come out.
        sample: This share of all, 0–1.
    """

    below: float = 0.0
    sums: bool = False
    sample: float = 0.0

    @property
    def any(self) -> bool:
        """Whether there may be a review at all."""
        return bool(self.below or self.sums or self.sample)


class Correction(Struct, frozen=True, kw_only=True, gc=False):
    """What a person found to be otherwise than it was read.

    Attributes:
        page: The page's number.
        line: Its place in the page's `lines`; None where the text belongs to no line.
        name: What the text is known to be, such as `total`; or empty.
        old: As it was read, a part of the line or all of it.
        new: As it is.
        polygon: Where, in the page's pixels at `dpi`.
    """

    page: int
    line: int | None
    name: str = ""
    old: str
    new: str
    polygon: Polygon
    dpi: float


class Review(Struct, frozen=True, kw_only=True, gc=False):
    """The review of a job's result.

    Attributes:
        reasons: Why it is wanted; none as long as the job has not ended, and where nothing is
            to be looked at.
        outcome: What came of it; None until then.
        by: Who reviewed it, as they call themselves.
        at: When, in seconds since the epoch.
        corrections: How many.
        token: Of the claim that it was closed under.
    """

    rules: Rules
    reasons: tuple[Reason, ...] = ()
    outcome: Outcome | None = None
    by: str = ""
    at: float | None = None
    corrections: int = 0
    token: str = ""

    @property
    def open(self) -> bool:
        """Whether somebody is still to look."""
        return bool(self.reasons) and self.outcome is None


def sampled(job_id: str, share: float) -> bool:
    """Whether a job is one of the sample: always the same answer for one job.

    A job that is in a sample is in every larger one.
    """
    drawn = int.from_bytes(hashlib.sha256(job_id.encode()).digest()[:8])
    return drawn < share * 2**64
