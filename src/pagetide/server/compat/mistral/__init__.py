"""Mistral's OCR: `POST /v1/ocr`."""

from pagetide.server.compat.mistral.routes import router

__all__ = ["router"]
