"""A copy of the models at a URL: `file:///FOLDER`, `s3://…`, `az://…` or `gs://…`.

Behind a `?` may stand what a URL of documents says there: `account`, `endpoint`, `region`. It
is laid out as the folder of pulled models is: `NAME/manifest.json` beside `NAME/FILE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, from_url

from pagetide.engines.models.manifest import (
    MANIFEST,
    MOST_MANIFEST_BYTES,
    Manifest,
    ModelFile,
    decode,
    encode,
)
from pagetide.engines.models.registry import Known
from pagetide.engines.models.sources import BrokenOff, Content, Unreachable
from pagetide.errors import BadOption, CannotWrite, ModelUnavailable

if TYPE_CHECKING:
    from obstore.store import ClientConfig, ObjectStore, RetryConfig

SCHEMES = ("file", "s3", "az", "gs")
_OPTIONS = {"account": "account_name", "endpoint": "endpoint", "region": "region"}
_PARTS_AT_ONCE = 2
# By default a large file would have to come within 30 s. Plain http is for those whose own
# endpoint says so.
_CLIENT: ClientConfig = {"connect_timeout": "10s", "timeout": "3600s", "allow_http": True}
# Without credentials the clouds' clients look for them for minutes.
_RETRIES: RetryConfig = {"max_retries": 2, "retry_timeout": timedelta(seconds=20)}


class MirrorSource:
    """See `sources.Source`."""

    own = True

    def __init__(self, url: str) -> None:
        """Name the mirror; it is asked later.

        Raises:
            BadOption: Its URL is of no known kind.
        """
        self.name = f"the mirror {_shown(url)}"
        self._url = url
        parts = urlsplit(url)
        if parts.scheme not in SCHEMES:
            known = ", ".join(f"{scheme}:" for scheme in SCHEMES)
            raise BadOption(f"PAGETIDE_MODELS_MIRROR must be a URL of {known}.")
        if not {name for name, _ in parse_qsl(parts.query)} <= _OPTIONS.keys():
            known = ", ".join(_OPTIONS)
            raise BadOption(f"The URL of PAGETIDE_MODELS_MIRROR may only have {known}.")

    def offer(self, name: str, known: Known | None) -> Manifest | None:
        """See `sources.Source`."""
        content = self._manifest(name)
        if content is not None:
            return decode(content, name, f"in {self.name}")
        if known is None or not known.files:
            return None
        if not all(self._has(f"{name}/{f.path}") for f in known.files):
            return None
        files = tuple(ModelFile(path=file.path) for file in known.files)
        return Manifest(name=name, files=files, source=self.name)

    def open(self, offer: Manifest, file: ModelFile, start: int) -> Content:
        """See `sources.Source`."""
        key = f"{offer.name}/{file.path}"
        with _translated():
            size = obstore.head(self._store(), key)["size"]
            if start >= size:
                start = 0
            if size == 0:
                return Content(0, iter(()))
            options: obstore.GetOptions = {"range": {"offset": start}} if start else {}
            found = obstore.get(self._store(), key, options=options)
        return Content(start, _chunks(found))

    def holds(self, manifest: Manifest) -> bool:
        """Whether it has a model with these very files."""
        try:
            content = self._manifest(manifest.name)
            held = decode(content, manifest.name, f"in {self.name}") if content else None
        except (ModelUnavailable, Unreachable):
            return False
        hashes = {file.path: file.sha256 for file in manifest.files}
        return held is not None and hashes == {f.path: f.sha256 for f in held.files}

    def put(self, manifest: Manifest, folder: Path) -> None:
        """Copy a model from its folder; the manifest comes last.

        Raises:
            CannotWrite: It could not be written there.
        """
        local = self._local()
        try:
            if local:
                local.mkdir(parents=True, exist_ok=True)
            for file in manifest.files:
                key = f"{manifest.name}/{file.path}"
                path = folder / file.path
                obstore.put(self._store(), key, path, max_concurrency=_PARTS_AT_ONCE)
            plain = Manifest(
                name=manifest.name,
                source=manifest.source,
                revision=manifest.revision,
                pinned=manifest.pinned,
                files=tuple(
                    ModelFile(path=file.path, size=file.size, sha256=file.sha256)
                    for file in manifest.files
                ),
            )
            obstore.put(self._store(), f"{manifest.name}/{MANIFEST}", encode(plain))
        except (BaseError, OSError, Unreachable) as error:
            reason = _reason(error)
            raise CannotWrite(
                f"{manifest.name} is installed, but {self.name} does not accept it: {reason}."
            ) from None

    def _manifest(self, name: str) -> bytes | None:
        key = f"{name}/{MANIFEST}"
        try:
            with _translated():
                if obstore.head(self._store(), key)["size"] > MOST_MANIFEST_BYTES:
                    raise ModelUnavailable(
                        f"The manifest of {name} in {self.name} is too large."
                    )
                return obstore.get(self._store(), key).bytes().to_bytes()
        except FileNotFoundError:
            return None

    def _has(self, key: str) -> bool:
        try:
            with _translated():
                obstore.head(self._store(), key)
        except FileNotFoundError:
            return False
        return True

    def _store(self) -> ObjectStore:
        local = self._local()
        if local is None:
            place, _, query = self._url.partition("?")
            config: Any = {_OPTIONS[name]: value for name, value in parse_qsl(query)}
            return from_url(place, config=config, client_options=_CLIENT, retry_config=_RETRIES)
        if not local.is_dir():
            raise Unreachable("there is no such folder")
        return LocalStore(local)

    def _local(self) -> Path | None:
        parts = urlsplit(self._url)
        return Path(unquote(parts.path)) if parts.scheme == "file" else None


def _chunks(found: obstore.GetResult) -> Iterator[bytes]:
    try:
        for part in found.stream():
            yield bytes(part)
    except (BaseError, OSError) as error:
        raise BrokenOff from error


@contextmanager
def _translated() -> Iterator[None]:
    """Raise what is missing as FileNotFoundError, everything else as `Unreachable`."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (BaseError, OSError) as error:
        raise Unreachable(_reason(error)) from None


def _reason(error: Exception) -> str:
    if isinstance(error, Unreachable):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return type(error).__name__  # its text may hold the store's credentials


def _shown(url: str) -> str:
    """The URL without what may be secret in it."""
    return re.sub(r"\?.*", "", re.sub(r"//[^/@]*@", "//", url))
