"""Pages read for a benchmark by one model, and those that could not be."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from bench.public.as_markdown import as_markdown
from pagetide import ReadOptions
from pagetide.document import TextLayerMode
from pagetide.errors import PagetideError
from pagetide.reading import Reader


@dataclass
class Reading:
    """Reads pages as Markdown; a page that fails gives no text and is named in `failed`."""

    reader: Reader
    text_layer: TextLayerMode
    failed: list[str] = field(default_factory=list)

    def markdown(self, path: Path, page: int = 1) -> str:
        """A page's text, in the benchmarks' form."""
        options = ReadOptions(text_layer=self.text_layer, pages=str(page))
        try:
            document = self.reader.read(path, options)
        except (PagetideError, OSError) as error:
            self.failed.append(f"{path.name}: {error}")
            return ""
        self.failed += [f"{path.name}: {p.error.message}" for p in document.pages if p.error]
        return as_markdown(document)

    def anew(self) -> Reading:
        """The same, with no failures yet."""
        return Reading(self.reader, self.text_layer)

    def notes(self, read: int, of: int) -> list[str]:
        """How many pages the figures cover, and how many of them could not be read."""
        part = "" if read == of else f" of {of}, spread over the set: not the published set"
        told = [f"{read} pages{part}."]
        if self.failed:
            told.append(
                f"{len(self.failed)} could not be read and count as empty: {self.failed[0]}"
            )
        return told
