"""PaddleOCR-VL: a layout model here, and a server that reads each area it finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pagetide.document import ModelInfo
from pagetide.engine import Engine
from pagetide.engines.vl.server.dialects import dialect_of
from pagetide.engines.vl.tasks import VlOptions
from pagetide.errors import BadOption, ModelUnavailable
from pagetide.settings import Settings, available_cores

if TYPE_CHECKING:
    from pagetide.engines.vl.plan import FindAreas
    from pagetide.engines.vl.server.client import Clock
    from pagetide.engines.vl.server.in_flight import InFlight

NO_MODEL: Mapping[str, str] = {}


def check(settings: Settings, parameters: str = "") -> VlOptions:
    """What the parameters ask for; asks no server, so it is quick.

    Raises:
        ModelUnavailable: No server is set.
        BadOption: A parameter or a setting is wrong.
    """
    if not settings.vl_url:
        raise ModelUnavailable(
            "paddleocr-vl needs a server: set PAGETIDE_VL_URL to its address, such"
            " as http://127.0.0.1:8118/v1."
        )
    try:
        parts = urlsplit(settings.vl_url)
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_url = False
    if not is_url:  # the value itself may hold a password
        raise BadOption("PAGETIDE_VL_URL must be an http or https URL.")
    if settings.vl_concurrency < 1:
        raise BadOption("PAGETIDE_VL_CONCURRENCY must be at least 1.")
    if settings.vl_timeout_s <= 0:
        raise BadOption("PAGETIDE_VL_TIMEOUT_S must be above 0.")
    dialect_of(settings.vl_dialect)
    return VlOptions.parse(parameters)


def open_engine(
    settings: Settings,
    parameters: str,
    find_areas: FindAreas,
    *,
    open_other: Callable[[], Engine] | None = None,
    layout: Mapping[str, str] = NO_MODEL,
    layout_weights: Mapping[str, str] = NO_MODEL,
    clock: Clock | None = None,
) -> Engine:
    """PaddleOCR-VL on the server that the settings name.

    Args:
        settings: The server's address, key, name and dialect; how much is asked at once.
        parameters: See `tasks.VlOptions.parse`.
        find_areas: The layout model. Called in several threads at once.
        open_other: Opens pp-ocrv6, for `fallback=pp-ocrv6`; called when first needed.
        layout: What `describe` says of the layout model: `{"layout": NAME}`.
        layout_weights: The same keys, and the SHA-256 of each file.
        clock: How retries wait; for tests.

    Raises:
        ModelUnavailable: No server is set.
        BadOption: A parameter or a setting is wrong.
    """
    options = check(settings, parameters)
    if options.fallback and open_other is None:
        raise BadOption(f"The fallback {options.fallback} is not available here.")
    from pagetide.engines.vl.engine import Other, VlEngine
    from pagetide.engines.vl.plan import Planner
    from pagetide.engines.vl.server.answers_kept import KeptAnswers
    from pagetide.engines.vl.server.client import Clock, VlServer
    from pagetide.engines.vl.server.in_flight import InFlight

    name = settings.vl_served_name or options.model
    slots = settings.vl_concurrency

    def open_in_flight() -> InFlight:
        server = VlServer(
            settings.vl_url,
            key=settings.vl_key,
            timeout_s=settings.vl_timeout_s,
            clock=clock or Clock(),
        )
        return InFlight(server, most=slots, kept=KeptAnswers(settings.vl_cache_mb << 20))

    return VlEngine(
        Planner(
            options=options,
            dialect=dialect_of(settings.vl_dialect),
            model=name,
            find_areas=find_areas,
        ),
        open_in_flight,
        model=ModelInfo(
            name="paddleocr-vl",
            engine="vl",
            version=options.version,
            runtime=settings.vl_dialect,
            language="",
            parts={**layout, "recognition": name}
            | ({"fallback": options.fallback} if options.fallback else {}),
            weights=dict(layout_weights),
        ),
        threads=settings.threads or available_cores(),
        slots=slots,
        other=Other(open_other) if options.fallback and open_other else None,
    )
