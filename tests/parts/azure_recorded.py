"""What each part of `deploy/azure` asks of its storage account while it does its work.

`python -m tests.parts.azure_recorded` writes it to `tests/deploy/azure_calls.json`. Azurite
plays the account, and knows one key alone: so each part has a server of its own before it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx

from bench.cluster_places import Place
from tests.parts.aws_operations import LARGE, SWEEPS
from tests.parts.azurite import Azurite
from tests.parts.passing import Passing, Request
from tests.parts.server import free_port
from tests.serving import pdf
from tests.waiting import until

CALLS = Path(__file__).parents[1] / "deploy" / "azure_calls.json"
URGENCIES = ("first", "interactive", "batch")
NETWORK = "SLANet_onnx"


def actions_of(request: Request, service: str) -> Iterator[str]:
    """What a request asks, as roles speak of it, and of which container."""
    parts = urlsplit(request.path)
    query = parse_qs(parts.query, keep_blank_values=True)
    _, _, name, *rest = parts.path.split("/")  # behind the account's
    if service == "queue":
        yield f"{_of_queue(request.method, query, rest)} account"
    elif query.get("comp") == ["userdelegationkey"]:
        yield "key account"
    elif request.method in ("GET", "HEAD"):
        yield f"blobs/read {name}"
    elif query.get("comp") == ["batch"]:
        assert b"DELETE /" in request.body  # nothing else is asked so
        yield f"blobs/delete {name}"
    else:
        yield f"blobs/{'delete' if request.method == 'DELETE' else 'write'} {name}"
        if copied := request.headers.get("x-ms-copy-source"):
            yield f"blobs/read {urlsplit(copied).path.split('/')[2]}"


def _of_queue(method: str, query: dict[str, list[str]], rest: list[str]) -> str:
    if not rest:
        return "queues/read" if method in ("GET", "HEAD") else "queues/write"
    if method == "GET":
        return "messages/read" if "peekonly" in query else "messages/process"
    return {"POST": "messages/add", "PUT": "messages/write", "DELETE": "messages/process"}[
        method
    ]


@dataclass
class Account:
    """The storage account, as each part comes to it."""

    azurite: Azurite
    folder: Path
    ends: ExitStack
    calls: dict[str, set[str]] = field(default_factory=dict)

    def environment(self, part: str, **more: str) -> dict[str, str]:
        """What a part is given."""
        noted = self.calls.setdefault(part, set())
        where = {}
        for service, port in (("blob", self.azurite.port), ("queue", self.azurite.queue_port)):

            def note(request: Request, service: str = service) -> None:
                noted.update(actions_of(request, service))

            server = Passing(lambda _, port=port: port, note)  # type: ignore[misc]
            self.ends.enter_context(server.running())
            where[service] = f"http://127.0.0.1:{server.port}/{self.azurite.account}"
        account = f"account={self.azurite.account}&endpoint={where['blob']}"
        return {
            **{k: v for k, v in os.environ.items() if not k.startswith("PAGETIDE_")},
            "AZURE_STORAGE_ACCOUNT_KEY": self.azurite.key,
            "PAGETIDE_ALLOW_HOSTS": "127.0.0.1",
            "PAGETIDE_AUTH": "off",
            "PAGETIDE_AZURE_KEY": self.azurite.key,
            "PAGETIDE_BLOBS": f"az://documents/pagetide?{account}",
            "PAGETIDE_DATA_DIR": str(self.folder / part),
            "PAGETIDE_LEASE_S": "3",
            "PAGETIDE_MODELS_DIR": str(self.folder / part / "models"),
            "PAGETIDE_MODELS_MIRROR": f"az://models?{account}",
            "PAGETIDE_POOLS": '{gpu = "fake"}',
            "PAGETIDE_QUEUE": f"azurequeue://{self.azurite.account}/pagetide"
            f"?create=no&endpoint={where['queue']}",
            "PAGETIDE_RESULTS": f"az://results/pagetide?{account}",
            "PAGETIDE_STORE": f"sqlite:///{self.folder / 'jobs.db'}",
            "PAGETIDE_SWEEP": "no",
            "PAGETIDE_TASK_PAGES": "1",
            "PAGETIDE_TEST_MODELS": "yes",
            **more,
        }

    def run(self, part: str, *words: str, **more: str) -> None:
        """Run Python as a part, to its end."""
        subprocess.run(
            [sys.executable, *words],
            env=self.environment(part, **more),
            check=True,
            timeout=300,
        )

    @contextmanager
    def api(self, part: str) -> Iterator[httpx.Client]:
        """The API, and who asks it."""
        port = free_port()
        place = Place(
            name="api",
            command=[sys.executable, "-P", "-m", "pagetide", "api"],
            environment=self.environment(part, PAGETIDE_PORT=str(port)),
            port=port,
            log=self.folder / f"{part}.log",
        )
        place.start()
        try:
            until(place.ready, 120)
            base = f"http://127.0.0.1:{port}"
            with httpx.Client(base_url=base, timeout=60, trust_env=False) as client:
                yield client
        finally:
            place.wanted = False
            place.kill()
            place.ended()


def recorded() -> dict[str, set[str]]:
    """Run all parts; what each asks."""
    with ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory()))
        azurite = ends.enter_context(Azurite())
        for container in ("documents", "results", "models"):
            azurite.make_container(container)
        _make_queues(azurite)
        account = Account(azurite, folder, ends)
        _fill(account)
        for part in ("api", "elsewhere"):
            with account.api(part) as client:
                _use(account, client)
        _lose_messages(azurite)
        for hours in (2, 400 * 24, 900 * 24):
            account.run("sweep", "-c", SWEEPS, str(hours))
        # What sweeps on the other cloud sweeps here, too, and has the API's own principal.
        account.calls["elsewhere"] |= {
            one for one in account.calls["sweep"] if not one.endswith("documents")
        }
        here = {one for one in account.calls["elsewhere"] if not one.endswith("documents")}
        return {**account.calls, "elsewhere": here}


def _make_queues(azurite: Azurite) -> None:
    from azure.storage.queue import QueueServiceClient

    client = QueueServiceClient.from_connection_string(azurite.connection_string)
    with closing(client):
        for name in (*(f"pagetide-gpu-{one}" for one in URGENCIES), "pagetide-dead"):
            client.create_queue(name)


def _lose_messages(azurite: Azurite) -> None:
    from azure.storage.queue import QueueServiceClient

    client = QueueServiceClient.from_connection_string(azurite.connection_string)
    with closing(client):
        for one in URGENCIES:
            client.get_queue_client(f"pagetide-gpu-{one}").clear_messages()


def _fill(account: Account) -> None:
    """The owner fills the mirror; a worker takes from there."""
    network = account.folder / NETWORK
    network.mkdir()
    for name in ("inference.onnx", "inference.yml"):
        (network / name).write_bytes(b"of a network")
    words = ("-m", "pagetide", "models", "pull", "--trust-first-use")
    to = account.environment("owner")["PAGETIDE_MODELS_MIRROR"]
    filling = ("--from", str(account.folder), "--to", to)
    account.run("owner", *words, *filling, NETWORK, PAGETIDE_OFFLINE="yes")
    account.run("worker", *words, NETWORK, PAGETIDE_OFFLINE="yes")


def _use(account: Account, client: httpx.Client) -> None:
    """Submit, have it read, look at it, erase it; leave something to be swept."""
    given = {"model": "fake", "formats": "html,pdf"}
    jobs = [_submit(client, pdf(2), **given), _submit(client, pdf(1), model=LARGE)]
    jobs.append(_submit(client, pdf(2), model="fake?fail=1"))
    work = ("-m", "pagetide", "worker", "--pool", "gpu", "--idle-exit", "4")
    for _ in range(2):  # one that leaves after a page has somebody woken for the results
        account.run("worker", *work, PAGETIDE_RECYCLE_PAGES="1")
    account.run("worker", *work)
    jobs.append(_submit(client, pdf(2), **given))  # copied
    for job in jobs:
        shown = client.get(f"/v1/jobs/{job}", params={"wait": 20}).json()
        assert shown["finished_at"], shown
        for path in ("", "/result", "/pages", "/pages/1", "/pages/1/image"):
            client.get(f"/v1/jobs/{job}{path}")
        for result in shown["results"].values():
            if result["url"].startswith("http://127.0.0.1"):
                client.get(result["url"])
    upload = client.post("/v1/uploads").json()
    mine = pdf(1) + f"% {upload['id']}".encode()  # read by nobody before
    client.put(upload["url"], content=mine).raise_for_status()
    waiting = {"upload": upload["id"], "model": "fake?slow=1"}
    client.post("/v1/jobs", json=waiting).raise_for_status()
    kept = client.post("/v1/files", files={"file": ("a.pdf", pdf(1))}, data={"purpose": "ocr"})
    client.delete(f"/v1/files/{kept.json()['id']}").raise_for_status()
    client.post("/v1/uploads").raise_for_status()
    assert client.get("/health/ready").status_code == 200
    assert client.delete(f"/v1/jobs/{jobs[0]}").status_code == 204


def _submit(client: httpx.Client, document: bytes, **fields: str) -> str:
    answer = client.post("/v1/jobs", files={"file": ("a.pdf", document)}, data=fields)
    assert answer.is_success, answer.text
    return str(answer.json()["id"])


if __name__ == "__main__":
    told = {part: sorted(calls) for part, calls in sorted(recorded().items())}
    CALLS.write_text(json.dumps(told, indent=1) + "\n")
