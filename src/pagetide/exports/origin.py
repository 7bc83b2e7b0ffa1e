"""Where a document came from, for the exports that show or keep its pages."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pagetide.document import Document
from pagetide.document.kinds import PictureEnding
from pagetide.engine import PageImage
from pagetide.errors import BadOption, NotFound
from pagetide.geometry import Polygon


class OpenPages(Protocol):
    """Gives pages by number; `inputs.Input` does."""

    def displayed(self, number: int, *, dpi: float = 144) -> PageImage:
        """The page of this number, from 1, as it is displayed."""
        ...

    def page_picture(
        self, number: int, *, dpi: float = 144, ending: PictureEnding = "png"
    ) -> bytes:
        """The page as a file."""
        ...

    def figure_png(self, number: int, polygon: Polygon, *, dpi: float = 144) -> bytes:
        """What the page shows around a polygon, in its pixels at `dpi`, as PNG."""
        ...


class Child(Protocol):
    """Runs functions where untrusted bytes may be parsed; `inputs.Sandbox` does."""

    def call(
        self, function: Callable[..., Any], *args: Any, timeout_s: float | None = None
    ) -> Any:
        """What the function returns."""
        ...


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The input a document was read from.

    Attributes:
        source: Its path, or its bytes.
        pages: Its pages, open.
        child: Where its bytes may be parsed.
        password: Opens it, where it is encrypted.
    """

    source: str | Path | bytes
    pages: OpenPages
    child: Child
    password: str | None = field(default=None, repr=False)

    def read(self, document: Document) -> bytes:
        """The input's bytes.

        Raises:
            NotFound: The file is gone.
            BadOption: These are not the bytes that the document was read from.
        """
        if isinstance(self.source, bytes):
            content = self.source
        else:
            try:
                content = Path(self.source).read_bytes()
            except OSError:
                raise NotFound("The file no longer exists or cannot be read.") from None
        if hashlib.sha256(content).hexdigest() != document.source.sha256:
            raise BadOption("The file has changed since it was read; read it again.")
        return content

    def check(self, document: Document) -> None:
        """See whether this is the input that the document was read from.

        Raises:
            NotFound: The file is gone.
            BadOption: It is another.
        """
        self.read(document)

    def cut(self, number: int, polygon: Polygon, dpi: float) -> bytes:
        """What a page as displayed shows around a polygon, as PNG.

        Args:
            number: From 1.
            polygon: In the page's pixels.
            dpi: At which it was read.
        """
        return self.pages.figure_png(number, polygon, dpi=dpi)

    def jpeg(self, number: int) -> bytes:
        """A page as displayed, as JPEG, to be looked at."""
        return self.pages.page_picture(number, ending="jpeg")

    def picture(self, number: int, dpi: float) -> PageImage:
        """A page as displayed.

        Args:
            number: From 1.
            dpi: At which it was read.
        """
        return self.pages.displayed(number, dpi=dpi)
