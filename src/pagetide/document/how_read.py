"""How something was read: by which model, from which source, with which outcome."""

from __future__ import annotations

from msgspec import Struct

from pagetide.errors import PagetideError


class Notice(Struct, frozen=True, kw_only=True, gc=False):
    """Something the caller should know; `code` is stable, `message` is one sentence."""

    code: str
    message: str


class Failure(Struct, frozen=True, kw_only=True, gc=False):
    """Why a page could not be read; `code` is that of an error in `pagetide.errors`."""

    code: str
    message: str
    retryable: bool = False

    @classmethod
    def of(cls, error: PagetideError) -> Failure:
        """A result's report of an error."""
        return cls(code=error.code, message=error.message, retryable=error.retryable)


class ModelInfo(Struct, frozen=True, kw_only=True, gc=False):
    """The model that read a document or a page.

    Attributes:
        version: The engine's.
        runtime: What it ran on, with version.
        parts: The purpose of each of its networks, and its name.
        weights: The same keys, and the SHA-256 in hex of each network's file.
        worker: The version of the worker that read it, for a service; otherwise empty.
    """

    name: str
    engine: str
    version: str
    runtime: str
    language: str
    parts: dict[str, str] = {}
    weights: dict[str, str] = {}
    worker: str = ""


class TextLayerDecision(Struct, frozen=True, kw_only=True, gc=False):
    """Whether the page's own text was used, and why.

    Attributes:
        used: True if the lines come from the text layer.
        reason: A stable code: `trusted`, `blank` (nothing is drawn, so there is nothing to
            read), `requested`, `image_input`, `no_text`, `garbage`, `invisible`, `clipped`,
            `little_coverage`, `not_requested`.
        detail: One sentence for a person.
    """

    used: bool
    reason: str
    detail: str = ""
