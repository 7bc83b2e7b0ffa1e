"""`pagetide batch` as processes that are killed."""

from __future__ import annotations

import json
import random
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagetide.errors import installing
from pagetide.server.blobs.places import open_place
from pagetide.server.ports import Place
from tests.parts import forks
from tests.parts.clouds import s3_url as s3_url
from tests.served import PAGETIDE
from tests.serving import pdf, text_of_page
from tests.waiting import until

KILLS = 3
PAGES = {f"box/{n}.pdf": 2 + n for n in range(6)} | {"long.pdf": 30}
FIRST = {name: 300 + 100 * n for n, name in enumerate(PAGES)}
DONE = "_pagetide/done/"
CUT = ("--documents-per-shard", "2", "--pages-per-shard", "8")
# Each page takes a moment, so that a kill meets something at work.
MODEL = ("--model", "fake?slow=0.02")


def fill(place: Place) -> None:
    for name, pages in PAGES.items():
        place.put(name, pdf(pages, first=FIRST[name]))
    place.put("bad.pdf", b"no document")


def batch(*arguments: object) -> subprocess.Popen[bytes]:
    command = [*PAGETIDE, "batch", *map(str, arguments), "-f", "jsonl", *CUT]
    return forks.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def notes(target: Place) -> int:
    return sum(file.name.startswith(DONE) for file in target.files())


def rows(target: Place) -> Iterator[dict[str, Any]]:
    for file in target.files():
        if file.name.endswith(".jsonl") and not file.name.startswith("_"):
            yield from map(json.loads, target.read(file.name).splitlines())


def ended(process: subprocess.Popen[bytes]) -> tuple[int, dict[str, Any], str]:
    out, complaints = process.communicate(timeout=120)
    return process.returncode, json.loads(out or b"{}"), complaints.decode()


def assert_whole(target: Place) -> None:
    found = list(rows(target))
    told = Counter((row["document"], row["page"]) for row in found)
    every = [(name, n) for name, pages in PAGES.items() for n in range(1, pages + 1)]
    assert told == Counter([*every, ("bad.pdf", None)])
    for row in found:
        if row["page"]:
            assert row["text"] == text_of_page(row["page"], first=FIRST[row["document"]])
        else:
            assert row["error"]["code"] == "unsupported_type"


@pytest.fixture(params=["folder", "bucket"])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    if request.param == "folder":
        return str(tmp_path / "in"), str(tmp_path / "out")
    url = request.getfixturevalue("s3_url")
    return url.replace("/some/prefix", "/some/in"), url.replace("/some/prefix", "/some/out")


def test_killed_again_and_again_it_gives_each_page_once(places: tuple[str, str]) -> None:
    source, target = places
    chance = random.Random(7)  # noqa: S311 - a test's
    fill(open_place(source, make=True))
    there = open_place(target, make=True)
    for kill in range(KILLS):
        running = batch(source, target, *MODEL, "--workers", "2")
        wanted = 2 * kill + chance.randint(1, 2)
        until(lambda wanted=wanted: notes(there) >= wanted)  # type: ignore[misc]
        running.kill()
        running.communicate()
    before = notes(there)
    code, said, complaints = ended(batch(source, target, *MODEL, "--workers", "2"))
    assert (code, complaints) == (3, "")
    assert said["failed"] == {"unsupported_type": 1}
    assert (said["documents"], said["pages"]) == (len(PAGES) + 1, sum(PAGES.values()))
    assert before and said["pages_now"] < said["pages"]
    assert_whole(there)
    assert "| unsupported_type | 1 |" in there.read("_report.md").decode()
    assert there.read("_report.html").startswith(b"<!doctype html>")


def test_a_page_that_kills_its_process_is_one_row(tmp_path: Path) -> None:
    source = tmp_path / "in"
    fill(open_place(str(source), make=True))
    lethal = text_of_page(3, first=FIRST["long.pdf"]).split()[0]
    code, said, _ = ended(
        batch(source, tmp_path / "out", "--model", f"fake?fatal={lethal}", "--workers", "1")
    )
    assert (code, said["failed"]) == (3, {"worker_lost": 1, "unsupported_type": 1})
    lost = [
        row for row in rows(open_place(str(tmp_path / "out"))) if row["page"] and row["error"]
    ]
    assert [(row["document"], row["page"]) for row in lost] == [("long.pdf", 3)]
    assert said["pages"] == sum(PAGES.values()) - 1


def test_documents_as_rows_and_a_manifest(tmp_path: Path) -> None:
    source = tmp_path / "in"
    fill(open_place(str(source), make=True))
    manifest = tmp_path / "paths.txt"
    manifest.write_text("in/long.pdf\nin/box/0.pdf\nin/gone.pdf\n")
    target = tmp_path / "out"
    code, said, _ = ended(batch(manifest, target, "--model", "fake", "--rows", "documents"))
    assert (code, said["failed"]) == (3, {"blob_missing": 1})
    found = {row["document"]: row for row in rows(open_place(str(target)))}
    assert {name: row["pages"] for name, row in found.items()} == {
        "in/long.pdf": 30,
        "in/box/0.pdf": 2,
        "in/gone.pdf": 0,
    }
    texts = found["in/long.pdf"]["text"].split("\f")
    assert texts == [text_of_page(n, first=FIRST["long.pdf"]) for n in range(1, 31)]


def test_what_cannot_go_well_is_said_before_anything_is_read(tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    fill(open_place(str(source), make=True))
    for arguments, code, words in (
        (("--model", "nothing"), 64, "nothing"),
        (("--lang", "klingon"), 64, "klingon"),
        (("--model", "fake", "--ray", "auto"), 69, installing("ray")),
    ):
        ended_as, _, complaints = ended(batch(source, target, *arguments))
        assert (ended_as, words in complaints) == (code, True), complaints
    assert not target.exists()
