"""The program as a process: what it writes where, how it ends, and how it is interrupted."""

from __future__ import annotations

import json
import os
import pty
import re
import resource
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.parts import forks

SAMPLES = Path(__file__).parents[2] / "samples"
PAGETIDE = [sys.executable, "-m", "pagetide"]
MIXED = str(SAMPLES / "mixed.pdf")


def run(
    *arguments: object, stdin: bytes = b"", timeout: float = 120
) -> subprocess.CompletedProcess[bytes]:
    command = [*PAGETIDE, *map(str, arguments)]
    return forks.run(command, input=stdin, capture_output=True, timeout=timeout, check=False)


def test_help_needs_neither_a_model_runtime_nor_a_pdf_library() -> None:
    code = (
        "import sys; from pagetide.cli import program\n"
        "try: program(['read', '--help'])\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    loaded = set(shown.stderr.decode().split())
    heavy = {"numpy", "cv2", "openvino", "onnxruntime", "PIL", "pypdf", "pypdfium2"}
    assert b"Usage: " in shown.stdout
    assert not heavy & loaded


def test_reading_with_files_for_every_format(tmp_path: Path) -> None:
    done = run(
        "read",
        MIXED,
        "--model",
        "fake",
        "-o",
        tmp_path,
        "-f",
        "json,md,txt,html,chunks,fields,hocr,pdf,png",
    )
    assert (done.returncode, done.stderr) == (0, b"")
    line = json.loads(done.stdout)
    names = sorted(Path(file).name for file in line["files"])
    assert names == sorted(path.name for path in tmp_path.iterdir())
    assert {
        f"mixed.pdf.{name}"
        for name in ("json", "md", "txt", "chunks.jsonl", "fields.json", "hocr", "pdf")
    } < set(names)
    assert sum(name.endswith(".png") for name in names) == 7


def test_the_fields_of_a_document_that_was_really_read() -> None:
    fields = json.loads(run("read", MIXED, "-f", "fields").stdout)
    said = {name: value["normalised"] for name, value in fields["bill"]["fields"].items()}
    wanted = {
        "date": "2024-03-18",
        "due_date": "2024-04-17",
        "subtotal": "7180.20",
        "tax": "1364.24",
        "total": "8544.44",
        "iban": "DE02120300000000202051",
    }
    assert {name: said.get(name) for name in wanted} == wanted
    assert {check["name"] for check in fields["bill"]["checks"] if check["holds"]} == {
        *("item", "items", "total")
    }
    assert [check for check in fields["bill"]["checks"] if not check["holds"]] == []
    assert len(fields["bill"]["items"]) == 10


def test_standard_input_to_standard_output() -> None:
    done = run("read", "-", "--model", "fake", "-f", "json", stdin=Path(MIXED).read_bytes())
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["pages"]) == 7


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_long_output_comes_whole(unbuffered: str) -> None:
    done = subprocess.run(
        [*PAGETIDE, "read", MIXED, "--model", "fake?lines=2000", "-f", "json"],
        env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        capture_output=True,
        check=True,
    )
    assert len(done.stdout) > 1_000_000
    assert len(json.loads(done.stdout)["pages"]) == 7


def test_a_searchable_pdf_through_a_pipe() -> None:
    done = run("read", "-", "--model", "fake", "-f", "pdf", stdin=Path(MIXED).read_bytes())
    assert done.returncode == 0
    assert done.stdout.startswith(b"%PDF-")


def test_a_batch_with_bad_inputs_reads_the_good_ones(tmp_path: Path) -> None:
    bad = tmp_path / "bad.pdf"
    bad.write_bytes(b"%PDF-1.7\nnot really")
    out = tmp_path / "out"
    done = run("read", bad, MIXED, tmp_path / "none.pdf", "--model", "fake", "-o", out)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["status"] for line in lines] == ["failed", "succeeded", "failed"]
    assert [line["error"]["code"] for line in lines if "error" in line] == [
        "damaged",
        "not_found",
    ]
    assert done.returncode == 1
    assert (out / "mixed.pdf.txt").exists()
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nowhere.pdf"], 66, b"pagetide: nowhere.pdf does not exist.\n"),
        (
            [str(SAMPLES.parent / "README.md")],
            65,
            b"README.md is a text file; PDF, PNG, JPEG, ",
        ),
        ([MIXED, "--pages", "9"], 65, b"7 pages"),
        ([MIXED, "--pages", "x"], 64, b"page range"),
        ([MIXED, "--lang", "klingon"], 64, b"klingon"),
        (
            [MIXED, "--model", "structure-lite", "--lang", "ko"],
            69,
            b"korean_PP-OCRv5_mobile_rec",
        ),
        ([MIXED, "--model", "pp-ocrv66"], 64, b"pp-ocrv6"),
        ([MIXED, "--model", "pp-ocrv5"], 69, b"pagetide models pull PP-OCRv5_mobile_det"),
        ([MIXED, "--option", "slow"], 64, b"NAME=VALUE"),
    ],
)
def test_one_sentence_and_an_exit_code(arguments: list[str], code: int, said: bytes) -> None:
    done = run("read", "--model", "fake", *arguments)
    assert (done.returncode, done.stdout) == (code, b"")
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr


