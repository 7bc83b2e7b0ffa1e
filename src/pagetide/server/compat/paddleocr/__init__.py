"""The job API of PaddleOCR: `/api/v2/ocr/jobs`."""

from pagetide.server.compat.paddleocr.routes import router

__all__ = ["router"]
