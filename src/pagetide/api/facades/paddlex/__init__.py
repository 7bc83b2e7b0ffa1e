"""PaddleX serving: what `paddlex --serve` answers for its pipelines for text and layout."""

from pagetide.api.facades.paddlex.routes import router

__all__ = ["router"]
