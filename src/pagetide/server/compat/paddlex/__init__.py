"""PaddleX serving: what `paddlex --serve` answers for its pipelines for text and layout."""

from pagetide.server.compat.paddlex.routes import router

__all__ = ["router"]