def test_a_page_that_fails_is_told_and_ends_with_3(tmp_path: Path) -> None:
    done = run("read", MIXED, "--model", "fake?fail=2", "--text-layer", "never", "-o", tmp_path)
    line = json.loads(done.stdout)
    assert (done.returncode, line["status"], line["failed_pages"]) == (3, "partial", [2])
    assert b"mixed.pdf: page 2: " in done.stderr


def on_a_terminal(*arguments: object) -> tuple[str, int]:
    """What the program writes to a terminal, and its exit code."""
    screen, its_side = pty.openpty()
    program = subprocess.Popen(
        [*PAGETIDE, *map(str, arguments)], stdout=its_side, stderr=its_side, stdin=its_side
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


def test_a_terminal_gets_a_progress_bar_and_words(tmp_path: Path) -> None:
    shown, code = on_a_terminal("read", MIXED, "--model", "fake?slow=0.2", "-o", tmp_path)
    assert code == 0
    assert "pages/min" in shown
    assert f"{MIXED}: 7 pages -> {tmp_path / 'mixed.pdf.txt'}" in shown
    assert "{" not in shown


def test_a_pdf_is_not_poured_onto_a_terminal() -> None:
    shown, code = on_a_terminal("read", MIXED, "--model", "fake", "-f", "pdf")
    assert code == 64
    assert "%PDF" not in shown


def test_an_interrupt_ends_with_130_and_leaves_no_half_file(tmp_path: Path) -> None:
    program = subprocess.Popen(
        [
            *(*PAGETIDE, "read", str(SAMPLES / "table.png"), MIXED, "-o", str(tmp_path)),
            *("--model", "fake?slow=3", "--text-layer", "never"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert program.stdout is not None
    first = program.stdout.readline()  # the first input is done, the second at work
    assert json.loads(first)["status"] == "succeeded"
    program.send_signal(signal.SIGINT)
    _, complaint = program.communicate(timeout=60)
    assert program.returncode == 130
    assert complaint.splitlines() == [
        b"pagetide: 1 of 2 inputs are done; run the same command with --skip-existing"
        b" to continue.",
        b"pagetide: Interrupted.",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["table.png.txt"]
    again = run(
        *("read", SAMPLES / "table.png", MIXED, "-o", tmp_path, "--model", "fake"),
        "--skip-existing",
    )
    statuses = [json.loads(line)["status"] for line in again.stdout.splitlines()]
    assert (again.returncode, statuses) == (0, ["skipped", "succeeded"])
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("mixed.pdf.txt", "table.png.txt")
    ]


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_is_no_error(unbuffered: str) -> None:
    program = subprocess.Popen(
        [*PAGETIDE, "read", MIXED, "--model", "fake?lines=2000", "-f", "json"],
        env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert program.stdout is not None
    program.stdout.read(1)
    program.stdout.close()
    assert program.stderr is not None
    assert program.stderr.read() == b""
    program.stderr.close()
    assert program.wait(60) == 141


def processor_s(*command: str) -> float:
    """What a program takes of the processor, whatever else the machine does: the least of 3."""

    def used() -> float:
        ours = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ours.ru_utime + ours.ru_stime

    def once() -> float:
        before = used()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        return used() - before

    return min(once() for _ in range(3))


def test_the_help_comes_fast() -> None:
    # Some 10 times as much as Python takes to begin; with one heavy library, 100 times.
    assert processor_s(*PAGETIDE, "--help") < 50 * processor_s(sys.executable, "-c", "")


def test_the_version_is_printed() -> None:
    assert run("--version").stdout.startswith(b"pagetide 0.")


def test_the_doctor_finds_everything_well() -> None:
    done = run("doctor")
    shown = done.stdout.decode()
    assert done.returncode == 0, shown
    assert "10 of 10 lines right" in shown
    assert re.search(
        r"^speed +about \d+ pages per minute with 60 short lines each", shown, re.M
    )
    for word in ("processor", "runtime", "models", "openvino", "cores", "cache"):
        assert word in shown
