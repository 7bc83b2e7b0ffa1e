"""Inspects a document before it becomes a job: its type, hash and page count."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pagetide.document import SourceInfo
from pagetide.document.kinds import PictureEnding
from pagetide.engine import PageImage
from pagetide.geometry import Polygon
from pagetide.inputs import Limits, open_input
from pagetide.server.service.submitting.sandboxes import Sandboxes

LONGEST_S = 10.0  # to count pages; a document that takes longer is refused at once


class Inspector:
    """Opens documents in sandboxes of its own, of which each owner has a share.

    What each raises beside its own: `Busy` where no sandbox is to be had in time.
    """

    def __init__(self, limits: Limits) -> None:
        short = replace(limits, page_timeout_s=min(limits.page_timeout_s, LONGEST_S))
        self._sandboxes = Sandboxes(short)

    def inspect(
        self, path: Path, name: str, password: str | None, owner: str = ""
    ) -> SourceInfo:
        """A document's name, hash, type, size and page count.

        Raises:
            PagetideError: It cannot be opened; see `inputs.open_input`.
        """
        with (
            self._sandboxes.lent(owner) as sandbox,
            open_input(path, sandbox=sandbox, password=password, name=name) as opened,
        ):
            return opened.info

    def page_picture(
        self,
        path: Path,
        number: int,
        dpi: float,
        password: str | None,
        owner: str = "",
        ending: PictureEnding = "png",
        width: int | None = None,
    ) -> bytes:
        """A page's picture as a file, at most so wide.

        Raises:
            PagetideError: It cannot be rendered; see `inputs.Input.page`.
        """
        with (
            self._sandboxes.lent(owner) as sandbox,
            open_input(path, sandbox=sandbox, password=password) as opened,
        ):
            return opened.page_picture(number, dpi=dpi, ending=ending, width=width)

    def page_image(
        self, path: Path, number: int, dpi: float, password: str | None, owner: str = ""
    ) -> PageImage:
        """A page's picture in pixels.

        Raises:
            PagetideError: It cannot be rendered; see `inputs.Input.page`.
        """
        with (
            self._sandboxes.lent(owner) as sandbox,
            open_input(path, sandbox=sandbox, password=password) as opened,
        ):
            image = opened.page(number, dpi=dpi, text_layer="never").image
            assert image is not None  # noqa: S101 - `never` gives a picture or raises
            return image

    def figure_png(
        self,
        path: Path,
        number: int,
        polygon: Polygon,
        dpi: float,
        password: str | None,
        owner: str = "",
    ) -> bytes:
        """The part of a page's picture around a polygon, as PNG.

        Raises:
            PagetideError: It cannot be rendered; see `inputs.Input.figure_png`.
        """
        with (
            self._sandboxes.lent(owner) as sandbox,
            open_input(path, sandbox=sandbox, password=password) as opened,
        ):
            return opened.figure_png(number, polygon, dpi=dpi)

    def close(self) -> None:
        """End the sandboxes."""
        self._sandboxes.close()
