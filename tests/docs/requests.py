"""What curl is told: it is run, and what it asks is held against the routes and OpenAPI."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.routing import compile_path

from tests.docs.operations import Described, application
from tests.docs.shell import ROOT, Command
from tests.fake_server import Answer, Asked, FakeServer, Listening

SERVER = re.compile(r"^(?:https?://[^/]*|\$URL)(?=/)")
ELSEWHERE = "$UPLOAD_URL"  # a link to storage, which no route of ours answers
FILES = ("scan.pdf", "scan.png", "invoice.pdf", "invoice.json", "secrets/tls_certificate")


class Noting(FakeServer):
    """Answers whatever it is asked, and keeps it."""

    def answer(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        return Answer(200, b"{}")


def of_curl(command: Command) -> None:
    """curl takes the words, and we have the route, with the fields that are sent."""
    asked = _asked(command)
    if ELSEWHERE not in command.words:
        route = _route(asked)
        if operation := _described().get(route, {}).get(asked.method.lower()):
            assert _given(asked) <= _taken(operation, asked.headers.get("content-type", ""))


def _asked(command: Command) -> Asked:
    """What a server is asked by it."""
    with TemporaryDirectory() as folder, Listening(Noting()) as listening:
        for name in FILES:
            (Path(folder) / name).parent.mkdir(exist_ok=True)
            (Path(folder) / name).touch()
        (Path(folder) / "samples").symlink_to(ROOT / "samples")
        words = [SERVER.sub(listening.url, word).replace("…", "1") for word in command.words]
        words = [word.replace(ELSEWHERE, f"{listening.url}/elsewhere") for word in words]
        subprocess.run([*words, "--silent"], cwd=folder, check=True, capture_output=True)
        [asked] = listening.server.asked
    return asked


@cache
def _server() -> FastAPI:
    return application()


@cache
def _described() -> Mapping[str, Described]:
    found: Mapping[str, Described] = _server().openapi()["paths"]
    return found


def _route(asked: Asked) -> str:
    """The path of the route that answers: of the API, or what clients of others ask."""
    for each in iter_route_contexts(_server().routes):
        path = each.path_format or ""
        if asked.method in (each.methods or ()) and compile_path(path)[0].match(asked.path):
            return path
    raise AssertionError(f"no route for {asked.method} {asked.path}")


def _given(asked: Asked) -> set[str]:
    """The names of fields that are sent, by query or body."""
    return {*asked.query, *(asked.fields if asked.body and _is_form(asked) else ())}


def _is_form(asked: Asked) -> bool:
    return asked.headers["content-type"].startswith(("multipart/", "application/json"))


def _taken(operation: Described, kind: str) -> set[str]:
    """The names of fields that an operation takes."""
    names = {one["name"] for one in operation.get("parameters", ())}
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get(kind.partition(";")[0], {}).get("schema", {})
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        schema = _server().openapi()["components"]["schemas"][name]
    return names | {*schema.get("properties", {})}
