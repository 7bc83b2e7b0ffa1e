"""`pagetide mcp`, spoken to by the protocol's own client over stdio."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pagetide
from bench.extraction.liars import pieces_of
from bench.fake_vl_server import Asked, FakeVlServer, Reply
from pagetide.errors import installing
from pagetide.exports import grid
from tests.parts import forks
from tests.served import PAGETIDE, Served, serving
from tests.serving import pdf, text_of_page

SCRIPT = Path(__file__).parents[1] / "clients" / "mcp_stdio.py"
SAMPLES = Path(__file__).parents[2] / "samples"
Json = dict[str, Any]
Talk = Callable[..., Json]
MIXED = "mixed.pdf"
PASSWORD = "tide"  # noqa: S105 - of a document made here


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with documents, and beside it one that may not be read."""
    outer = tmp_path_factory.mktemp("mcp")
    (outer / "secret.pdf").write_bytes(pdf(1))
    root = outer / "root"
    root.mkdir()
    (root / MIXED).write_bytes((SAMPLES / MIXED).read_bytes())
    (root / "long.pdf").write_bytes(pdf(300))
    (root / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing follows")
    (root / "locked.pdf").write_bytes(pdf(1, password=PASSWORD))
    (root / "link.pdf").symlink_to(outer / "secret.pdf")
    return root


@pytest.fixture(scope="module")
def talk(clients_python: str, folder: Path) -> Talk:
    """Starts the server below the root, makes calls, and gives what they were answered."""

    def called(
        *calls: object, mode: str = "legacy", options: tuple[str, ...] = (), **more: str
    ) -> Json:
        command = forks.command([*PAGETIDE, "mcp", "--root", str(folder), *options])
        done = forks.run(
            [clients_python, str(SCRIPT), mode, *command],
            input=json.dumps(calls),
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
            env={**os.environ, "PAGETIDE_TEST_MODELS": "yes", **more},
        )
        assert done.returncode == 0, done.stderr[-2000:]
        told: Json = json.loads(done.stdout)
        return told

    return called


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_tools_say_what_they_take(talk: Talk, mode: str) -> None:
    told = talk(mode=mode)
    assert told["name"] == "pagetide"
    assert set(told["tools"]) == {
        "read_document",
        "list_pages",
        "get_page",
        "get_tables",
        "get_chunks",
        "get_fields",
        "extract_values",
        "search_document",
    }
    for schema in told["tools"].values():
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert "source" in schema["required"]
        assert all("$ref" not in str(field) for field in schema["properties"].values())
    assert set(told["tools"]["get_page"]["required"]) == {"source", "page"}


def test_each_tool_tells_of_a_real_document(talk: Talk, folder: Path) -> None:
    first: Json = {"source": MIXED, "pages": "1"}
    told = talk(
        ("read_document", first),
        ("list_pages", {"source": str(folder / MIXED), "pages": "1"}),
        ("get_page", {"source": f"file://{folder / MIXED}", "page": 1, "format": "text"}),
        ("get_page", {"source": MIXED, "page": 1, "format": "json"}),
        ("get_tables", {**first, "format": "json"}),
        ("get_tables", {**first, "format": "csv"}),
        ("get_chunks", {**first, "max_tokens": 200}),
        ("get_fields", first),
        ("search_document", {**first, "text": "TOTAL"}),
        mode="auto",
    )["answers"]
    assert not any(answer["error"] for answer in told)
    document = pagetide.read(folder / MIXED, pages="1")
    (page,) = document.pages
    (_, markdown), *_ = pagetide.export(document, "md")
    read, listed, text, as_json, tables, as_csv, chunks, fields, found = told
    assert read["text"].startswith("mixed.pdf: pages 1 of 7.")
    assert markdown.decode().strip() in read["text"]
    (row,) = listed["fields"]["pages"]
    assert listed["fields"]["page_count"] == 7
    assert (row["page"], row["letters"]) == (1, len(page.text))
    assert page.text in text["text"]
    assert f'"text":{json.dumps(page.lines[0].text)}' in as_json["text"]
    grids = [grid(block.table) for block in page.blocks if block.table]
    assert len(grids) >= 2
    assert [each["rows"] for each in tables["fields"]["tables"]] == grids
    wanted = [each.text for each in document.chunks(max_tokens=200)]
    assert [each["text"] for each in chunks["fields"]["chunks"]] == wanted
    assert all(text in chunks["text"] for text in wanted)
    bill = fields["fields"]["bill"]
    assert bill["fields"]["total"]["normalised"] == "8544.44"
    assert "Invoice number: 2024-00713" in fields["text"]
    assert "WRONG SUM" not in fields["text"]
    begun = as_csv["text"].split("table 1:\n\n", 1)[1]
    assert next(csv.reader(io.StringIO(begun))) == grids[0][0]
    assert found["text"].count("Page 1: …") == " ".join(page.text.split()).lower().count(
        "total"
    )


def says_number(asked: Asked) -> Reply:
    """The invoice's number from its line, and what nobody wrote of everything else."""
    [line] = [key for key, said in pieces_of(asked) if said == "2024-00713"]
    names = asked.body["response_format"]["json_schema"]["schema"]["properties"]
    first, *others = names
    made_up = {name: {"value": "Evil Corp", "lines": [line]} for name in others}
    found = {first: {"value": "2024-00713", "lines": [line]}, **made_up}
    return Reply(text=json.dumps(found))


def test_a_model_server_is_asked_for_values_with_their_proofs(talk: Talk) -> None:
    schema = {"type": "object", "properties": {"no": {"type": "string"}, "by": {}}}
    first: Json = {"source": MIXED, "pages": "1"}
    with FakeVlServer(says_number) as model:
        values, answers, both = talk(
            ("extract_values", {**first, "schema": schema}),
            ("extract_values", {**first, "questions": ["Which number?", "From whom?"]}),
            ("extract_values", {**first, "questions": ["Which?"], "schema": schema}),
            PAGETIDE_EXTRACT_URL=model.url,
        )["answers"]
        assert len(model.asked) == 2
    number, by = values["fields"]["leaves"]
    assert (number["value"], number["standing"], by["value"]) == (
        "2024-00713",
        "grounded",
        None,
    )
    [place] = number["lines"]
    assert (place["page"], len(place["polygon"])) == (1, 4)
    assert (
        f"/no: \"2024-00713\" (grounded; page 1 {place['id']}: '2024-00713')" in values["text"]
    )
    assert 'Which number?: "2024-00713" (grounded' in answers["text"]
    assert "From whom?: null (ungrounded)" in answers["text"]
    assert "Values that are not in the document: 1." in answers["text"]
    assert "Evil" not in json.dumps([values, answers])
    assert both["error"] and both["text"] == "Give either `schema` or `questions`."


def test_without_a_model_server_that_is_said_before_anything_is_read(talk: Talk) -> None:
    [told] = talk(("extract_values", {"source": "broken.pdf", "questions": ["Which?"]}))[
        "answers"
    ]
    assert told["error"] and "set PAGETIDE_EXTRACT_URL" in told["text"]


def test_a_long_document_says_what_is_not_included(talk: Talk) -> None:
    long = {"source": "long.pdf", "model": "fake"}
    first, more, last, all_tables = talk(
        ("read_document", long),
        ("read_document", {**long, "pages": "21-40"}),
        ("read_document", {**long, "pages": "-1"}),
        ("get_tables", long),
    )["answers"]
    assert "pages 1-20 of 300" in first["text"]
    assert "NOT INCLUDED: pages 21-300. Call again with pages='21-40'" in first["text"]
    assert text_of_page(20) in first["text"] and text_of_page(21) not in first["text"]
    assert text_of_page(21) in more["text"] and "pages 21-40 of 300" in more["text"]
    assert text_of_page(300) in last["text"] and "NOT INCLUDED" not in last["text"]
    assert "No tables." in all_tables["text"] and "NOT INCLUDED" in all_tables["text"]


def test_a_page_that_is_too_long_is_cut_and_says_so(talk: Talk) -> None:
    crowded = {"source": "long.pdf", "model": "fake?lines=9000", "page": 1}
    whole, rest = talk(
        ("get_page", {**crowded, "format": "text"}),
        ("get_page", {**crowded, "format": "text", "start": 60_000}),
    )["answers"]
    assert "with start=60000" in whole["text"]
    assert len(whole["text"]) < 61_000
    assert text_of_page(1) in rest["text"]


def test_errors_are_told_in_a_sentence(talk: Talk) -> None:
    wanted = {
        "is not in an allowed folder": ("read_document", {"source": "../secret.pdf"}),
        "not in an allowed folder": ("read_document", {"source": "/etc/hostname"}),
        "link.pdf is not in": ("list_pages", {"source": "link.pdf"}),
        "There is no file gone.pdf": ("list_pages", {"source": "gone.pdf"}),
        "damaged": ("get_page", {"source": "broken.pdf", "page": 1}),
        "password": ("get_page", {"source": "locked.pdf", "page": 1}),
        "page 8": ("get_page", {"source": MIXED, "page": 8}),
        "no model": ("read_document", {"source": MIXED, "model": "none"}),
        "paddlex_config": (
            "read_document",
            {"source": MIXED, "model": "pp-structurev3?paddlex_config=/etc/passwd"},
        ),
        "There is no tool": ("write_document", {"source": MIXED}),
        "unknown field `sauce`": ("get_tables", {"source": MIXED, "sauce": 1}),
        "address": ("read_document", {"source": "http://127.0.0.1:1/x.pdf"}),
    }
    answers = talk(*wanted.values())["answers"]
    for words, answer in zip(wanted, answers, strict=True):
        assert answer["error"], answer
        assert words.lower() in answer["text"].lower()
        assert "\n" not in answer["text"]
    (opened,) = talk(("read_document", {"source": "locked.pdf", "password": PASSWORD}))[
        "answers"
    ]
    assert not opened["error"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), keys=1, idle_s=5) as running:
        yield running


