"""The hubs: ModelScope and Hugging Face, over https.

ModelScope: `https://www.modelscope.cn/models/REPO/resolve/REVISION/PATH`. Hugging Face:
`https://huggingface.co/REPO/resolve/REVISION/PATH`, and for what a repository holds
`/api/models/REPO/revision/REVISION?blobs=true`, which names the commit, every file's size,
and the SHA-256 of the large ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx
import msgspec
from msgspec import Struct

from pagetide.engines.models.manifest import Manifest, ModelFile
from pagetide.engines.models.registry import Known
from pagetide.engines.models.sources import BrokenOff, Content, Unreachable
from pagetide.errors import ModelUnavailable
from pagetide.system.ready_types import ready

HOSTS = {
    "modelscope": "https://www.modelscope.cn/models",
    "huggingface": "https://huggingface.co",
}
_CONNECT_S, _SILENCE_S = 10.0, 30.0
_NEWEST = "main"
_HEADERS = {"accept-encoding": "identity", "user-agent": "pagetide"}
_MOST_LISTING = 4_000_000  # bytes
_RANGE = re.compile(r"bytes (\d+)-\d+/(?:\d+|\*)")


class _Large(Struct, frozen=True):
    sha256: str
    size: int


class _Listed(Struct, frozen=True):
    rfilename: str
    size: int | None = None
    lfs: _Large | None = None


class _Listing(Struct, frozen=True):
    sha: str
    siblings: tuple[_Listed, ...]


@dataclass(frozen=True)
class HubSource:
    """See `sources.Source`.

    Attributes:
        hosts: The hubs' base URLs.
    """

    hosts: Mapping[str, str] = field(default_factory=lambda: HOSTS)
    name: str = "the hub"
    own: bool = False

    def offer(self, name: str, known: Known | None) -> Manifest | None:
        """See `sources.Source`."""
        hub, _, repo = known.source.partition(":") if known else ("", "", "")
        if known is None or hub not in self.hosts:
            return None
        files, revision = known.files, known.revision
        if hub == "huggingface" and not known.pinned:
            listing = self._listing(repo, revision or _NEWEST)
            files, revision = _completed(name, known.files, listing), listing.sha
        source = f"{self.hosts[hub]}/{repo}"
        return Manifest(name=name, files=files, source=source, revision=revision)

    def open(self, offer: Manifest, file: ModelFile, start: int) -> Content:
        """See `sources.Source`."""
        url = f"{offer.source}/resolve/{offer.revision}/{file.place}"
        headers = {"range": f"bytes={start}-"} if start else {}
        response = _send(url, headers)
        begins = _begins(response)
        if response.status_code == 416:
            response.close()
            response, begins = _send(url, {}), 0
        if response.status_code not in (200, 206):
            response.close()
            raise _refused(response, f"{offer.name}: {file.place}")
        return Content(begins, _chunks(response), response.close)

    def _listing(self, repo: str, revision: str) -> _Listing:
        url = f"{self.hosts['huggingface']}/api/models/{repo}/revision/{revision}?blobs=true"
        response = _send(url, {})
        with closing(response):
            if response.status_code != 200:
                raise _refused(response, repo)
            content = b""
            for chunk in _chunks(response):
                content += chunk
                if len(content) > _MOST_LISTING:
                    raise ModelUnavailable(f"The hub's list of {repo} is too long.")
        try:
            listing = msgspec.json.decode(content, type=ready(_Listing))
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ModelUnavailable(f"The hub's list of {repo} cannot be read.") from None
        if not re.fullmatch(r"[0-9a-f]{40}", listing.sha):
            raise ModelUnavailable(f"The hub gives no commit of {repo}.")
        return listing


def _completed(
    name: str, files: tuple[ModelFile, ...], listing: _Listing
) -> tuple[ModelFile, ...]:
    """The files with the sizes and hashes that the hub gives."""
    listed = {one.rfilename: one for one in listing.siblings}
    files = files or tuple(ModelFile(path=path) for path in listed if _matters(path))
    for file in files:
        if file.place not in listed:
            raise ModelUnavailable(f"The hub has no {file.place} of {name}.")
    found = [(file, listed[file.place]) for file in files]
    return tuple(
        ModelFile(
            path=file.path,
            at=file.at,
            size=one.lfs.size if one.lfs else one.size,
            sha256=one.lfs.sha256 if one.lfs else None,
        )
        for file, one in found
    )


def _matters(path: str) -> bool:
    """Whether a file of a repository is part of the model, not about it."""
    name = path.rsplit("/", 1)[-1]
    return name[0] != "." and not name.endswith(".md")


def _send(url: str, headers: Mapping[str, str]) -> httpx.Response:
    timeout = httpx.Timeout(_SILENCE_S, connect=_CONNECT_S)
    client = httpx.Client(
        follow_redirects=True,
        max_redirects=5,
        timeout=timeout,
        limits=httpx.Limits(max_keepalive_connections=0),  # closed with the answer
    )
    try:
        request = client.build_request("GET", url, headers={**_HEADERS, **headers})
        response = client.send(request, stream=True)
    except httpx.ConnectError:
        raise Unreachable(f"{urlsplit(url).hostname} cannot be reached") from None
    except httpx.TimeoutException:
        raise Unreachable(f"{urlsplit(url).hostname} does not answer in time") from None
    except httpx.HTTPError:
        raise BrokenOff from None
    schemes = [one.url.scheme for one in (*response.history, response)]
    if "https" in schemes and "http" in schemes:
        response.close()
        raise ModelUnavailable("The hub redirects from https to http; nothing was taken.")
    return response


def _begins(response: httpx.Response) -> int:
    """At which byte the answer begins."""
    if response.status_code != 206:
        return 0
    match = _RANGE.match(response.headers.get("content-range", ""))
    if match is None:
        response.close()
        raise ModelUnavailable("The hub sends a partial answer, but does not say which part.")
    return int(match[1])


def _chunks(response: httpx.Response) -> Iterator[bytes]:
    try:
        yield from response.iter_raw()
    except httpx.HTTPError:
        raise BrokenOff from None


def _refused(response: httpx.Response, what: str) -> ModelUnavailable | Unreachable:
    host, status = response.url.host, response.status_code
    if status >= 500 or status == 429:
        return Unreachable(f"{host} answers with status {status}")
    return ModelUnavailable(f"{host} does not give {what}: status {status}.")
