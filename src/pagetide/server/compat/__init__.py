"""Other people's wire formats on our service, so that their clients work unchanged.

Each facade translates, and does nothing else: the same keys, limits, jobs and guarantees are
behind it. What a protocol asks for and cannot be had is refused with its own error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fastapi import APIRouter

from pagetide.errors import BadOption
from pagetide.server.compat import (
    azure,
    docling,
    mistral,
    ocr_process,
    paddleocr,
    paddlex,
    predict,
    textract,
)

FACADES: tuple[APIRouter, ...] = (
    azure.router,
    docling.router,
    mistral.router,
    ocr_process.router,
    paddleocr.router,
    paddlex.router,
    predict.router,
    textract.router,
)
_VETTING: Mapping[str, Callable[[Mapping[str, object]], object]] = {"textract": textract.vet}


def vet_settings(compat: Mapping[str, Mapping[str, object]]) -> None:
    """Refuse what no facade takes.

    Args:
        compat: The setting, by facade.

    Raises:
        BadOption: A facade takes no settings, or not these.
    """
    for name, given in compat.items():
        if name not in _VETTING:
            known = ", ".join(_VETTING)
            raise BadOption(f"PAGETIDE_COMPAT has {name!r}, and settings for {known} alone.")
        _VETTING[name](given)
