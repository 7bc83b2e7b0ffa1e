"""The API as its users meet it: a process on loopback, plain HTTP, and a real worker."""

from __future__ import annotations

import http.client
import http.server
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from pagetide.settings import Settings
from tests.parts import forks
from tests.waiting import until

SAMPLES = Path(__file__).parents[2] / "samples"
PATIENCE_S = 60.0


class Server:
    """`pagetide api` in a process of its own."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        given = {"data_dir": str(folder), "test_models": "yes", **settings}
        self.env = {**os.environ, **{f"PAGETIDE_{k.upper()}": v for k, v in given.items()}}
        self.start()

    def start(self) -> None:
        fd = self._listening.fileno()
        self.process = forks.Popen(
            [sys.executable, "-m", "pagetide", "api", "--fd", str(fd)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.env,
            pass_fds=[fd],
        )
        self.log: list[str] = []
        threading.Thread(target=self._read_log, args=[self.process], daemon=True).start()
        until(lambda: self.get("/health/live")[0] == 200)

    def _read_log(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr
        with process.stderr:
            self.log.extend(line.decode() for line in process.stderr)

    def connect(self) -> closing[http.client.HTTPConnection]:
        return closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S))

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        with self.connect() as connection:
            connection.request(method, path, body, headers or {})
            reply = connection.getresponse()
            return reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read()

    def get(self, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        return self.ask("GET", path, headers=headers)

    def submit(self, data: bytes, **fields: str) -> dict[str, Any]:
        head, body = form(data, **fields)
        status, _, told = self.ask("POST", "/v1/jobs", body, head)
        assert status == 202, told
        return dict(json.loads(told))

    @property
    def uploads(self) -> list[Path]:
        return list((self.folder / "uploads").iterdir())

    @contextmanager
    def worker(self) -> Iterator[None]:
        command = [sys.executable, "-m", "pagetide", "worker"]
        with forks.Popen(command, env=self.env, stderr=subprocess.DEVNULL) as process:
            try:
                yield
            finally:
                process.terminate()

    def end(self) -> int:
        """Have it end as a supervisor does; its exit code."""
        self.process.terminate()
        return self.process.wait(PATIENCE_S)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdin
        self.process.stdin.close()
        self._listening.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with closing(Server(tmp_path_factory.mktemp("data"), max_bytes="5000000")) as running:
        yield running


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    with closing(Server(tmp_path)) as running:
        yield running


def form(data: bytes, **fields: str) -> tuple[dict[str, str], bytes]:
    head = "--tide\r\nContent-Disposition: form-data; name="
    parts = [f'{head}"{name}"\r\n\r\n{value}\r\n'.encode() for name, value in fields.items()]
    file = f'{head}"file"; filename="scan.pdf"\r\n\r\n'.encode()
    body = b"".join([*parts, file, data, b"\r\n--tide--\r\n"])
    return {"Content-Type": "multipart/form-data; boundary=tide"}, body


def test_a_document_is_submitted_watched_and_fetched(server: Server) -> None:
    document = (SAMPLES / "mixed.pdf").read_bytes()
    job = server.submit(document, model="fake", formats="md")
    path = f"/v1/jobs/{job['id']}"
    with server.connect() as watching:
        watching.request("GET", f"{path}/events")
        events = watching.getresponse()
        assert events.readline() == b"retry: 2000\n"
        with server.worker():
            told = events.read().decode()
    assert told.rstrip().splitlines()[-2] == "event: status"
    ended = json.loads(told.rstrip().splitlines()[-1].removeprefix("data: "))
    assert (ended["status"], ended["pages_done"]) == ("succeeded", 7)
    status, headers, whole = server.get(f"{path}/result")
    assert status == 200 and len(json.loads(whole)["pages"]) == 7
    status, part, some = server.get(f"{path}/result", Range="bytes=10-19")
    assert (status, some) == (206, whole[10:20])
    assert part["etag"] == headers["etag"]
    status, _, nothing = server.get(f"{path}/result", **{"If-None-Match": headers["etag"]})
    assert (status, nothing) == (304, b"")
    status, head, nothing = server.ask("HEAD", f"{path}/result")
    assert (status, head["content-length"], nothing) == (200, str(len(whole)), b"")
    link = ended["results"]["md"]["url"].removeprefix(f"http://127.0.0.1:{server.port}")
    assert server.get(link)[2].startswith(b"<!-- page 1 -->")
    assert server.get(f"{path}/pages/7/image")[2].startswith(b"\x89PNG")
    assert not [line for line in server.log if "signature" in line or "scan" in line]


def test_reading_is_one_request(server: Server) -> None:
    head, body = form((SAMPLES / "table.png").read_bytes(), model="fake", wait="60")
    with server.worker():
        status, headers, told = server.ask("POST", "/v1/read", body, head)
    assert status == 200
    assert headers["content-disposition"] == 'attachment; filename="scan.json"'
    assert json.loads(told)["source"]["media_type"] == "image/png"


def test_a_document_is_fetched_from_a_url_that_is_allowed(tmp_path: Path) -> None:
    document = (SAMPLES / "table.png").read_bytes()

    class Files(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(document)))
            self.end_headers()
            self.wfile.write(document)

        def log_message(self, *_: object) -> None:
            pass

    with (
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files) as files,
        closing(Server(tmp_path, allow_hosts="127.0.0.1")) as server,
    ):
        threading.Thread(target=files.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{files.server_port}/harbour%20plan.png?key=secret"
        body = json.dumps({"file_url": url, "model": "fake"})
        head = {"Content-Type": "application/json"}
        status, _, told = server.ask("POST", "/v1/jobs", body, head)
        files.shutdown()
        assert status == 202, told
        source = json.loads(told)["source"]
        assert (source["name"], source["bytes"]) == ("harbour plan.png", len(document))
        assert not [line for line in server.log if "secret" in line]


def test_an_upload_that_is_too_large_is_told_while_it_is_sent(server: Server) -> None:
    head, body = form(b"%PDF-1.7 " + bytes(12_000_000))
    status, _, told = server.ask("POST", "/v1/jobs", body, head)
    assert (status, json.loads(told)["code"]) == (413, "too_large")

    def parts() -> Iterator[bytes]:  # without a length, in chunks
        for start in range(0, len(body), 65536):
            yield body[start : start + 65536]

    status, _, told = server.ask("POST", "/v1/jobs", parts(), head)
    assert (status, json.loads(told)["code"]) == (413, "too_large")
    assert server.uploads == []


def test_a_client_that_waits_for_a_word_sends_nothing_in_vain(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(
            b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\n"
            b"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 99999999\r\n\r\n"
        )
        client.settimeout(PATIENCE_S)
        assert client.recv(100).startswith(b"HTTP/1.1 413")


def test_a_client_that_goes_away_leaves_no_file(server: Server) -> None:
    head, body = form(b"%PDF-1.7 " + bytes(3_000_000))
    with server.connect() as connection:
        connection.putrequest("POST", "/v1/jobs")
        connection.putheader("Content-Type", head["Content-Type"])
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body[:2_000_000])
        until(lambda: len(server.uploads) == 1)
        assert server.uploads[0].stat().st_mode & 0o777 == 0o600
    until(lambda: server.uploads == [])


def test_an_upload_that_was_cut_by_a_kill_is_gone_after_the_next_start(
    own_server: Server,
) -> None:
    server = own_server
    with server.connect() as connection:
        connection.putrequest("POST", "/v1/jobs")
        connection.putheader("Content-Type", "multipart/form-data; boundary=tide")
        connection.putheader("Content-Length", "3000000")
        connection.endheaders(form(bytes(2_000_000))[1])
        until(lambda: len(server.uploads) == 1)
        server.process.kill()
        server.process.wait()
        assert len(server.uploads) == 1
    assert server.process.stdin
    server.process.stdin.close()
    server.start()
    assert server.uploads == []


def test_it_ends_when_asked_though_somebody_watches(own_server: Server) -> None:
    job = own_server.submit((SAMPLES / "table.png").read_bytes(), model="fake")
    with own_server.connect() as watching, own_server.connect() as polling:
        watching.request("GET", f"/v1/jobs/{job['id']}/events")
        events = watching.getresponse()
        assert events.readline()
        polling.request("GET", f"/v1/jobs/{job['id']}?wait=60")
        began = time.monotonic()
        assert own_server.end() == 0
        assert time.monotonic() - began < 50  # nobody waits for the poll to end
        assert events.read().endswith(b"\n\n")


def test_a_key_is_asked_for(tmp_path: Path) -> None:
    with closing(Server(tmp_path, auth="keys")) as server:
        status, headers, _ = server.get("/v1/jobs")
        assert (status, headers["www-authenticate"]) == (401, "Bearer")
        head, body = form(bytes(2_000_000))
        status, _, told = server.ask("POST", "/v1/jobs", body, head)
        assert (status, json.loads(told)["code"]) == (401, "unauthorized")
        assert server.get("/health/ready")[0] == 200


def test_settings_of_the_environment_reach_it(server: Server) -> None:
    assert Settings.from_environment(server.env).home_folder == server.folder
