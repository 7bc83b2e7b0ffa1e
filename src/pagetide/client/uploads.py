"""What is submitted: a document from wherever it is, and the options."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeAlias, TypedDict

import msgspec

from pagetide.client.answers import Priority
from pagetide.document import LineBreaks, TextLayerMode
from pagetide.errors import NotFound
from pagetide.system.file_names import written_name

Source: TypeAlias = str | PathLike[str] | bytes | BinaryIO


class SubmitOptions(TypedDict, total=False):
    """How a document is to be read; what is not given is as the server says.

    Attributes:
        name: What to call the document; by default its file's name.
        model: What reads the pictures.
        options: What the model takes beside.
        languages: One code or several.
        pages: Such as `1-3,7,-1`.
        dpi: Pixels per inch at which PDF pages are rendered, 72–600.
        text_layer: Whether a page's own text is taken: `auto`, `never` or `only`.
        password: Opens an encrypted PDF.
        priority: `interactive` goes before `batch`.
        webhook_url: Is called when the job has ended.
        formats: Made along with the JSON.
        line_breaks: Whether `md`, `txt` and `html` `join` a paragraph's rows, or `keep` each.
        barcodes: Whether bar codes and QR codes are looked for.
        ttl_s: How long input and results are kept after the end.
        metadata: Words of your own, given back with the job.
        review_below: A person reviews the result if a line was read with less confidence, 0–1;
            0 means that nobody does, whatever the server is set to, and likewise the next two.
        review_sums: A person reviews a bill whose sums do not come out.
        review_sample: A person reviews this share of all, 0–1.
        idempotency_key: A second job with the same key is the first; by default random.
    """

    name: str
    model: str
    options: Mapping[str, str | int | float | bool]
    languages: str | Sequence[str]
    pages: str | None
    dpi: float
    text_layer: TextLayerMode
    password: str | None
    priority: Priority
    webhook_url: str | None
    formats: str | Sequence[str]
    line_breaks: LineBreaks
    barcodes: bool
    ttl_s: float | None
    metadata: Mapping[str, str]
    review_below: float | None
    review_sums: bool | None
    review_sample: float | None
    idempotency_key: str | None


def is_url(source: object) -> bool:
    """Whether the server is to fetch the document itself."""
    return isinstance(source, str) and source.lower().startswith(("http://", "https://"))


def fields_of(options: SubmitOptions) -> dict[str, Any]:
    """The options as the API names them, without those that are None or empty.

    Raises:
        TypeError: There is no such option.
    """
    unknown = set(options) - set(SubmitOptions.__annotations__)
    if unknown:
        raise TypeError(f"there is no option {min(unknown)!r}")
    plain = {name: _plain(name, value) for name, value in options.items() if value is not None}
    elsewhere = ("idempotency_key", "name")
    return {k: v for k, v in plain.items() if k not in elsewhere and v not in ([], {})}


def _plain(name: str, value: Any) -> Any:
    """A value of types that JSON has."""
    if name in ("languages", "formats"):
        return [value] if isinstance(value, str) else list(value)
    return dict(value) if name in ("metadata", "options") else value


def form_of(fields: Mapping[str, Any]) -> dict[str, str]:
    """Fields as those of a multipart form."""
    return {name: _text(value) for name, value in fields.items()}


def _text(value: Any) -> str:
    if isinstance(value, dict | bool):
        return msgspec.json.encode(value).decode()
    return ",".join(value) if isinstance(value, list) else str(value)


def name_of(source: Source) -> str:
    """The name of a document where its sender gives none."""
    if isinstance(source, bytes):
        return "document"
    path = getattr(source, "name", "") if hasattr(source, "read") else fspath(source)
    name = Path(path).name if isinstance(path, str) else ""
    return written_name(name) or "document"


@contextmanager
def opened(source: Source) -> Iterator[IO[bytes]]:
    """The document as a file that can be read from its start again and again.

    A file given by the caller counts from where it stands; where it cannot go back, or does
    not stand at its start, it is copied to a temporary one.

    Raises:
        NotFound: There is no such file, or it cannot be read.
    """
    if isinstance(source, bytes):
        yield BytesIO(source)
    elif isinstance(source, str | PathLike):
        with _open(Path(source)) as file:
            yield file
    elif source.seekable() and source.tell() == 0:
        yield source
    else:
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(source, copy)
            copy.seek(0)
            yield copy


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise NotFound(f"{path} does not exist.") from None
    except IsADirectoryError:
        raise NotFound(f"{path} is a folder, not a file.") from None
    except OSError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror or 'it fails'}.") from None
