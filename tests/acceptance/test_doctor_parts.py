"""`pagetide doctor` against real servers: there, away, silent, and with a wrong password."""

from __future__ import annotations

import json
import os
import secrets
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest

from pagetide.server.wiring import open_blobs
from pagetide.settings import Settings
from tests.parts import forks
from tests.parts.azurite import ACCOUNT, Azurite
from tests.parts.moto import REGION, environment_for_clients
from tests.parts.server import silent_port

WRONG = "falsches-geheimnis"
LIMIT_S = 60.0  # of what ends by itself
LATE_S = 8.0  # after its limit a check is told of, on a busy machine
START_S = 60.0  # of a process, with all that it imports, likewise


@dataclass(frozen=True, kw_only=True)
class Checked:
    """Something that can be checked.

    Attributes:
        part: What the doctor calls it.
        server: The fixture of the server that it needs.
        settings: Variables that name it, given where the server listens (`HOST:PORT`) and a
            name that is nobody else's.
        port: Where the server listens.
        wrong: The same as `settings`, with a wrong password; None where the server takes any.
    """

    part: str
    server: str
    settings: Callable[[str, str], Mapping[str, str]]
    port: Callable[[Any], int] = lambda server: int(server.port)
    wrong: Callable[[str, str], Mapping[str, str]] | None = None


AWS = environment_for_clients()
AZURE_KEY = {"AZURE_STORAGE_ACCOUNT_KEY": Azurite.key}
BAD_KEY = "ZmFsc2NoZXMtZ2VoZWltbmlz"  # the wrong secret, in Base64


def connection(place: str, key: str) -> str:
    return (
        f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={key};"
        f"QueueEndpoint=http://{place}/{ACCOUNT};"
    )


def postgres(password: str) -> Callable[[str, str], Mapping[str, str]]:
    return lambda place, name: {
        "PAGETIDE_STORE": f"postgresql://pagetide:{password}@{place}/postgres?sslmode=disable"
    }


def azure_queue(key: str) -> Callable[[str, str], Mapping[str, str]]:
    return lambda place, name: {
        "PAGETIDE_QUEUE": f"azurequeue://{ACCOUNT}/{name}",
        "PAGETIDE_AZURE_CONNECTION": connection(place, key),
    }


def az(key: str) -> Callable[[str, str], Mapping[str, str]]:
    return lambda place, name: {
        "PAGETIDE_BLOBS": f"az://{name}/x?account={ACCOUNT}&endpoint=http://{place}/{ACCOUNT}",
        "AZURE_STORAGE_ACCOUNT_KEY": key,
    }


CHECKED = {
    "postgresql": Checked(
        part="store", server="postgres", settings=postgres("geheim"), wrong=postgres(WRONG)
    ),
    "notify": Checked(
        part="notifications",
        server="postgres",
        settings=postgres("geheim"),
        wrong=postgres(WRONG),
    ),
    "dynamodb": Checked(
        part="store",
        server="moto",
        settings=lambda place, name: {
            "PAGETIDE_STORE": f"dynamodb://{REGION}/{name}?endpoint=http://{place}",
            **AWS,
        },
    ),
    "s3": Checked(
        part="blobs",
        server="moto",
        settings=lambda place, name: {
            "PAGETIDE_BLOBS": f"s3://{name}/x?endpoint=http://{place}&region={REGION}",
            **AWS,
        },
    ),
    "az": Checked(part="blobs", server="azurite", settings=az(Azurite.key), wrong=az(BAD_KEY)),
    "az-results": Checked(
        part="results",
        server="azurite",
        settings=lambda place, name: {
            "PAGETIDE_RESULTS": az("")(place, name)["PAGETIDE_BLOBS"],
            **AZURE_KEY,
        },
    ),
    "redis": Checked(
        part="queue",
        server="redis",
        settings=lambda place, name: {"PAGETIDE_QUEUE": f"redis://{place}/0?prefix={name}"},
        wrong=lambda place, name: {"PAGETIDE_QUEUE": f"redis://nobody:{WRONG}@{place}/0"},
    ),
    "rabbitmq": Checked(
        part="queue",
        server="rabbitmq",
        settings=lambda place, name: {
            "PAGETIDE_QUEUE": f"amqp://guest:guest@{place}//?prefix={name}"
        },
        wrong=lambda place, name: {"PAGETIDE_QUEUE": f"amqp://guest:{WRONG}@{place}//"},
    ),
    "sqs": Checked(
        part="queue",
        server="moto",
        settings=lambda place, name: {
            "PAGETIDE_QUEUE": f"sqs://{REGION}/{name}?endpoint=http://{place}",
            **AWS,
        },
    ),
    "azurequeue": Checked(
        part="queue",
        server="azurite",
        settings=azure_queue(Azurite.key),
        port=lambda server: int(server.queue_port),
        wrong=azure_queue(BAD_KEY),
    ),
}
LIVE = pytest.mark.parametrize("kind", CHECKED)


@dataclass(frozen=True, kw_only=True)
class Told:
    """What the doctor told of one part, and how long it took."""

    found: dict[str, Any]
    code: int
    shown: str
    seconds: float


