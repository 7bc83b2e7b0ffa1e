"""The job API of PaddleOCR: `/api/v2/ocr/jobs`."""

from pagetide.api.facades.paddleocr.routes import router

__all__ = ["router"]
