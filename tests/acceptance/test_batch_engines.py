"""A batch on Ray and on Spark, whose processes are killed in the middle."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pagetide.server.blobs.places import open_place
from tests.acceptance.test_batch import CUT, FIRST, PAGES, fill, notes
from tests.parts.clouds import s3_url as s3_url
from tests.parts.fixtures import required
from tests.serving import text_of_page
from tests.waiting import until

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "tests" / "clients"
PYTHON = ROOT / ".venv-batch" / "bin" / "python"
SLOWLY = ("--model", "fake?slow=0.2")
pytestmark = pytest.mark.slow("starts Ray, or Spark and its Java")


@pytest.fixture(autouse=True)
def engines() -> None:
    """They are installed."""
    if not (PYTHON.parents[1] / "ready").exists():
        required("Ray and Spark are not installed: `make batch-env` installs them")


def started(*words: object, **options: Any) -> subprocess.Popen[bytes]:
    """A program of the environment with Ray and Spark, in a group of its own."""
    mine = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    quiet = {"RAY_USAGE_STATS_ENABLED": "0", "SPARK_LOCAL_IP": "127.0.0.1"}
    return subprocess.Popen(
        [PYTHON, *map(str, words)],
        stdout=subprocess.PIPE,
        env={**mine, **quiet},
        start_new_session=True,
        **options,
    )


def batch(*words: object) -> subprocess.Popen[bytes]:
    return started("-m", "pagetide", "batch", *words, *CUT, stderr=subprocess.PIPE)


def out_of(process: subprocess.Popen[bytes], codes: Sequence[int] = (0,)) -> str:
    out, said = process.communicate(timeout=400)
    assert process.returncode in codes, (said or b"").decode()[-3000:]
    return out.decode()


def rows(folder: Path) -> list[tuple[str, int | None, str, str | None]]:
    lines = out_of(started(SCRIPTS / "parquet_rows.py", folder)).splitlines()
    return [(d, page, text, error) for d, page, text, error in map(json.loads, lines)]


def assert_whole(folder: Path, root: str = "") -> None:
    """Every page is there once, with its text, and a row says what is no document."""
    found = rows(folder)
    every = [(root + name, n) for name, pages in PAGES.items() for n in range(1, pages + 1)]
    told = Counter((document, page) for document, page, _, _ in found)
    assert told == Counter([*every, (f"{root}bad.pdf", None)])
    for document, page, text, error in found:
        if page:
            first = FIRST[document.removeprefix(root)]
            assert (text, error) == (text_of_page(page, first=first), None)
        else:
            assert error == "unsupported_type"


def processes(words: str) -> list[int]:
    """Processes of this machine whose command line has the words."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if words.encode() in each.read_bytes().replace(b"\0", b" "):
                found.append(int(each.parent.name))
        except OSError:
            continue
    return found


def below(pid: int) -> set[int]:
    """A process and all below it."""
    found, parents = {pid}, {}
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(each.parent.name)] = int(each.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def test_parquet_by_local_processes(tmp_path: Path) -> None:
    fill(open_place(str(tmp_path / "in"), make=True))
    out_of(batch(tmp_path / "in", tmp_path / "out", "--model", "fake"), codes=(3,))
    assert_whole(tmp_path / "out")


def test_ray_with_an_actor_a_node_and_the_driver_killed(tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    fill(open_place(str(source), make=True))
    there = open_place(str(target), make=True)
    with cluster() as (address, raylets):
        words = (source, target, *SLOWLY, "--ray", address, "--workers", "2")
        driver = batch(*words)
        until(lambda: notes(there) >= 1, seconds=200)
        nodes = [below(raylet) for raylet in raylets]
        actors = [pid for pid in processes("ray::") if "ItemActor" in _line(pid)]
        ours = [pid for pid in actors if any(pid in node for node in nodes)]
        assert ours
        os.kill(ours[0], signal.SIGKILL)
        before = notes(there)
        until(lambda: notes(there) > before, seconds=200)
        os.kill(raylets[1], signal.SIGKILL)
        before = notes(there)
        until(lambda: notes(there) > before, seconds=200)
        driver.kill()
        driver.communicate()
        assert notes(there) < 8  # it was in the middle
        said = json.loads(out_of(batch(*words), codes=(3,)))
    assert said["failed"] == {"unsupported_type": 1}
    assert 0 < said["pages_now"] < said["pages"] == sum(PAGES.values())
    assert_whole(target)


def _line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


@contextmanager
def cluster() -> Iterator[tuple[str, list[int]]]:
    """Two nodes of Ray: their address, and their raylets."""
    holder = started(SCRIPTS / "ray_nodes.py", stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert holder.stdout
        for line in holder.stdout:
            if line.startswith(b"{"):
                said = json.loads(line)
                break
        yield said["address"], said["raylets"]
    finally:
        holder.communicate(timeout=100)


def test_ray_reads_rows_of_paths_and_bytes(tmp_path: Path) -> None:
    source = tmp_path / "in"
    fill(open_place(str(source), make=True))
    out_of(started(SCRIPTS / "ray_pages.py", source, tmp_path / "out", "fake"))
    assert_whole(tmp_path / "out", f"{source}/")


def test_spark_with_an_executor_killed(tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    fill(open_place(str(source), make=True))
    running = started(SCRIPTS / "spark_pages.py", source, target, "fake?slow=0.2")

    def readers() -> set[int]:
        return below(running.pid) & set(processes("pagetide.integrations.batch.apart"))

    def executors() -> list[int]:
        mine = set(processes("CoarseGrainedExecutorBackend")) & below(running.pid)
        return [pid for pid in mine if below(pid) & readers()]

    until(lambda: bool(executors()) or running.poll() is not None, seconds=300)
    os.kill(executors()[0], signal.SIGKILL)
    out_of(running)
    assert_whole(target, f"{source}/")
