"""The stack of `deploy/compose`, brought up by podman-compose as its page tells."""

from __future__ import annotations

import json
import os
import shutil
import ssl
import subprocess
import sys
import urllib.parse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx

from tests.containers.podman import CHECKOUT, Podman
from tests.parts.server import free_port

COMPOSE = CHECKOUT / "deploy" / "compose"
LOCK = Path(__file__).with_name("requirements-compose.lock")
UP_S = 180.0


class Stack:
    """One project: its folder, its secrets, its ports.

    Args:
        folder: Made here; a copy of `deploy/compose` with what `prepare` adds.
        podman: Runs it.
        tools: The environment that podman-compose is installed in.
        standins: The image for the servers that are not ours.
        broker: `redis` or `rabbitmq`.
    """

    def __init__(
        self, folder: Path, podman: Podman, tools: Path, standins: str, broker: str
    ) -> None:
        self._podman, self._tools, self.folder = podman, tools, folder
        shutil.copytree(COMPOSE, folder, ignore=shutil.ignore_patterns("secrets", ".env"))
        self.http, self.https = free_port(), free_port()
        self._files = ["compose.yaml"] + (
            [] if broker == "redis" else [f"compose.{broker}.yaml"]
        )
        names = ("NGINX", "POSTGRES", "REDIS", "RABBITMQ", "PROMETHEUS")
        images = {f"{name}_IMAGE": standins for name in names}
        self._settings = {
            **images,
            "HTTP_PORT": f"127.0.0.1:{self.http}",
            "HTTPS_PORT": f"127.0.0.1:{self.https}",
            "PUBLIC_URL": f"https://localhost:{self.https}",
        }
        subprocess.run(["./prepare", broker], cwd=self.folder, check=True, timeout=60)

    def compose(
        self, *words: str, seconds: float = UP_S, files: Sequence[str] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run podman-compose; what it printed."""
        named = [word for file in files or self._files for word in ("-f", file)]
        done = subprocess.run(
            [str(self._tools / "bin" / "podman-compose"), *named, *words],
            cwd=self.folder,
            env={**self._podman.environment, **self._settings},
            capture_output=True,
            text=True,
            timeout=seconds,
        )
        assert done.returncode == 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-5000:]}"
        return done

    def up(self, *services: str) -> None:
        """Bring services up, without waiting until they are ready."""
        self.compose("up", "--detach", "--no-build", *services)

    def down(self) -> None:
        """Take all of it down, with its data."""
        self.compose("down", "--volumes", "--timeout", "20")

    def container(self, service: str) -> str:
        """The container of a service."""
        return f"pagetide_{service}_1"

    def make_key(self) -> str:
        """An API key that may submit; Prometheus and the autoscaler get theirs."""
        (self.folder / "secrets" / "key").write_text(f"{self.new_key('operate')}\n")
        return self.new_key("read", "submit")

    def new_key(self, *scopes: str) -> str:
        """An API key that may do so much."""
        wanted = [f"--scope={scope}" for scope in scopes]
        create = ("pagetide", "keys", "create", "reception", *wanted)
        return self._podman.told("exec", self.container("api"), *create)

    def client(self, key: str = "") -> httpx.Client:
        """Asks nginx over TLS, and trusts the stack's own certificate alone."""
        trusted = ssl.create_default_context(
            cafile=str(self.folder / "secrets" / "tls_certificate")
        )
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        url = f"https://localhost:{self.https}"
        return httpx.Client(base_url=url, headers=headers, verify=trusted, timeout=60)

    def measured(self, expression: str) -> list[Any]:
        """What Prometheus finds for an expression, asked from inside the stack."""
        query = urllib.parse.urlencode({"query": expression})
        url = f"http://prometheus:9090/api/v1/query?{query}"
        ask = (
            f"import urllib.request as r; print(r.urlopen({url!r}, timeout=20).read().decode())"
        )
        answer = json.loads(
            self._podman.told("exec", self.container("api"), "python", "-c", ask)
        )
        assert answer["status"] == "success", answer
        found: list[Any] = answer["data"]["result"]
        return found


def install_compose(folder: Path) -> Path:
    """Podman-compose in an environment of its own."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=120)
    words = ["install", "--quiet", "--no-deps", "--require-hashes", "-r", str(LOCK)]
    subprocess.run(
        [str(folder / "bin" / "pip"), *words],
        check=True,
        timeout=300,
        env=dict(os.environ),
    )
    return folder
