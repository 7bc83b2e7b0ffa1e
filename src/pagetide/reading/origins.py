"""Documents' inputs, opened again for what needs more than was read of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from pagetide import exports
from pagetide.document import Document, SourceInfo
from pagetide.document.known_source import KnownSource, source_of
from pagetide.document.written import Written
from pagetide.errors import BadOption
from pagetide.exports import Origin
from pagetide.inputs import Limits, Sandbox, open_input
from pagetide.settings import Settings

CHANGED = "The file has changed since it was read; read it again."


def known_or_given(
    of: Written, source: str | PathLike[str] | bytes | None, password: str | None
) -> KnownSource | None:
    """The source of a document or a page: the given one, else what it knows itself."""
    if source is not None:
        return KnownSource(source=source, password=password)
    return source_of(of)


@contextmanager
def open_origin(known: KnownSource | None) -> Iterator[tuple[Origin, SourceInfo]]:
    """An input, opened in a sandbox of its own, and what is known of it.

    Raises:
        BadOption: It is not known, or it has changed since it was read.
        PagetideError: It can no longer be opened.
    """
    if known is None:
        raise BadOption("The input of this document is no longer known: pass `source`.")
    place = known.source if isinstance(known.source, bytes) else Path(known.source)
    with (
        Sandbox(Limits.of(Settings.from_environment())) as sandbox,
        open_input(place, sandbox=sandbox, password=known.password) as opened,
    ):
        if known.sha256 not in ("", opened.info.sha256):
            raise BadOption(CHANGED)
        origin = Origin(source=place, pages=opened, child=sandbox, password=known.password)
        yield origin, opened.info


def export_document(
    document: Document,
    name: str,
    source: str | PathLike[str] | bytes | None,
    password: str | None,
    style: exports.Style,
) -> Iterator[tuple[str, bytes]]:
    """See `pagetide.export`."""
    form = exports.FORMATS.get(name)
    known = known_or_given(document, source, password)
    if known is None or (source is None and not (form and form.needs_origin)):
        yield from exports.export(document, name, style=style)
        return
    with open_origin(known) as (origin, _):
        yield from exports.export(document, name, origin, style)
