"""The model server of the settings; calls of it are counted."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pagetide.document.extraction import Usage
from pagetide.reading.extraction import ModelServer
from pagetide.settings import Settings
from pagetide.telemetry import metrics


def model_server(settings: Settings) -> ModelServer:
    """The server that the settings name; each question is counted.

    Raises:
        ModelUnavailable: There is none.
    """
    return dataclasses.replace(ModelServer.of(settings), on_answer=_counted)


@contextmanager
def asking() -> Iterator[None]:
    """While it is asked about a document: counted by what comes of it, and timed."""
    began, result = time.monotonic(), "failed"
    try:
        yield
        result = "succeeded"
    finally:
        metrics.extracted(result=result, seconds=time.monotonic() - began)


def _counted(usage: Usage) -> None:
    metrics.model_asked(
        calls=usage.calls,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
    )
