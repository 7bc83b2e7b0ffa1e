"""docling-serve, version 1 of its API: documents converted, as files or from a URL."""

from pagetide.server.compat.docling.routes import router

__all__ = ["router"]
