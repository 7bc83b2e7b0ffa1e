"""Mistral's OCR: `POST /v1/ocr`."""

from pagetide.api.facades.mistral.routes import router

__all__ = ["router"]
