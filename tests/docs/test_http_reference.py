"""The HTTP reference says what the API does: nothing missing, nothing made up."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from pagetide.client.answers import RemoteJob
from pagetide.client.formats import FORMATS
from pagetide.client.problems import KINDS
from pagetide.client.uploads import SubmitOptions
from pagetide.document.kinds import ResultFormat
from pagetide.server.api.answers.wire import JobView
from pagetide.server.api.bodies.job_form import ExtractForm, JobForm, ReadForm
from pagetide.server.api.description.schemas import EVERYWHERE
from pagetide.server.api.problems import Problem
from pagetide.server.jobs.job import JobStatus
from tests.docs.operations import description
from tests.docs.scopes import table as table_of_scopes

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "http.md"
TEXT = PAGE.read_text(encoding="utf-8")
# No server answers with these.
CLIENTS_OWN = {"server_unreachable", "server_error", "would_overwrite"}


@pytest.fixture(scope="module")
def operations() -> dict[str, Any]:
    """What the application declares, by method and path."""
    return {
        f"{method.upper()} {path}": operation
        for path, operations in description()["paths"].items()
        for method, operation in operations.items()
    }


def table(heading: str) -> dict[str, list[str]]:
    """The rows of the table below a heading, by their first cell."""
    section = TEXT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line[:3] == "| `"]
    return {row[0].replace("`", ""): row[1:] for row in rows}


def test_every_route_is_there_with_its_answers(operations: dict[str, Any]) -> None:
    told = {
        route: {int(status) for status in re.findall(r"\d{3}", answers)}
        for route, (_, answers) in table("Routes").items()
    }
    declared = {
        route: {int(status) for status in operation["responses"]} - set(EVERYWHERE)
        for route, operation in operations.items()
    }
    assert told == declared


def test_every_route_is_there_with_its_scopes() -> None:
    page = PAGE.with_name("scopes.md").read_text(encoding="utf-8")
    assert page[page.index("| route") :] == table_of_scopes(), "run `make scopes`"


def test_every_parameter_is_there(operations: dict[str, Any]) -> None:
    declared = {
        parameter["name"]
        for operation in operations.values()
        for parameter in operation.get("parameters", [])
        if parameter["in"] == "query"
    }
    told = {name for names in table("Parameters") for name in names.split(", ")}
    assert told == declared
    assert set(re.findall(r"`(\w+)`", table("Parameters")["format"][1])) == {
        *get_args(ResultFormat)
    }


def test_every_field_is_there_with_its_default() -> None:
    told = table("Submitting")
    kinds = (ReadForm, ExtractForm)
    fields = {field.name: field for kind in kinds for field in msgspec.structs.fields(kind)}
    assert set(told) == {*fields, "file", "name"}
    for name, field in fields.items():
        if isinstance(field.default, str | int | float):
            shown = msgspec.json.encode(field.default).decode().strip('"').removesuffix(".0")
            assert told[name][0] == f"`{shown}`"


def test_every_status_is_there() -> None:
    assert {*get_args(JobStatus)} == set(table("A job"))


def test_every_code_is_there_under_its_status() -> None:
    wanted = defaultdict(set)
    for code, kind in KINDS.items():
        if code not in CLIENTS_OWN:
            wanted[str(kind.http_status)].add(code)
    told = {
        status: set(re.findall(r"\w+", codes)) for status, (codes,) in table("Errors").items()
    }
    assert told == wanted


def test_the_examples_have_the_fields_that_answers_have() -> None:
    job, problem = map(json.loads, re.findall(r"```json\n(.*?)```", TEXT, re.S))
    assert set(job) == set(JobView.__struct_fields__) - {"result_url"}
    assert list(problem) == list(Problem.__struct_fields__)


def test_the_client_knows_all_that_the_api_knows() -> None:
    assert set(JobView.__struct_fields__) <= set(RemoteJob.__struct_fields__)
    given_elsewhere = {"name", "idempotency_key"}
    assert set(SubmitOptions.__annotations__) - given_elsewhere == {
        *set(JobForm.__struct_fields__) - {"file_url", "upload"}
    }
    assert set(FORMATS) == set(get_args(ResultFormat))
