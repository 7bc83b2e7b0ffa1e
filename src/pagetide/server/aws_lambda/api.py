"""The function that answers HTTP: the API's application, as a function's URL calls it.

What Lambda will not have: bodies of more than 6 MB, which documents go around by
`POST /v1/uploads`, and results by a link of their own (see `answers`); and answers that take
long, so that whoever waits for changes is answered after `LONGEST_S` and asks again.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pagetide.server.api.bodies import uploads
from pagetide.server.api.context import Context
from pagetide.server.app import create_app
from pagetide.server.aws_lambda.answers import Answers
from pagetide.server.aws_lambda.calls import Event, Invocation, begun, remaining_s
from pagetide.server.compat import vet_settings
from pagetide.server.wiring import open_service
from pagetide.settings import Settings
from pagetide.telemetry import tracing

LONGEST_S = 25.0  # an HTTP API before the function waits no longer than 30 s
SPARE_S = 5.0  # two until all who wait see that they are to go, the rest to answer in


def handle(event: Event, context: Invocation) -> dict[str, Any]:
    """Answer a request of a function's URL or of an HTTP API, payload format 2.0."""
    return answering().answer(event, context)


@functools.cache
def answering() -> Answering:
    """The application of this process, kept from its first call on."""
    return Answering(begun())


class Answering:
    """The application, kept from call to call."""

    def __init__(self, settings: Settings) -> None:
        from mangum import Mangum

        # The API logs requests itself.
        logging.getLogger("mangum").setLevel(logging.WARNING)
        vet_settings(settings.compat)
        self._service = open_service(settings)
        uploads.prepare(settings)
        app = create_app(self._service, settings, keys_needed=settings.auth != "off")
        self._context: Context = app.state.context
        # Nothing begins with the server: its hub's thread would be frozen between calls, and
        # no other process could notify it in any case. Who waits looks every two seconds.
        self._answer = Mangum(Answers(app), lifespan="off", text_mime_types=["none/none"])

    def answer(self, event: Event, context: Invocation) -> dict[str, Any]:
        """See `handle`."""
        with self._nobody_waits_after(min(LONGEST_S, remaining_s(context) - SPARE_S)):
            answered: dict[str, Any] = self._answer(dict(event), context)
        tracing.flush()
        return answered

    def close(self) -> None:
        """Close everything."""
        self._service.close()

    @contextmanager
    def _nobody_waits_after(self, seconds: float) -> Iterator[None]:
        hub = self._context.hub
        hub.stopping = False
        # Not `stop`, for this is another thread; who waits sees it within two seconds.
        timer = threading.Timer(max(0.0, seconds), lambda: setattr(hub, "stopping", True))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
