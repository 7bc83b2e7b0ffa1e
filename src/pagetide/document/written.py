"""What a document, and a page of it, can be had as."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pagetide.document.answers import Source, answers
from pagetide.system.part_file import part_file

if TYPE_CHECKING:
    from pagetide.document.kinds import LineBreaks


class Written:
    """The texts and files of a `Document` or a `Page`."""

    __slots__ = ()

    def to_text(self, *, line_breaks: LineBreaks = "join") -> str:
        """The text in reading order: a blank line between blocks, a form feed between pages.

        Args:
            line_breaks: Whether a paragraph's rows are joined, and hyphens undone, or each
                line is kept.

        >>> print(document.to_text())
        Harbour dues of the quay
        ...
        """
        return answers().text_of(self, "txt", None, line_breaks)

    def to_markdown(
        self, *, figures: str | None = None, line_breaks: LineBreaks = "join"
    ) -> str:
        """The text as Markdown, with headings, lists, tables and formulas.

        Args:
            figures: Where figures' pictures lie: an address up to its last slash, such as
                `scan-figures/`. None makes no links.
            line_breaks: As in `to_text`.
        """
        return answers().text_of(self, "md", figures, line_breaks)

    def to_html(self, *, figures: str | None = None, line_breaks: LineBreaks = "join") -> str:
        """The text as one HTML page that fetches and runs nothing; see `to_markdown`."""
        return answers().text_of(self, "html", figures, line_breaks)

    def to_dict(self) -> dict[str, Any]:
        """All of it as dictionaries, lists, texts and numbers: what its JSON says.

        >>> sorted(page.to_dict())[:4]
        ['blocks', 'dpi', 'error', 'footnotes']
        """
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return plain

    def save(
        self,
        path: str | PathLike[str],
        *,
        source: Source | None = None,
        password: str | None = None,
    ) -> tuple[Path, ...]:
        """Write it into a file, in the format that the file's ending stands for.

        `.json`, `.md`, `.txt`, `.html`, `.hocr`, `.xlsx` (all tables);
        `.pdf` (searchable); `.csv` (each table) and `.png` (each page with what was found
        drawn on it), of which there may be several, named `scan-p3-t1.csv` and `scan.3.png`;
        `.csv.zip`, `.png.zip` and `.figures.zip` (figures cut out).

        Args:
            path: Written over where it exists.
            source: What it was read from; `.pdf`, `.png` and figures need it. What this
                process has read from a path or from bytes knows it.
            password: Opens the source, where it is encrypted.

        Returns:
            The files that were written.

        Raises:
            BadOption: The ending stands for no format, there is nothing of the kind to write,
                or the source is needed or has changed.
            CannotWrite: The file cannot be written.
            PagetideError: The source can no longer be read.

        >>> [written.name for written in document.save("dues.md")]
        ['dues.md']
        """
        written = []
        for place, content in answers().files_of(self, Path(path), source, password):
            with part_file(place) as file:
                file.write(content)
            written.append(place)
        return tuple(written)

    def _repr_html_(self) -> str:
        """What a notebook shows: pages with what was found on them, and tables."""
        return answers().notebook_of(self)
