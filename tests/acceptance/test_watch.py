"""`pagetide watch` as processes that are killed, against a server on this machine."""

from __future__ import annotations

import json
import random
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pagetide.client import Client
from pagetide.server.blobs.places import open_place
from tests.parts import forks
from tests.parts.clouds import az_url as az_url
from tests.parts.clouds import s3_url as s3_url
from tests.served import PAGETIDE, serving
from tests.serving import pdf, text_of_page
from tests.waiting import until

FILES, KILLS = 8, 4


@dataclass(frozen=True)
class Watched:
    url: str

    def watch(self, *arguments: object) -> subprocess.Popen[bytes]:
        command = [*PAGETIDE, "watch", *map(str, arguments), "--server", self.url]
        return forks.Popen(
            [*command, "--model", "fake", "-f", "txt,json", "--every", "0.1"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def jobs(self) -> int:
        with Client(self.url) as client:
            return sum(1 for _ in client.jobs())


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    with serving(tmp_path_factory.mktemp("data"), keys=0) as running:
        yield Watched(running.url)


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    return folder


def document(number: int) -> bytes:
    """A document of its own content: its first page's width."""
    return pdf(2, first=300 + 10 * number)


def arrive(path: Path, content: bytes) -> None:
    """Put a file there whole: one that is empty for long would be read as that."""
    path.parent.mkdir(exist_ok=True)
    coming = path.with_name(f"{path.name}.part")
    coming.write_bytes(content)
    coming.rename(path)


def markers(outbox: Path) -> list[Path]:
    return sorted(outbox.rglob("*.pagetide.json"))


def listens(pid: int) -> bool:
    """Whether a process catches SIGTERM: one that has only just begun would die of it."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def end(watcher: subprocess.Popen[bytes]) -> tuple[int, list[dict[str, Any]], str]:
    """Ask it to end, once it listens; its exit code, its lines and its complaints."""
    until(lambda: listens(watcher.pid))
    watcher.send_signal(signal.SIGTERM)
    out, complaints = watcher.communicate(timeout=60)
    return (
        watcher.returncode,
        [json.loads(line) for line in out.splitlines()],
        complaints.decode(),
    )


def test_killed_again_and_again_two_watchers_read_every_file_once(
    served: Watched, inbox: Path, tmp_path: Path
) -> None:
    outbox, chance = tmp_path / "out", random.Random(7)  # noqa: S311 - a test's
    before = served.jobs()
    watchers = [served.watch(inbox, outbox), served.watch(inbox, outbox)]
    for number in range(KILLS):
        for new in (2 * number, 2 * number + 1):
            arrive(inbox / f"box{new % 3}" / f"{new}.pdf", document(new))
        # Somewhere between two files' markers: while looking, sending, waiting or putting.
        most = 2 * number + 1
        wanted = chance.randint(min(len(markers(outbox)), most), most)
        until(lambda wanted=wanted: len(markers(outbox)) >= wanted)  # type: ignore[misc]
        watchers[number % 2].kill()
        watchers[number % 2].communicate()
        watchers[number % 2] = served.watch(inbox, outbox)
    until(lambda: len(markers(outbox)) == FILES, why="not every file was read")
    ended = [end(watcher) for watcher in watchers]
    assert [(code, complaints) for code, _, complaints in ended] == [(0, "")] * 2
    assert served.jobs() - before == FILES
    for number in range(FILES):
        result = outbox / f"box{number % 3}" / f"{number}.pdf.txt"
        assert text_of_page(1, first=300 + 10 * number) in result.read_text()
    assert sum(1 for path in outbox.rglob("*") if path.suffix in (".txt", ".json")) == 3 * FILES


def test_told_to_end_it_ends_what_it_has_begun(
    served: Watched, inbox: Path, tmp_path: Path
) -> None:
    outbox = tmp_path / "out"
    watcher = served.watch(inbox, outbox, "--concurrency", "1")
    before = served.jobs()
    arrive(inbox / "long.pdf", pdf(60, first=2000))
    until(lambda: served.jobs() > before)
    code, lines, _ = end(watcher)
    assert (code, [line["status"] for line in lines]) == (0, ["succeeded"])
    marker = json.loads((outbox / "long.pdf.pagetide.json").read_text())
    assert (marker["job"], marker["files"]) == (
        lines[0]["job"],
        ["long.pdf.txt", "long.pdf.json"],
    )


def test_once_it_reads_what_is_there_and_tells_what_is_wrong(
    served: Watched, inbox: Path, tmp_path: Path
) -> None:
    outbox = tmp_path / "out"
    (inbox / "good.pdf").write_bytes(document(50))
    (inbox / "bad.pdf").write_bytes(b"no document")
    (inbox / "coming.pdf.part").write_bytes(b"%PDF")
    watcher = served.watch(inbox, outbox, "--once")
    out, complaints = watcher.communicate(timeout=60)
    lines = {line["source"]: line for line in map(json.loads, out.splitlines())}
    assert watcher.returncode == 65
    assert {name: line["status"] for name, line in lines.items()} == {
        "good.pdf": "succeeded",
        "bad.pdf": "failed",
    }
    assert complaints.decode().startswith("pagetide: bad.pdf is neither a PDF")
    error = json.loads((outbox / "bad.pdf.error.json").read_text())
    assert (error["code"], error["retryable"]) == ("unsupported_type", False)
    again = served.watch(inbox, outbox, "--once")
    assert again.communicate(timeout=60) == (b"", b"")
    assert again.returncode == 0


def test_from_a_bucket_to_a_container(served: Watched, s3_url: str, az_url: str) -> None:
    source, target = open_place(s3_url), open_place(az_url)
    source.put("post/Größe 1.pdf", document(60))
    watcher = served.watch(s3_url, az_url, "--once")
    _, complaints = watcher.communicate(timeout=60)
    assert (watcher.returncode, complaints) == (0, b"")
    names = {file.name.removeprefix("post/Größe 1.pdf") for file in target.files()}
    assert names == {".txt", ".json", ".pagetide.json"}
    assert text_of_page(1, first=900) in target.read("post/Größe 1.pdf.txt").decode()
    marker = json.loads(target.read("post/Größe 1.pdf.pagetide.json"))
    (arrived,) = source.files()
    assert marker["etag"] == arrived.stamp


def test_a_server_that_does_not_answer_is_told_beside_the_file(
    inbox: Path, tmp_path: Path
) -> None:
    (inbox / "good.pdf").write_bytes(document(51))
    watcher = Watched(url="http://127.0.0.1:9").watch(inbox, tmp_path / "out", "--once")
    out, _ = watcher.communicate(timeout=60)
    assert (watcher.returncode, json.loads(out)["status"]) == (69, "failed")
    error = json.loads((tmp_path / "out" / "good.pdf.error.json").read_text())
    assert (error["code"], error["retryable"]) == ("server_unreachable", True)
