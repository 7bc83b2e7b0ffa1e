"""Pages that bring up a cluster, each run as it stands on servers of these tests."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.acceptance.test_docs_commands import BIN, HEAD
from tests.docs.shell import ROOT, lines
from tests.parts.clouds import s3_url as s3_url
from tests.parts.moto import REGION, Moto, environment_for_clients
from tests.parts.postgres import Postgres
from tests.parts.redis import Redis
from tests.parts.server import free_port

pytestmark = pytest.mark.slow("starts a cluster, whose worker loads its models")
STAYS = re.compile(r"^(?:PAGETIDE_HOST=\S+ )?pagetide (?:api|worker)\b.*$")
# A page ends where a cluster runs; a document is read by it.
READ = """\
curl --silent --retry 60 --retry-delay 1 --retry-all-errors --fail $PAGETIDE_SERVER/health/ready
pagetide submit samples/receipt.jpg --wait -f txt
"""


def brought_up(page: str, folder: Path, servers: Mapping[str, str], **more: str) -> str:
    """Run the first block of a page with servers that are here; gives what it printed."""
    text = (ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8")
    [block, *_] = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
    script = [_line(each, servers) for each in lines("sh", block)]
    assert {f"export {name}={value}" for name, value in servers.items()} <= {*script}
    (folder / "samples").symlink_to(ROOT / "samples")
    port = str(free_port())
    done = subprocess.run(
        ["bash", "-c", HEAD + "\n".join([*script, READ])],
        cwd=folder,
        env={
            **os.environ,
            **more,
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "PAGETIDE_DATA_DIR": str(folder / "data"),
            "PAGETIDE_PORT": port,
            "PAGETIDE_SERVER": f"http://127.0.0.1:{port}",
        },
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def _line(line: str, servers: Mapping[str, str]) -> str:
    """A line of the page: with our servers, its key kept, and what stays put behind."""
    if found := re.match(r"export (\w+)=", line):
        return f"export {found[1]}={servers.get(found[1], line.partition('=')[2])}"
    line = re.sub(r"(?<=PAGETIDE_HOST=)\S+", "127.0.0.1", line)
    if line.startswith("pagetide keys create"):
        return f"export PAGETIDE_KEY=$({line})"
    return f"{line} &" if STAYS.match(line) else line


def test_postgresql_alone(postgres: Postgres, tmp_path: Path) -> None:
    servers = {
        "PAGETIDE_STORE": f"'{postgres.database()}'",
        "PAGETIDE_BLOBS": (tmp_path / "blobs").as_uri(),
    }
    assert "TIDEWATER" in brought_up("cluster-postgres.md", tmp_path, servers)


def test_celery(postgres: Postgres, redis: Redis, tmp_path: Path) -> None:
    servers = {
        "PAGETIDE_STORE": f"'{postgres.database()}'",
        "PAGETIDE_BLOBS": (tmp_path / "blobs").as_uri(),
        "PAGETIDE_QUEUE": f"'{redis.url}'",
    }
    assert "TIDEWATER" in brought_up("cluster-celery.md", tmp_path, servers)


def test_aws(moto: Moto, s3_url: str, tmp_path: Path) -> None:
    servers = {
        "PAGETIDE_STORE": f"'{moto.table()}'",
        "PAGETIDE_BLOBS": f"'{s3_url}'",
        "PAGETIDE_QUEUE": f"'sqs://{REGION}/docs?endpoint={moto.endpoint}'",
    }
    shown = brought_up("cluster-aws.md", tmp_path, servers, **environment_for_clients())
    assert "TIDEWATER" in shown
