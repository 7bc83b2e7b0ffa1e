"""`pagetide submit` and `pagetide jobs` as processes, against a server on this machine."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_server import Answer, FakeJob, FakeServer, Listening, problem
from tests.parts import forks

PDF = b"%PDF-1.7 stand-in"
KEY = "pt_abcdefgh_" + "s" * 32
PAGETIDE = [sys.executable, "-m", "pagetide"]


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


@pytest.fixture
def url(server: FakeServer) -> Iterator[str]:
    with Listening(server) as listening:
        yield listening.url


@pytest.fixture
def scans(tmp_path: Path) -> Path:
    folder = tmp_path / "scans"
    folder.mkdir()
    for name in ("a.pdf", "b.pdf"):
        (folder / name).write_bytes(PDF)
    (folder / "bad.pdf").write_bytes(b"no document")
    return folder


def run(
    *arguments: object, url: str, stdin: bytes = b"", key: str = ""
) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PAGETIDE_SERVER": url, "PAGETIDE_KEY": key}
    command = [*PAGETIDE, *map(str, arguments)]
    return forks.run(
        command, input=stdin, capture_output=True, timeout=60, env=environment, check=False
    )


def test_when_a_person_is_to_look_goes_to_the_server(
    server: FakeServer, url: str, scans: Path
) -> None:
    asked = ("--review-below", "0.8", "--no-review-sums", "--review-sample", "1")
    assert run("submit", scans / "a.pdf", *asked, url=url).returncode == 0
    assert run("submit", scans / "b.pdf", url=url).returncode == 0
    told, silent = [each.fields for each in server.asks("POST", "/v1/jobs")]
    found = {name: value for name, value in told.items() if name.startswith("review")}
    assert found == {"review_below": "0.8", "review_sums": "false", "review_sample": "1.0"}
    assert [name for name in silent if name.startswith("review")] == []


def lines(done: subprocess.CompletedProcess[bytes]) -> list[dict[str, object]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_without_waiting_the_jobs_ids_are_told(
    server: FakeServer, url: str, scans: Path
) -> None:
    done = run(
        *("submit", scans / "a.pdf", "https://example.org/c.pdf", "--pages", "1-2"),
        *("--lang", "en", "--priority", "batch", "--meta", "a=b", "--meta", "c=d=e"),
        *("--dpi", "200", "--ttl", "90", "--webhook-url", "https://example.org/hook"),
        url=url,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert lines(done) == [
        {"source": str(scans / "a.pdf"), "status": "queued", "job": "job1"},
        {"source": "https://example.org/c.pdf", "status": "queued", "job": "job2"},
    ]
    first, second = (asked.fields for asked in server.asks("POST", "/v1/jobs"))
    assert first == {
        "file": ("a.pdf", PDF),
        "pages": "1-2",
        "languages": "en",
        "model": "structure-lite",
        "text_layer": "auto",
        "barcodes": "false",
        "line_breaks": "join",
        "dpi": "200.0",
        "priority": "batch",
        "metadata": '{"a":"b","c":"d=e"}',
        "webhook_url": "https://example.org/hook",
        "ttl_s": "90.0",
    }
    assert second["file_url"] == "https://example.org/c.pdf"
    assert "name" not in second  # the server sees what the sender calls it


def test_one_bad_document_does_not_stop_the_others(url: str, scans: Path) -> None:
    names = [scans / name for name in ("bad.pdf", "a.pdf", "none.pdf")]
    done = run("submit", *names, url=url)
    assert [line["status"] for line in lines(done)] == ["failed", "queued", "failed"]
    assert [line["error"]["code"] for line in lines(done) if "error" in line] == [  # type: ignore[index]
        "unsupported_type",
        "not_found",
    ]
    assert done.returncode == 1
    assert b"none.pdf does not exist" in done.stderr


def test_waiting_prints_the_markdown(url: str, scans: Path) -> None:
    done = run("submit", scans / "a.pdf", "--wait", url=url)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"<!-- page 1 -->\n\na.pdf 1")


def test_waiting_with_a_folder_writes_every_format(
    server: FakeServer, url: str, scans: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    formats = "json,raw,md,txt,html,hocr,pdf"
    done = run("submit", scans / "a.pdf", "--wait", "-f", formats, "-o", out, url=url)
    assert (done.returncode, done.stderr) == (0, b"")
    (line,) = lines(done)
    assert (line["status"], line["pages"], line["failed_pages"]) == ("succeeded", 3, [])
    assert sorted(Path(file).name for file in line["files"]) == [  # type: ignore[attr-defined]
        *(f"a.pdf.{end}" for end in ("hocr", "html", "json", "md", "pdf", "raw.json", "txt"))
    ]
    assert (out / "a.pdf.txt").read_text() == "a.pdf 1\fa.pdf 2\fa.pdf 3\n"
    assert (out / "a.pdf.pdf").read_bytes().startswith(b"%PDF")
    (asked,) = server.asks("POST", "/v1/jobs")
    assert asked.fields["formats"] == "md,txt,html,hocr,pdf"


def test_waiting_for_several_tells_what_became_of_each(
    server: FakeServer, url: str, scans: Path, tmp_path: Path
) -> None:
    names = [scans / name for name in ("a.pdf", "bad.pdf", "b.pdf")]
    done = run("submit", *names, "--wait", "-o", tmp_path / "out", url=url)
    assert [line["status"] for line in lines(done)] == ["succeeded", "failed", "succeeded"]
    assert done.returncode == 65
    assert b"2 read, 0 partial, 1 failed (1 unsupported_type); 6 pages" in done.stderr
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["a.pdf.md", "b.pdf.md"]
    before = len(server.asks("POST", "/v1/jobs"))
    refused = run("submit", *names, "--wait", "-o", tmp_path / "out", url=url)
    assert refused.returncode == 73 and b"--skip-existing" in refused.stderr
    assert len(server.asks("POST", "/v1/jobs")) == before
    options = ("--wait", "-o", tmp_path / "out", "--skip-existing")
    again = run("submit", *names, *options, url=url)
    statuses = [line["status"] for line in lines(again)]
    assert statuses == ["skipped", "skipped", "failed"]
    assert len(server.asks("POST", "/v1/jobs")) == before + 1


def test_a_job_that_fails_is_told(server: FakeServer, url: str, scans: Path) -> None:
    server.fails_at = 2
    done = run("submit", scans / "a.pdf", "--wait", url=url)
    assert (done.returncode, done.stdout) == (65, b"")
    assert done.stderr == f"pagetide: {scans / 'a.pdf'} is damaged.\n".encode()


def test_the_standard_input_is_submitted(server: FakeServer, url: str) -> None:
    done = run("submit", "-", "--wait", "-f", "txt", url=url, stdin=PDF)
    assert done.stdout == b"stdin 1\fstdin 2\fstdin 3\n"
    assert server.asked[0].fields["file"] == ("stdin", PDF)


def test_a_key_is_asked_for_and_shown(server: FakeServer, url: str, scans: Path) -> None:
    server.key = KEY
    assert run("submit", scans / "a.pdf", url=url).returncode == 77
    assert run("submit", scans / "a.pdf", url=url, key=KEY).returncode == 0
    assert run("submit", scans / "a.pdf", "--key", KEY, url="", key="x").returncode != 0
    done = run("submit", scans / "a.pdf", "--key", KEY, "--server", url, url="http://x")
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "out"], "without --wait"),
        (["--wait", "-f", "md,txt"], "add -o DIR"),
        (["--wait", "-f", "png"], "'png' is not one of"),
        (["--meta", "a"], "NAME=VALUE"),
        (["--server", "localhost:8000"], "must start with http"),
        (["--password", "a", "--ask-password"], "one way only"),
    ],
)
def test_wrong_usage_is_said(arguments: list[str], said: str, scans: Path) -> None:
    done = run("submit", scans / "a.pdf", *arguments, url="http://127.0.0.1:1")
    assert done.returncode == 64
    assert said in done.stderr.decode()
    assert len(done.stderr.splitlines()) == 1


def test_an_absent_server_is_one_sentence_and_69(scans: Path) -> None:
    done = run("submit", scans / "a.pdf", url="http://127.0.0.1:1")
    assert done.returncode == 69
    (complaint,) = done.stderr.decode().splitlines()
    assert complaint.endswith(
        "The server at http://127.0.0.1:1 cannot be reached: nothing listens there."
    )


def on_a_terminal(*arguments: object, url: str) -> tuple[str, int]:
    """What the program writes to a terminal, and its exit code."""
    screen, its_side = pty.openpty()
    program = subprocess.Popen(
        [*PAGETIDE, *map(str, arguments)],
        stdout=its_side,
        stderr=its_side,
        stdin=its_side,
        env={**os.environ, "PAGETIDE_SERVER": url},
    )
    os.close(its_side)
    written = b""
    while select.select([screen], [], [], 60)[0]:
        try:
            written += os.read(screen, 4096)
        except OSError:  # Linux says so when the other side is closed
            break
    os.close(screen)
    return written.decode(), program.wait(60)


def test_a_terminal_gets_a_progress_bar_and_words(
    server: FakeServer, url: str, scans: Path, tmp_path: Path
) -> None:
    shown, code = on_a_terminal(
        "submit", scans / "a.pdf", "--wait", "-o", tmp_path / "out", url=url
    )
    assert code == 0
    assert "1 page  " in shown
    assert "100%" in shown
    assert f"{scans / 'a.pdf'}: 3 pages -> {tmp_path / 'out' / 'a.pdf.md'}" in shown
    assert "{" not in shown


def test_a_terminal_gets_the_ids_as_words(url: str, scans: Path) -> None:
    shown, code = on_a_terminal("submit", scans / "a.pdf", url=url)
    assert (shown, code) == (f"{scans / 'a.pdf'}: job1\r\n", 0)


def test_an_interrupt_leaves_the_job_and_says_so(
    server: FakeServer, url: str, scans: Path
) -> None:
    waits, go_on = threading.Event(), threading.Event()

    def held() -> Iterator[bytes]:
        waits.set()
        go_on.wait(60)
        yield b""

    server.trouble = [None, Answer(200, held())]  # the submission is answered, the wait is not
    program = subprocess.Popen(
        [*PAGETIDE, "submit", str(scans / "a.pdf"), "--wait", "--server", url],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert waits.wait(60)
    program.send_signal(signal.SIGINT)
    shown, complaint = program.communicate(timeout=60)
    go_on.set()
    assert (program.returncode, shown) == (130, b"")
    assert complaint.splitlines() == [
        b"pagetide: The server continues reading; `pagetide jobs` shows and cancels jobs.",
        b"pagetide: Interrupted.",
    ]
    assert server.jobs["job1"].status == "queued"


# jobs


def test_jobs_are_listed_shown_cancelled_and_erased(
    server: FakeServer, url: str, scans: Path
) -> None:
    run("submit", *[scans / name for name in ("a.pdf", "b.pdf", "a.pdf")], url=url)
    listed = run("jobs", url=url)
    assert [line["id"] for line in lines(listed)] == ["job2", "job1"]
    assert b"signature" not in listed.stdout
    (cancelled,) = lines(run("jobs", "--cancel", "job2", url=url))
    assert (cancelled["id"], cancelled["status"]) == ("job2", "cancelled")
    assert [j["id"] for j in lines(run("jobs", "--status", "queued", url=url))] == ["job1"]
    assert [j["id"] for j in lines(run("jobs", "--limit", "1", url=url))] == ["job2"]
    assert [j["id"] for j in lines(run("jobs", "job1", url=url))] == ["job1"]
    erased = run("jobs", "--erase", "job1", url=url)
    assert (erased.returncode, erased.stdout) == (0, b"")
    gone = run("jobs", "job1", url=url)
    assert (gone.returncode, gone.stdout) == (66, b"")
    assert b"erased" in gone.stderr


def test_jobs_on_a_terminal_are_words_that_do_not_steer_it(
    server: FakeServer, url: str
) -> None:
    evil = "\x1b]0;owned\x07.pdf"
    server.jobs["job9"] = FakeJob("job9", evil, 1, {})
    shown, code = on_a_terminal("jobs", url=url)
    assert code == 0
    assert shown.startswith("job9  queued")
    assert "?]0;owned?.pdf" in shown
    assert "\x1b" not in shown
    server.jobs = {"job1": FakeJob("job1", "a.pdf", 1, {"review_sample": "1"}, "succeeded")}
    shown, _ = on_a_terminal("jobs", url=url)
    assert shown.endswith("a.pdf (waits for review)\r\n")


def test_a_refusal_is_one_sentence(server: FakeServer, url: str) -> None:
    server.trouble = [problem(403, "forbidden", "This is not allowed.")]
    done = run("jobs", url=url)
    assert (done.returncode, done.stderr) == (77, b"pagetide: This is not allowed.\n")


def test_a_server_that_is_no_pagetide_is_told(server: FakeServer, url: str) -> None:
    server.trouble = [Answer(200, b"<html>hello")]
    done = run("jobs", url=url)
    assert done.returncode == 70
    assert b"has a form" in done.stderr


def test_the_help_of_submit_needs_no_client() -> None:
    code = (
        "import sys; from pagetide.cli import program\n"
        "try: program(['submit', '--help'])\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert not {"httpx", "numpy"} & set(shown.stderr.decode().split())
