"""The limits of an input: its size, pages, pixels, time and memory."""

from __future__ import annotations

from dataclasses import dataclass

from pagetide.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What an input may cost; see `Settings` for each limit's meaning."""

    max_pages: int = 5000
    max_pixels: int = 100_000_000
    max_bytes: int = 1_000_000_000
    page_timeout_s: float = 20.0
    page_timeouts_max: int = 5
    memory_mb: int = 1200
    confined: str = "auto"

    @classmethod
    def of(cls, settings: Settings) -> Limits:
        """The limits that these settings name."""
        return cls(
            max_pages=settings.max_pages,
            max_pixels=settings.max_pixels,
            max_bytes=settings.max_bytes,
            page_timeout_s=settings.page_timeout_s,
            page_timeouts_max=settings.page_timeouts_max,
            memory_mb=settings.sandbox_memory_mb,
            confined=settings.sandbox,
        )
