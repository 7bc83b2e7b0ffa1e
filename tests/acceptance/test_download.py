"""Documents from users' URLs: what is fetched, and what nobody gets us to fetch."""

from __future__ import annotations

import errno
import io
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import httpcore
import pytest
import trustme

from pagetide.errors import (
    AddressRefused,
    CannotWrite,
    DiskFull,
    DownloadFailed,
    PagetideError,
    TooLarge,
)
from pagetide.net.download import Downloaded, download, safe_name
from pagetide.net.network import OUTSIDE, Outside, dial
from tests.loopback import Answering, Loopback, answering, loopback, redirecting
from tests.parts.server import silent_port

PUBLIC = "93.184.216.34"
HOST = "files.example.test"
MUCH = 10_000_000
SOON_S, LONG_S = 2.0, 120.0
LOOPBACK = """
    127.0.0.1 localhost LOCALHOST localhost. 127.0.0.1. [::1] [::ffff:127.0.0.1]
    [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1] 2130706433 0x7f000001 0x7f.1 0177.0.0.1
    017700000001 127.1 127.0.1 0 0.0.0.0 127.0.0.2 ①②⑦.0.0.1 127。0。0。1
"""


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as running:
        running.answers["/scan.pdf"] = answering(b"%PDF-1.7")
        yield running


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "download"