@pytest.fixture
def name() -> str:
    return f"t{secrets.token_hex(6)}"


def ask(part: str, settings: Mapping[str, str], *, limit: float = LIMIT_S, home: Any) -> Told:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PAGETIDE_", "AZURE_"))}
    start = time.monotonic()
    done = forks.run(
        [
            *(sys.executable, "-m", "pagetide", "doctor", "--no-self-test", "--json"),
            *("--parts", part, "--limit", str(limit)),
        ],
        env={**kept, **settings, "PAGETIDE_DATA_DIR": str(home)},
        capture_output=True,
        text=True,
        timeout=limit + 2 * START_S,
    )
    seconds = time.monotonic() - start
    assert done.stdout, done.stderr
    (found,) = json.loads(done.stdout)["parts"]
    assert 0 < found["ms"] < (limit + LATE_S) * 1000
    return Told(
        found=found, code=done.returncode, shown=done.stdout + done.stderr, seconds=seconds
    )


def make_place(kind: str, server: Any, name: str) -> None:
    """Make the bucket or container, as its owner would."""
    if kind == "s3":
        from tests.parts.clouds import make_bucket

        make_bucket(server.endpoint, name)
    if kind in ("az", "az-results"):
        server.make_container(name)


@LIVE
def test_a_part_that_is_there_is_ok(
    kind: str, name: str, request: pytest.FixtureRequest, tmp_path: Any
) -> None:
    checked = CHECKED[kind]
    server = request.getfixturevalue(checked.server)
    make_place(kind, server, name)
    settings = checked.settings(f"127.0.0.1:{checked.port(server)}", name)
    told = ask(checked.part, settings, home=tmp_path)
    assert (told.found["status"], told.code) == ("ok", 0), told.shown
    if checked.part in ("blobs", "results"):
        assert "a signed link opens" in told.found["text"]
    if checked.part == "queue":
        assert "a message came and went" in told.found["text"]
        again = ask(checked.part, settings, home=tmp_path)
        assert again.found["status"] == "ok", again.shown
    for secret in ("geheim", "guest", Azurite.key):
        assert secret not in told.shown


@pytest.mark.parametrize("kind", ["s3", "az"])
def test_nothing_is_left_among_the_blobs(
    kind: str,
    name: str,
    request: pytest.FixtureRequest,
    tmp_path: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checked = CHECKED[kind]
    server = request.getfixturevalue(checked.server)
    make_place(kind, server, name)
    settings = checked.settings(f"127.0.0.1:{server.port}", name)
    assert ask("blobs", settings, home=tmp_path).code == 0
    for variable, value in settings.items():
        monkeypatch.setenv(variable, value)
    assert list(open_blobs(Settings.from_environment()).under("jobs/")) == []


@LIVE
def test_a_part_whose_server_is_away_is_told_in_a_sentence(
    kind: str, name: str, away: int, tmp_path: Any
) -> None:
    checked = CHECKED[kind]
    settings = checked.settings(f"127.0.0.1:{away}", name)
    assert_wrong(ask(checked.part, settings, limit=4, home=tmp_path))


@LIVE
def test_a_part_whose_server_never_answers_is_not_waited_for(
    kind: str, name: str, silent: int, tmp_path: Any
) -> None:
    checked = CHECKED[kind]
    settings = checked.settings(f"127.0.0.1:{silent}", name)
    told = ask(checked.part, settings, limit=2, home=tmp_path)
    assert_wrong(told)
    assert told.seconds < 2 + START_S


@pytest.mark.parametrize("kind", [kind for kind, each in CHECKED.items() if each.wrong])
def test_a_wrong_password_is_told_and_not_shown(
    kind: str, name: str, request: pytest.FixtureRequest, tmp_path: Any
) -> None:
    checked = CHECKED[kind]
    server = request.getfixturevalue(checked.server)
    make_place(kind, server, name)
    assert checked.wrong
    wrong = checked.wrong(f"127.0.0.1:{checked.port(server)}", name)
    told = ask(checked.part, wrong, limit=10, home=tmp_path)
    assert_wrong(told)
    for secret in (WRONG, BAD_KEY):
        assert secret not in told.shown


def assert_wrong(told: Told) -> None:
    """One sentence, and what to do about it."""
    found = told.found
    print(found["text"])  # noqa: T201 - shown where it fails
    assert (found["status"], told.code) == ("wrong", 70), told.shown
    assert found["text"].endswith(".")
    assert "Internal error" not in found["text"]
    assert found["hint"]
    assert "Traceback" not in told.shown
    for url in ("127.0.0.1", "localhost"):
        assert url not in found["text"]


@pytest.fixture
def away() -> Iterator[int]:
    """A port that nobody listens at, nor will."""
    with silent_port() as port:
        yield port


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        yield int(listening.getsockname()[1])


def test_what_is_shown_of_a_place_names_its_host(name: str, away: int, tmp_path: Any) -> None:
    place = f"127.0.0.1:{away}"
    told = ask("store", postgres(WRONG)(place, name), home=tmp_path)
    assert urlsplit(told.found["place"].replace("…@", "")).netloc == place
