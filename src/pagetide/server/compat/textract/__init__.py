"""Amazon Textract's API: text and tables of documents, at once or by jobs."""

from pagetide.server.compat.textract.buckets import vet
from pagetide.server.compat.textract.routes import router

__all__ = ["router", "vet"]