class Internet:
    """An outside in which names have the addresses given, and public ones lead to loopback."""

    def __init__(self, *addresses: Sequence[str], trust: ssl.SSLContext | None = None) -> None:
        self._addresses = list(addresses)
        self.asked: list[str] = []
        self.dialled: list[str] = []
        self.outside = Outside(
            resolve=self._resolve,
            dial=self._dial,
            trust=(lambda: trust) if trust else OUTSIDE.trust,
        )

    def _resolve(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        return self._addresses.pop(0) if len(self._addresses) > 1 else self._addresses[0]

    def _dial(self, address: str, port: int, timeout_s: float) -> httpcore.NetworkStream:
        self.dialled.append(address)
        return dial("127.0.0.1", port, timeout_s)


def fetch(
    url: str,
    into: Path,
    *,
    max_bytes: int = MUCH,
    timeout_s: float = LONG_S,
    allowed: str = "",
    outside: Outside = OUTSIDE,
) -> Downloaded:
    return download(
        url,
        into,
        max_bytes=max_bytes,
        timeout_s=timeout_s,
        allowed_hosts=frozenset({allowed}),
        outside=outside,
    )


def fetch_allowed(server: Loopback, path: str, into: Path, **options: float) -> Downloaded:
    return download(
        f"http://127.0.0.1:{server.port}{path}",
        into,
        max_bytes=int(options.get("max_bytes", MUCH)),
        timeout_s=options.get("timeout_s", LONG_S),
        allowed_hosts=frozenset({"127.0.0.1"}),
    )


def test_a_document_is_fetched(server: Loopback, into: Path) -> None:
    content = bytes(range(256)) * 10_000
    server.answers["/a/big%20scan.pdf"] = answering(content)
    got = fetch_allowed(server, "/a/big%20scan.pdf?token=SECRET#page", into)
    assert got == Downloaded(name="big scan.pdf", bytes=len(content))
    assert into.read_bytes() == content
    (request,) = server.received
    assert request.path == "/a/big%20scan.pdf?token=SECRET"
    assert request.headers["Host"] == f"127.0.0.1:{server.port}"
    assert request.headers["Accept-Encoding"] == "identity"


def test_chunks_of_unknown_number_are_fetched(server: Loopback, into: Path) -> None:
    server.answers["/x"] = answering(b"all of it", headers={"Connection": "close"})
    assert fetch_allowed(server, "/x", into).bytes == 9
    assert into.read_bytes() == b"all of it"


# Addresses


@pytest.mark.parametrize("host", LOOPBACK.split())
def test_loopback_is_not_reached_in_any_spelling(
    server: Loopback, into: Path, host: str
) -> None:
    with pytest.raises(AddressRefused):
        fetch(f"http://{host}:{server.port}/scan.pdf", into)
    assert server.received == []
    assert not into.exists()


def test_loopback_of_the_other_kind_is_not_reached(into: Path) -> None:
    with loopback(address="::1") as server:
        server.answers["/scan.pdf"] = answering(b"%PDF")
        url = f"http://[::1]:{server.port}/scan.pdf"
        with pytest.raises(AddressRefused):
            fetch(url, into)
        assert server.received == []
        assert fetch(url, into, allowed="::1").bytes == 4
        assert server.received[0].headers["Host"] == f"[::1]:{server.port}"


def test_a_named_host_is_reached(server: Loopback, into: Path) -> None:
    url = f"http://LocalHost:{server.port}/scan.pdf"
    assert fetch(url, into, allowed="localhost").bytes == 8
    with pytest.raises(AddressRefused):
        fetch(url, into, allowed="127.0.0.1")


def test_a_name_of_a_private_address_is_refused(server: Loopback, into: Path) -> None:
    for addresses in (["127.0.0.1"], [PUBLIC, "127.0.0.1"], ["::1"], ["10.0.0.1"]):
        internet = Internet(addresses)
        with pytest.raises(AddressRefused):
            fetch(f"http://{HOST}:{server.port}/scan.pdf", into, outside=internet.outside)
        assert internet.dialled == []
    assert server.received == []


def test_a_name_that_changes_its_address_gains_nothing(server: Loopback, into: Path) -> None:
    internet = Internet([PUBLIC], ["127.0.0.1"])
    url = f"http://{HOST}:{server.port}/scan.pdf"
    assert fetch(url, into, outside=internet.outside).bytes == 8
    assert (internet.asked, internet.dialled) == ([HOST], [PUBLIC])
    assert server.received[0].headers["Host"] == f"{HOST}:{server.port}"
    with pytest.raises(AddressRefused):
        fetch(url, into, outside=internet.outside)
    assert internet.dialled == [PUBLIC]


def test_a_name_that_changes_before_a_redirect_gains_nothing(
    server: Loopback, into: Path
) -> None:
    internet = Internet([PUBLIC], ["127.0.0.1"])
    server.answers["/away"] = redirecting("/scan.pdf")
    with pytest.raises(AddressRefused):
        fetch(f"http://{HOST}:{server.port}/away", into, outside=internet.outside)
    assert internet.dialled == [PUBLIC]
    assert [request.path for request in server.received] == ["/away"]


def test_the_next_address_is_tried(server: Loopback, into: Path) -> None:
    internet = Internet([PUBLIC, "8.8.8.8"])

    def first_is_down(address: str, port: int, timeout_s: float) -> httpcore.NetworkStream:
        stream = internet.outside.dial(address, port, timeout_s)
        if address == PUBLIC:
            stream.close()
            raise httpcore.ConnectError("text of the library")
        return stream

    outside = Outside(resolve=internet.outside.resolve, dial=first_is_down)
    assert fetch(f"http://{HOST}:{server.port}/scan.pdf", into, outside=outside).bytes == 8
    assert internet.dialled == [PUBLIC, "8.8.8.8"]


# Redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed(server: Loopback, into: Path, status: int) -> None:
    server.answers["/old"] = redirecting("/scan.pdf", status)
    assert fetch_allowed(server, "/old", into) == Downloaded(name="scan.pdf", bytes=8)
    assert [request.method for request in server.received] == ["GET", "GET"]


@pytest.mark.parametrize(
    "target",
    ["http://127.0.0.1:{}/scan.pdf", "http://127.1:{}/", "//[::1]:{}/", "file:///etc/passwd"],
)
def test_a_redirect_to_where_we_do_not_go_is_refused(
    server: Loopback, into: Path, target: str
) -> None:
    server.answers["/away"] = redirecting(target.format(server.port))
    with pytest.raises(AddressRefused):
        fetch(f"http://localhost:{server.port}/away", into, allowed="localhost")
    assert [request.path for request in server.received] == ["/away"]


def test_redirects_end(server: Loopback, into: Path) -> None:
    for number in range(10):
        server.answers[f"/{number}"] = redirecting(f"/{number + 1}")
    server.answers["/10"] = answering(b"far away")
    assert fetch_allowed(server, "/5", into).bytes == 8
    server.received.clear()
    with pytest.raises(DownloadFailed, match="more than 5 times"):
        fetch_allowed(server, "/4", into)
    assert len(server.received) == 6


# TLS


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def https(authority: trustme.CA, name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return context


def trusting(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


def test_tls_keeps_the_name_of_the_url(authority: trustme.CA, into: Path) -> None:
    internet = Internet([PUBLIC], trust=trusting(authority))
    with loopback(https(authority, HOST)) as server:
        server.answers["/scan.pdf"] = answering(b"%PDF")
        url = f"https://{HOST}:{server.port}/scan.pdf"
        assert fetch(url, into, outside=internet.outside).bytes == 4
    assert server.names == [HOST]
    assert internet.dialled == [PUBLIC]


@pytest.mark.parametrize("name", ["other.example.test", PUBLIC])
def test_a_certificate_for_another_name_is_refused(
    authority: trustme.CA, into: Path, name: str
) -> None:
    internet = Internet([PUBLIC], trust=trusting(authority))
    with loopback(https(authority, name)) as server:
        server.answers["/scan.pdf"] = answering(b"%PDF")
        with pytest.raises(DownloadFailed, match="certificate"):
            fetch(f"https://{HOST}:{server.port}/scan.pdf", into, outside=internet.outside)
    assert server.received == []


def test_an_unknown_authority_is_not_trusted(authority: trustme.CA, into: Path) -> None:
    internet = Internet([PUBLIC])
    with (
        loopback(https(authority, HOST)) as server,
        pytest.raises(DownloadFailed, match="certificate"),
    ):
        fetch(f"https://{HOST}:{server.port}/", into, outside=internet.outside)


def test_plain_http_where_tls_should_be_is_said_so(server: Loopback, into: Path) -> None:
    with pytest.raises(DownloadFailed, match="TLS"):
        fetch(f"https://localhost:{server.port}/", into, allowed="localhost")


def test_a_redirect_from_https_to_http_is_refused(authority: trustme.CA, into: Path) -> None:
    internet = Internet([PUBLIC], trust=trusting(authority))
    with loopback(https(authority, HOST)) as server, loopback() as plain:
        plain.answers["/scan.pdf"] = answering(b"%PDF")
        server.answers["/away"] = redirecting(f"http://{HOST}:{plain.port}/scan.pdf")
        with pytest.raises(AddressRefused, match="from https to http"):
            fetch(f"https://{HOST}:{server.port}/away", into, outside=internet.outside)
    assert plain.received == []


# Sizes and times


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    while True:  # until the client goes
        handler.wfile.write(b"x" * 65536)


def test_a_length_over_the_limit_is_not_read(server: Loopback, into: Path) -> None:
    read = threading.Event()

    def announced(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1001")
        handler.end_headers()
        if not server.closing.wait(LONG_S):
            read.set()

    server.answers["/x"] = announced
    with pytest.raises(TooLarge, match="1000 bytes"):
        fetch_allowed(server, "/x", into, max_bytes=1000)
    assert not read.is_set()
    assert not into.exists()


def test_the_limit_itself_is_taken(server: Loopback, into: Path) -> None:
    server.answers["/x"] = answering(b"x" * 1000)
    assert fetch_allowed(server, "/x", into, max_bytes=1000).bytes == 1000


def test_an_endless_answer_ends_at_the_limit(server: Loopback, into: Path) -> None:
    server.answers["/x"] = endless
    with pytest.raises(TooLarge):
        fetch_allowed(server, "/x", into, max_bytes=300_000)
    assert not into.exists()


def silent(server: Loopback) -> Answering:
    return lambda _: server.closing.wait(LONG_S)


def silent_in_the_middle(server: Loopback) -> Answering:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b"half")
        server.closing.wait(LONG_S)

    return answer


def drop_by_drop(start: bytes, drop: bytes) -> Callable[[Loopback], Answering]:
    """Never silent for long, and never done."""

    def slow(server: Loopback) -> Answering:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.wfile.write(start)
            while not server.closing.wait(0.02):
                handler.wfile.write(drop)

        return answer

    return slow


SLOW = {
    "no answer": silent,
    "half an answer": silent_in_the_middle,
    "headers drop by drop": drop_by_drop(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n"),
    "body drop by drop": drop_by_drop(b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
    "hints for ever": drop_by_drop(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
}


def test_a_slow_server_ends_at_the_deadline(server: Loopback, tmp_path: Path) -> None:
    """All at once: a deadline that a busy machine does not miss before it has connected."""

    def fetched(name: str) -> float:
        path, into, before = f"/{name.replace(' ', '-')}", tmp_path / name, time.monotonic()
        server.answers[path] = SLOW[name](server)
        with pytest.raises(DownloadFailed, match="too long"):
            fetch_allowed(server, path, into, timeout_s=SOON_S)
        assert not into.exists()
        return time.monotonic() - before

    with ThreadPoolExecutor(len(SLOW)) as threads:
        took = dict(zip(SLOW, threads.map(fetched, SLOW), strict=True))
    assert all(SOON_S * 0.9 < seconds < LONG_S / 2 for seconds in took.values()), took


def test_a_slow_resolver_ends_at_the_deadline(into: Path) -> None:
    answered = threading.Event()

    def slow(host: str, port: int) -> Sequence[str]:
        answered.wait(LONG_S)
        return [PUBLIC]

    before = time.monotonic()
    with pytest.raises(DownloadFailed, match="in time"):
        fetch(f"http://{HOST}/", into, timeout_s=SOON_S, outside=Outside(resolve=slow))
    assert time.monotonic() - before < LONG_S / 2
    answered.set()


# What is no document


@pytest.mark.parametrize("status", [304, 400, 401, 403, 404, 410, 429, 500, 503])
def test_another_status_is_said(server: Loopback, into: Path, status: int) -> None:
    server.answers["/x"] = answering(b"sorry", status)
    with pytest.raises(DownloadFailed, match=f"status {status}") as raised:
        fetch_allowed(server, "/x?token=SECRET", into)
    assert "SECRET" not in raised.value.message
    assert not into.exists()


def raw(answer: bytes) -> Answering:
    return lambda handler: handler.wfile.write(answer)


BROKEN = {
    "cut off": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
    "cut off chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf",
    "no HTTP": b"SSH-2.0-OpenSSH_9.2\r\n",
    "nothing": b"",
    "endless header": b"HTTP/1.1 200 OK\r\nA: " + b"x" * 300_000,
    "no URL": b"HTTP/1.1 302 Found\r\nLocation: http://[\r\n\r\n",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
}


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_answer_is_said_so(server: Loopback, into: Path, answer: bytes) -> None:
    server.answers["/x"] = raw(answer)
    with pytest.raises(DownloadFailed) as raised:
        fetch_allowed(server, "/x", into)
    assert raised.value.message.startswith("The ")
    assert not into.exists()


def test_a_compressed_document_is_not_undone(server: Loopback, into: Path) -> None:
    server.answers["/x"] = answering(b"bomb", headers={"Content-Encoding": "gzip"})
    with pytest.raises(DownloadFailed, match="compressed"):
        fetch_allowed(server, "/x", into)


def test_nobody_listening_is_said_so(into: Path) -> None:
    refused = pytest.raises(DownloadFailed, match="No connection")
    with silent_port() as port, refused:
        fetch_allowed(Loopback(port=port), "/x", into)


@pytest.mark.parametrize(
    ("number", "expected"), [(errno.ENOSPC, DiskFull), (errno.EIO, CannotWrite)]
)
def test_a_file_that_cannot_be_written_is_said_so(
    server: Loopback,
    into: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    expected: type[PagetideError],
) -> None:
    class Broken(io.FileIO):
        def write(self, _: object) -> int:
            raise OSError(number, "text of the library")

    monkeypatch.setattr(Path, "open", lambda path, mode: Broken(path, mode))
    with pytest.raises(expected):
        fetch_allowed(server, "/scan.pdf", into)
    assert not into.exists()


@pytest.mark.parametrize(
    "url", ["http://exa\tmple.test/", "http://[x]/", "http://a b.test/", "http://\x00/"]
)
def test_a_url_that_is_none_is_refused(into: Path, url: str) -> None:
    with pytest.raises((AddressRefused, DownloadFailed)):
        fetch(url, into, outside=Internet(["127.0.0.1"]).outside)


# Names


@pytest.mark.parametrize(
    ("path", "disposition", "name"),
    [
        ("/dir/scan.pdf", None, "scan.pdf"),
        ("/dir/", None, "document"),
        ("/%2e%2e%2fetc%2fpasswd", None, "passwd"),
        ("/x", "attachment", "x"),
        ("/x", 'attachment; filename="a b.pdf"', "a b.pdf"),
        ("/x", "attachment; filename=plain.pdf", "plain.pdf"),
        ("/x", "ATTACHMENT;FileName = plain.pdf ; other=1", "plain.pdf"),
        ("/x", r'attachment; filename="quo\"te;d.pdf"', 'quo"te;d.pdf'),
        ("/x", "attachment; filename=n.pdf; filename*=UTF-8''%e2%82%ac.pdf", "€.pdf"),
        ("/x", "attachment; filename*=iso-8859-1'en'%A3.pdf; filename=n.pdf", "£.pdf"),
        ("/x", "attachment; filename*=utf-16''x; filename=n.pdf", "n.pdf"),
        ("/x", "attachment; filename=\"f; filename*=UTF-8''evil\"", "f; filename*=UTF-8''evil"),
        ("/x", 'attachment; filename="../../etc/passwd"', "passwd"),
        ("/x", 'attachment; filename="C:\\\\dir\\\\scan.pdf"', "scan.pdf"),
        ("/x", 'attachment; filename=".."', "document"),
        ("/x", "attachment; filename*=UTF-8''a%0d%0aSet-Cookie:%20b", "aSet-Cookie: b"),
        ("/x", "attachment; filename*=UTF-8''fdp%e2%80%aetxt.exe", "fdptxt.exe"),
        ("/x", "attachment; filename=" + "a" * 5000 + ".pdf", "a" * 196 + ".pdf"),
    ],
)
def test_a_document_is_called_what_its_server_calls_it(
    server: Loopback, into: Path, path: str, disposition: str | None, name: str
) -> None:
    headers = {"Content-Disposition": disposition} if disposition else {}
    server.answers[path] = answering(b"x", headers=headers)
    assert fetch_allowed(server, path, into).name == name


def test_a_name_is_short_and_plain() -> None:
    assert safe_name("a" * 300) == "a" * 200
    assert safe_name("x." + "b" * 300) == "x." + "b" * 198
    assert safe_name(" . hidden . ") == "hidden"
    assert safe_name("\ud800\x7f\u200b") == "document"


def test_many_documents_at_once(server: Loopback, tmp_path: Path) -> None:
    with ExitStack() as stack:
        threads = [
            threading.Thread(
                target=fetch_allowed, args=(server, "/scan.pdf", tmp_path / str(n))
            )
            for n in range(20)
        ]
        for thread in threads:
            thread.start()
            stack.callback(thread.join)
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {b"%PDF-1.7"}
    assert len(list(tmp_path.iterdir())) == 20
