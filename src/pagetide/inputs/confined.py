"""Checks the sandbox's confinement when a process that opens documents starts."""

from __future__ import annotations

import logging
import threading

from pagetide.errors import PagetideError
from pagetide.inputs.confinement import missing
from pagetide.inputs.limits import Limits
from pagetide.inputs.sandbox import Sandbox
from pagetide.settings import Settings

log = logging.getLogger("pagetide.sandbox")


def report_confinement(settings: Settings) -> None:
    """Log what confines the child; if confinement is required, wait for the result first.

    Raises:
        SandboxTooWeak: It is required, and the kernel has less.
    """
    if settings.sandbox == "require":
        _try(settings)
    else:
        threading.Thread(target=_try_quietly, args=(settings,), daemon=True).start()


def _try(settings: Settings) -> None:
    with Sandbox(Limits.of(settings)) as sandbox:
        layers = sandbox.confined()
    lacking = missing(layers)
    extra = {"layers": " ".join(layers), "missing": " ".join(lacking)}
    message = "the sandbox is confined in part only" if lacking else "the sandbox is confined"
    log.log(logging.WARNING if lacking else logging.INFO, message, extra=extra)


def _try_quietly(settings: Settings) -> None:
    try:
        _try(settings)
    except PagetideError as error:  # each document will report it, too
        log.warning("the sandbox does not start", extra={"code": error.code})
