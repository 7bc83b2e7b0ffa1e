"""A document's files in the formats asked for, with the input at hand where one needs it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType
from typing import Self
from urllib.parse import quote

from pagetide.cli.reading.sources import InputSource
from pagetide.document import Document
from pagetide.exports import FIGURES_FOLDER, FORMATS, Origin, Style, export
from pagetide.inputs import Limits, Sandbox, open_input
from pagetide.settings import Settings

# What the files of a format that is any number of them end in.
_MANY = {
    "csv": ["-p*-t*.csv"],
    "figures": [f"-{FIGURES_FOLDER}*"],
    "png": [".png", ".[0-9]*.png"],
}


class Results:
    """Writes documents in formats; its sandbox starts when a format first needs one."""

    def __init__(
        self,
        formats: Sequence[str],
        password: str | None,
        *,
        compact: bool,
        style: Style,
    ) -> None:
        """Prepare.

        Args:
            formats: Names in `exports.FORMATS`.
            password: For inputs that are encrypted.
            compact: Whether JSON stands on one line, so that documents can follow another.
            style: How text is written, but for the links to figures.
        """
        # Whatever is one file comes first, and so is put in its place last; see `Stage`.
        self._formats = sorted(formats, key=_MANY.__contains__)
        self._password = password
        self._compact = compact
        self._style = style
        self._sandbox: Sandbox | None = None

    @property
    def suffixes(self) -> list[str]:
        """See `Endings.suffixes`."""
        return [FORMATS[name].suffix for name in self._formats if name not in _MANY]

    @property
    def patterns(self) -> list[str]:
        """See `Endings.patterns`."""
        return [ending for name in self._formats for ending in _MANY.get(name, [])]

    def files(
        self, document: Document, found: InputSource, stem: str
    ) -> Iterator[tuple[str, bytes]]:
        """Endings and contents, one after the other.

        Raises:
            PagetideError: The input can no longer be read.
        """
        # The text links to the figures where these are written, too: beside it.
        linked = "figures" in self._formats
        figures = f"{quote(os.fsencode(stem), safe='')}-{FIGURES_FOLDER}" if linked else None
        style = replace(self._style, figures=figures)
        with ExitStack() as stack:
            origin = None
            if any(FORMATS[name].needs_origin for name in self._formats):
                origin = self._origin(found.source, stack)
            for name in self._formats:
                if name == "json" and self._compact:
                    yield FORMATS[name].suffix, document.to_json().encode()
                else:
                    yield from export(document, name, origin, style)

    def _origin(self, source: str | bytes, stack: ExitStack) -> Origin:
        if self._sandbox is None:
            self._sandbox = Sandbox(Limits.of(Settings.from_environment()))
        opened = open_input(source, sandbox=self._sandbox, password=self._password)
        return Origin(
            source=source,
            pages=stack.enter_context(opened),
            child=self._sandbox,
            password=self._password,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._sandbox is not None:
            self._sandbox.close()
