"""Networks that a worker's models need, fetched before it is ready."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from threading import Event

from pagetide.engines import pool_languages
from pagetide.engines.catalogue import networks_of
from pagetide.engines.models import Weights
from pagetide.errors import CannotWrite, ModelNotPinned, ModelUnavailable
from pagetide.settings import Settings

log = logging.getLogger(__name__)

PAUSES_S = (2.0, 10.0)  # between attempts at one network


def networks(settings: Settings, pool: str, models: Sequence[str] = ()) -> tuple[str, ...]:
    """What a pool's models need, in its languages; not what packages carry.

    Args:
        settings: Say which models it runs, and in which languages.
        pool: Whose.
        models: Further ones.

    Raises:
        BadOption: A setting is wrong.
        UnknownModel: There is no such model.
        UnknownLanguage: There is no such language.
        ModelUnavailable: A model reads one of the languages with no network.
    """
    run = settings.pools.get(pool.partition("-")[0], ())
    codes = settings.languages_of(pool)
    found: set[str] = set()
    for model in dict.fromkeys((*run, *models)):
        name, needs = model.partition("?")[0], networks_of(model, settings)
        found |= pool_languages.had(name, needs, codes)
    return tuple(sorted(found))


def provision(
    weights: Weights,
    names: Sequence[str],
    *,
    trust: bool,
    stopping: Event,
    pauses_s: Sequence[float] = PAUSES_S,
) -> None:
    """Have networks here; the log says how far it is.

    Args:
        weights: Where they are put.
        names: Theirs.
        trust: Whether those are taken whose hash nobody knew before.
        stopping: Once it is set no further one is begun.
        pauses_s: After each attempt but the last, in seconds.

    Raises:
        ModelUnavailable: One cannot be had; the message says which, and why.
        DiskFull: There is no room.
        CannotWrite: The folder cannot be written.
    """
    missing = [name for name in names if not weights.here(name)]
    if missing:
        log.info("networks are fetched", extra={"missing": ", ".join(missing)})
    for number, name in enumerate(missing, 1):
        begun = time.monotonic()
        _fetch(weights, name, trust, stopping, pauses_s)
        if stopping.is_set():
            return
        found = weights.need(name).manifest
        log.info(
            "network is here",
            extra={
                "network": name,
                "count": f"{number} of {len(missing)}",
                "files": len(found.files),
                "bytes": sum(file.size or 0 for file in found.files),
                "ms": round((time.monotonic() - begun) * 1000),
            },
        )


def _fetch(
    weights: Weights, name: str, trust: bool, stopping: Event, pauses_s: Sequence[float]
) -> None:
    for pause in (*pauses_s, None):
        if stopping.is_set():
            return
        try:
            weights.pull(name, log.info, trust=trust)
            return
        except ModelNotPinned:
            raise  # it will not be another time
        except CannotWrite as refused:
            if not weights.here(name):
                raise
            # It is the mirror that does not take it.
            log.warning("mirror not filled", extra={"network": name, "reason": refused.message})
            return
        except ModelUnavailable as missing:
            if pause is None:
                tries = f" {len(pauses_s) + 1} attempts were made." if pauses_s else ""
                raise ModelUnavailable(f"{missing.message}{tries}") from None
            extra = {"network": name, "reason": missing.message, "waiting": pause}
            log.warning("network not fetched", extra=extra)
            stopping.wait(pause)
