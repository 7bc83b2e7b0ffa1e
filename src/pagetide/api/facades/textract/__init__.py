"""Amazon Textract's API: text and tables of documents, at once or by jobs."""

from pagetide.api.facades.textract.routes import router

__all__ = ["router"]
