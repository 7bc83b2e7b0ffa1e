"""Runs a check in a thread, for a bounded time, and reports its result."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pagetide.errors import BadOption, PagetideError, StoreFailed
from pagetide.settings import Settings

LIMIT_S = 10.0
_THREAD = "pagetide-check-"
_OWN_SHARE = 0.8  # of the limit, for a check's own waiting; the rest is for tidying up


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The result of a check.

    Attributes:
        part: What was checked.
        place: Where it is, without secrets.
        status: `ok`, `warning` where it works but somebody should look, or `wrong`.
        text: What was found.
        hint: What to do; empty where nothing need be done.
        ms: How long it took.
    """

    part: str
    place: str
    status: Literal["ok", "warning", "wrong"]
    text: str
    hint: str = ""
    ms: float


@dataclass
class Steps:
    """The steps of a check, and its findings so far.

    Attributes:
        until: When its own waiting must have ended, by the monotonic clock.
        doing: The step it is at.
        notes: What is good to know.
        warnings: What somebody should look at.
    """

    until: float
    doing: str = ""
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def left_s(self) -> float:
        """The seconds for which it may still wait."""
        return max(0.0, self.until - time.monotonic())

    def require(self, good: bool, complaint: str) -> None:
        """Go on only if something is as it must be.

        Raises:
            StoreFailed: It is not.
        """
        if not good:
            raise StoreFailed(complaint)


Check = Callable[[Settings, Steps], None]


@dataclass(frozen=True, kw_only=True)
class Part:
    """Something that can be checked.

    Attributes:
        check: Raises a `PagetideError` where something is wrong.
        place: Where the settings say it is, without secrets.
        hint: What to look at where something is wrong.
        used: Whether the settings name it, or it is there already.
    """

    name: str
    check: Check
    place: Callable[[Settings], str]
    hint: str
    used: Callable[[Settings], bool]


def examine(part: Part, settings: Settings, limit_s: float = LIMIT_S) -> Finding:
    """Check a part; comes back within the limit, even if the check never does."""
    start = time.monotonic()
    steps = Steps(until=start + limit_s * _OWN_SHARE)
    failed: list[BaseException] = []
    thread = threading.Thread(
        target=_run,
        args=(part.check, settings, steps, failed),
        name=f"{_THREAD}{part.name}",
        daemon=True,
    )
    thread.start()
    thread.join(limit_s)
    ms = round((time.monotonic() - start) * 1000, 1)
    if thread.is_alive():
        wrong = (
            f"It does not answer: timeout after {limit_s:g} s while"
            f" {steps.doing or 'it started'}."
        )
        failed = [StoreFailed(wrong)]
    return _finding(part, settings, steps, failed, ms)


def hanging() -> bool:
    """Whether a check still runs, though it was waited for no longer."""
    return any(thread.name.startswith(_THREAD) for thread in threading.enumerate())


def _run(check: Check, settings: Settings, steps: Steps, failed: list[BaseException]) -> None:
    try:
        check(settings, steps)
    except BaseException as error:  # a panic of a foreign library, too, is no Exception
        failed.append(error)


def _finding(
    part: Part, settings: Settings, steps: Steps, failed: list[BaseException], ms: float
) -> Finding:
    place = part.place(settings)
    if failed:
        (error,) = failed
        hint = "" if isinstance(error, BadOption) else part.hint
        return Finding(
            part=part.name, place=place, status="wrong", text=_text(error), hint=hint, ms=ms
        )
    text = "; ".join([*steps.warnings, *steps.notes])
    if steps.warnings:
        return Finding(
            part=part.name, place=place, status="warning", text=text, hint=part.hint, ms=ms
        )
    return Finding(part=part.name, place=place, status="ok", text=text, ms=ms)


def _text(error: BaseException) -> str:
    """Its sentence if it is ours; a foreign one's may hold a secret."""
    if isinstance(error, PagetideError):
        return error.message
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return (
        f"Internal error: {type(error).__name__} in {Path(frame.filename).name}, "
        f"line {frame.lineno}."
    )
