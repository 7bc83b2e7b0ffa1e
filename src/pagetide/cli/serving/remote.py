"""A server as the commands see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pagetide.cli.reading.progress import Progress
from pagetide.cli.reading.sources import InputSource
from pagetide.client import Client, RemoteJob
from pagetide.client.formats import suffix_of
from pagetide.document import Document
from pagetide.errors import PagetideError
from pagetide.settings import Settings


def open_client(server: str | None, key: str | None) -> Client:
    """A client of the server that was named, or that the settings name.

    Raises:
        BadOption: The address or the key cannot be one.
    """
    settings = Settings.from_environment()
    return Client(server or settings.server, key=key or settings.key or None)


class RemoteFiles:
    """Documents in the formats asked for, as the server makes them."""

    def __init__(self, client: Client, formats: Sequence[str]) -> None:
        self._client = client
        self._formats = formats
        self._jobs: dict[str, str] = {}

    def know(self, found: InputSource, job: RemoteJob) -> None:
        """Remember which job reads an input."""
        self._jobs[found.name] = job.id

    @property
    def suffixes(self) -> list[str]:
        """See `Endings.suffixes`."""
        return [suffix_of(name) for name in self._formats]

    @property
    def patterns(self) -> list[str]:
        """None: a format of many files is one archive."""
        return []

    def files(
        self, document: Document, found: InputSource, stem: str
    ) -> Iterator[tuple[str, bytes]]:
        """Endings and contents, one after the other; a format of many files is one archive.

        Raises:
            PagetideError: The server cannot make one.
        """
        for name in self._formats:
            if name == "json":
                content: str | bytes = document.to_json()
            else:
                content = self._client.result(self._jobs[found.name], name)
            yield suffix_of(name), content.encode() if isinstance(content, str) else content


def document_of(
    client: Client,
    job: RemoteJob | PagetideError,
    progress: Progress,
    files: RemoteFiles,
    found: InputSource,
) -> Document | PagetideError:
    """Wait for a job and fetch its document; or what is wrong."""
    if isinstance(job, PagetideError):
        return job
    files.know(found, job)
    show = _counting(progress)
    try:
        ended = client.wait(job, on_progress=show if progress.shown else None)
        show(ended)
        return client.document(ended)
    except PagetideError as error:
        return error


def _counting(progress: Progress) -> Callable[[RemoteJob], None]:
    counted = 0

    def count(job: RemoteJob) -> None:
        nonlocal counted
        for _ in range(job.pages_done - counted):
            progress.page(job.pages_total)
        counted = max(counted, job.pages_done)
        progress.draw()

    return count
