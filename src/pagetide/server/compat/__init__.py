"""Other people's wire formats on our service, so that their clients work unchanged.

Each facade translates, and does nothing else: the same keys, limits, jobs and guarantees are
behind it. What a protocol asks for and cannot be had is refused with its own error.
"""

from __future__ import annotations

from fastapi import APIRouter

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
