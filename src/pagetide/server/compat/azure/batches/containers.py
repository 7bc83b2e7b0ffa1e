"""Containers of Azure Blob Storage, by a URL that opens them: a public one, or a signed one.

All requests go over the vetted network: a container's URL is a stranger's like any other.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from urllib.parse import quote, unquote, urlsplit

from pagetide.errors import BadOption, DownloadFailed
from pagetide.net.addresses import vet_url
from pagetide.net.network import Deadline
from pagetide.net.vetted import Answer, exchange

VERSION = "2021-08-06"  # of the storage's own protocol
MOST_LIST_BYTES = 8 << 20
MOST_LISTS = 50  # parts of a list: a storage that never ends it would hold a thread for ever
BLOCK_BYTES = 8 << 20
_JOB = "x-ms-meta-pagetidejob"


@dataclass(frozen=True, kw_only=True)
class Container:
    """A container.

    Attributes:
        url: With its signature, if it has one.
        timeout_s: For each request, and for all requests of a list together.
        allowed_hosts: Hosts that may have any address.
    """

    url: str
    timeout_s: float
    allowed_hosts: frozenset[str] = frozenset()

    def check(self) -> None:
        """See whether it is the URL of a container, without asking anybody.

        Raises:
            BadOption: It is none.
            AddressRefused: It lies where this server does not go.
        """
        try:
            parts = urlsplit(self.url)
            fits = parts.scheme in ("http", "https") and parts.path.strip("/")
        except ValueError:
            fits = ""
        if not fits:
            raise BadOption("The URL of a container must be like https://host/container?…")
        vet_url(self.url, self.allowed_hosts)

    def address(self, name: str) -> str:
        """A blob's URL, without the signature: what may be shown."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/{quote(name)}"

    def signed(self, name: str, query: str = "") -> str:
        """A blob's URL that opens it."""
        signature = urlsplit(self.url).query
        parameters = "&".join(filter(None, (query, signature)))
        return f"{self.address(name)}?{parameters}" if parameters else self.address(name)

    def names(self, prefix: str) -> Iterator[str]:
        """The names of its blobs that begin so.

        Raises:
            DownloadFailed: It cannot be listed, or not in time, or the list does not end.
            AddressRefused: It lies where this server does not go.
        """
        marker, deadline = "", Deadline(self.timeout_s)
        for _ in range(MOST_LISTS):
            listed = self._listed(prefix, marker, deadline.left(self.timeout_s))
            page = listed.decode("utf-8", "replace")
            yield from _names_in(page)
            marker = html.unescape(_between(page, "<NextMarker>", "</NextMarker>"))
            if not marker:
                return
        raise DownloadFailed("The list of the container's blobs does not end.")

    def read(self, name: str) -> bytes:
        """A small blob.

        Raises:
            DownloadFailed: It cannot be read, or is not small.
        """
        with self._request("GET", self.signed(name)) as answer:
            return _whole(answer, name)

    def put(self, name: str, parts: Iterator[bytes], *, job_id: str, overwrite: bool) -> bool:
        """Keep a job's result as a blob.

        Returns:
            False where another blob of this name is kept.

        Raises:
            DownloadFailed: It cannot be written.
        """
        status = self._put(name, parts, {_JOB: job_id}, overwrite=overwrite)
        if status == 201:
            return True
        if status in (409, 412) and not overwrite:
            return self._is_of(name, job_id)
        raise DownloadFailed(f"The result cannot be written: the storage says {status}.")

    def _put(
        self, name: str, parts: Iterator[bytes], note: Mapping[str, str], *, overwrite: bool
    ) -> int:
        headers = {**note, "content-type": "application/json"}
        if not overwrite:
            headers["if-none-match"] = "*"
        blocks = list(self._blocks(name, parts))
        listed = "".join(f"<Latest>{block}</Latest>" for block in blocks)
        body = f"<?xml version='1.0'?><BlockList>{listed}</BlockList>".encode()
        url = self.signed(name, "comp=blocklist")
        typed = {"x-ms-blob-content-type": headers.pop("content-type")}
        with self._request("PUT", url, {**headers, **typed}, body) as answer:
            return answer.status

    def _blocks(self, name: str, parts: Iterator[bytes]) -> Iterator[str]:
        """Send the parts as blocks; their names."""
        for number, block in enumerate(_in_blocks(parts)):
            block_id = base64.b64encode(b"%08d" % number).decode()
            url = self.signed(name, f"comp=block&blockid={quote(block_id, safe='')}")
            with self._request("PUT", url, {}, block) as answer:
                if answer.status != 201:
                    raise DownloadFailed(
                        f"The result cannot be written: the storage says {answer.status}."
                    )
            yield block_id

    def _is_of(self, name: str, job_id: str) -> bool:
        with self._request("HEAD", self.signed(name)) as answer:
            return answer.headers.get(_JOB) == job_id

    def _listed(self, prefix: str, marker: str, timeout_s: float) -> bytes:
        parameters = f"restype=container&comp=list&prefix={quote(prefix, safe='')}"
        if marker:
            parameters += f"&marker={quote(marker, safe='')}"
        url = self.signed("", parameters).replace("/?", "?", 1)
        with replace(self, timeout_s=timeout_s)._request("GET", url) as answer:
            return _whole(answer, "The container")

    def _request(
        self, method: str, url: str, headers: Mapping[str, str] | None = None, body: bytes = b""
    ) -> AbstractContextManager[Answer]:
        return exchange(
            method,
            url,
            timeout_s=self.timeout_s,
            headers={"x-ms-version": VERSION, **(headers or {})},
            body=body,
            allowed_hosts=self.allowed_hosts,
        )


def _whole(answer: Answer, what: str) -> bytes:
    if answer.status != 200:
        raise DownloadFailed(
            f"{what} cannot be read: the storage says {answer.status}; the container's URL"
            " needs a shared access signature that lets it be read and listed."
        )
    read = bytearray()
    for chunk in answer.chunks:
        read += chunk
        if len(read) > MOST_LIST_BYTES:
            raise DownloadFailed(f"{what} holds more than {MOST_LIST_BYTES} bytes.")
    return bytes(read)


def _names_in(page: str) -> Iterator[str]:
    """The names of the blobs in a part of a list.

    It is searched but once, whatever it holds: a stranger may have written it.
    """
    for blob in page.split("<Blob>")[1:]:
        attributes, _, name = _between(blob, "<Name", "</Name>").partition(">")
        if name:
            plain = html.unescape(name)
            yield unquote(plain) if 'Encoded="true"' in attributes else plain


def _between(text: str, opening: str, closing: str) -> str:
    return text.partition(opening)[2].partition(closing)[0]


def _in_blocks(parts: Iterator[bytes]) -> Iterator[bytes]:
    held = bytearray()
    for part in parts:
        held += part
        while len(held) >= BLOCK_BYTES:
            yield bytes(held[:BLOCK_BYTES])
            del held[:BLOCK_BYTES]
    if held:
        yield bytes(held)