def test_a_server_can_read_for_it_and_is_told_when_a_call_is_given_up(
    talk: Talk, served: Served
) -> None:
    by_server = ("--server", served.url, "--key", served.key, "--model", "fake")
    slow = {"source": "long.pdf", "model": "fake?slow=1"}
    told = talk(
        ("read_document", {"source": "long.pdf", "pages": "7"}),
        {"cancel": ["read_document", slow], "url": served.url, "key": served.key},
        ("read_document", {"source": "long.pdf", "pages": "7"}),
        options=by_server,
    )["answers"]
    assert text_of_page(7) in told[0]["text"]
    assert told[1] == {"status": "cancelled"}
    assert told[2] == told[0]
    wrong = ("--server", served.url, "--key", "pt_00000000_" + "x" * 43)
    (refused,) = talk(("read_document", {"source": MIXED}), options=wrong)["answers"]
    assert refused["error"] and "API key" in refused["text"]


def test_without_the_library_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError('gone', name='mcp')")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = forks.run(
        [sys.executable, "-m", "pagetide", "mcp"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 69
    assert installing("mcp") in done.stderr
    assert done.stdout == ""


def test_it_ends_with_its_input(folder: Path) -> None:
    done = forks.run(
        [*PAGETIDE, "mcp", "--root", str(folder)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert (done.returncode, done.stdout) == (0, b"")
