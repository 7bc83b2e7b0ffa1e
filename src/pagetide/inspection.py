"""What a document is, before it becomes a job: its type, hash and page count."""

from __future__ import annotations

import queue
import threading
from dataclasses import replace
from pathlib import Path

from pagetide.document import SourceInfo
from pagetide.geometry import Polygon
from pagetide.inputs import Limits, Sandbox, open_input
from pagetide.ports import PageImage

SANDBOXES = 2  # one that is busy with a hostile document does not hold up the others
LONGEST_S = 10.0  # to count pages; a document that takes longer is refused at once


class Inspector:
    """Opens documents in sandboxes of its own, which start when first needed."""

    def __init__(self, limits: Limits) -> None:
        short = replace(limits, page_timeout_s=min(limits.page_timeout_s, LONGEST_S))
        self._idle: queue.SimpleQueue[Sandbox] = queue.SimpleQueue()
        self._all = [Sandbox(short) for _ in range(SANDBOXES)]
        for sandbox in self._all:
            self._idle.put(sandbox)
        self._closing = threading.Lock()

    def inspect(self, path: Path, name: str, password: str | None) -> SourceInfo:
        """A document's name, hash, type, size and page count.

        Raises:
            PagetideError: It cannot be opened; see `inputs.open_input`.
        """
        sandbox = self._idle.get()
        try:
            with open_input(path, sandbox=sandbox, password=password, name=name) as opened:
                return opened.info
        finally:
            self._idle.put(sandbox)

    def page_png(self, path: Path, number: int, dpi: float, password: str | None) -> bytes:
        """A page's picture as PNG.

        Raises:
            PagetideError: It cannot be rendered; see `inputs.Input.page`.
        """
        sandbox = self._idle.get()
        try:
            with open_input(path, sandbox=sandbox, password=password) as opened:
                return opened.page_png(number, dpi=dpi)
        finally:
            self._idle.put(sandbox)

    def page_image(
        self, path: Path, number: int, dpi: float, password: str | None
    ) -> PageImage:
        """A page's picture in pixels.

        Raises:
            PagetideError: It cannot be rendered; see `inputs.Input.page`.
        """
        sandbox = self._idle.get()
        try:
            with open_input(path, sandbox=sandbox, password=password) as opened:
                image = opened.page(number, dpi=dpi, text_layer="never").image
                assert image is not None  # noqa: S101 - `never` gives a picture or raises
                return image
        finally:
            self._idle.put(sandbox)

    def figure_png(
        self, path: Path, number: int, polygon: Polygon, dpi: float, password: str | None
    ) -> bytes:
        """What a page shows around a polygon, as PNG.

        Raises:
            PagetideError: It cannot be rendered; see `inputs.Input.figure_png`.
        """
        sandbox = self._idle.get()
        try:
            with open_input(path, sandbox=sandbox, password=password) as opened:
                return opened.figure_png(number, polygon, dpi=dpi)
        finally:
            self._idle.put(sandbox)

    def close(self) -> None:
        """End the sandboxes."""
        with self._closing:
            for sandbox in self._all:
                sandbox.close()
