"""The PP-OCR pipeline: detect lines, recognise them."""

from __future__ import annotations

from pagetide.errors import BadOption
from pagetide.ports import Engine
from pagetide.settings import Settings, available_cores


def open_engine(settings: Settings, parameters: str = "") -> Engine:
    """PP-OCRv6 small on the runtime that the settings name.

    Args:
        settings: Threads, runtime, least confidence.
        parameters: None are known.

    Raises:
        ModelUnavailable: The models are not installed.
        RuntimeUnavailable: The runtime is not installed.
        BadOption: There is no such runtime, or a parameter is given.
    """
    if parameters:
        raise BadOption(f"The model pp-ocrv6 takes no parameters, but got {parameters!r}.")
    from pagetide.engines.ppocr.choice import open_runtime
    from pagetide.engines.ppocr.engine import PPOcrEngine
    from pagetide.engines.ppocr.page import PageOptions
    from pagetide.engines.ppocr.weights import bundled

    weights = bundled()
    threads = settings.threads or available_cores()
    return PPOcrEngine(
        open_runtime(settings, weights, threads),
        version=f"rapidocr {weights.version}",
        threads=threads,
        options=PageOptions(
            long_side=settings.detection_side, min_confidence=settings.min_confidence
        ),
    )
