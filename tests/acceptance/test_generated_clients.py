"""Clients in other languages, generated from the description that a running server gives."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagetide import Document
from tests.parts.fixtures import required
from tests.served import Served, serving
from tests.serving import pdf

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "tests" / "clients"
PACKAGE = ROOT / "clients" / "typescript"
GENERATOR = "starts a generator in Java"
# Pictures are bytes; and what nobody will read need not be put into shape.
AS_BYTES = ("image/png", "application/jsonl")
CONFIGURATION = json.dumps(
    {
        "content_type_overrides": dict.fromkeys(AS_BYTES, "application/octet-stream"),
        "post_hooks": [],
    }
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), idle_s=30) as running:
        yield running


@pytest.fixture(scope="module")
def description(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Path:
    kept = tmp_path_factory.mktemp("description") / "openapi.json"
    kept.write_bytes(httpx.get(f"{served.url}/openapi.json").content)
    return kept


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("documents")
    (folder / "some.pdf").write_bytes(pdf(3))
    (folder / "broken.pdf").write_bytes(b"nothing that is known")
    return [str(folder / "some.pdf"), str(folder / "broken.pdf")]


def run(*command: str, **options: Any) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return str(ended.stdout)


def check(answers: list[dict[str, Any]], served: Served) -> None:
    """What a client got is what the server has."""
    headers = {"Authorization": f"Bearer {served.key}"}
    with httpx.Client(base_url=served.url, headers=headers) as own:
        jobs = own.get("/v1/jobs").json()["jobs"]
        job = next(each for each in jobs if each["source"]["name"] == "some.pdf")
        document = Document.from_json(own.get(f"/v1/jobs/{job['id']}/result").content)
        markdown = own.get(f"/v1/jobs/{job['id']}/result?format=md").text
    first = document.pages[0]
    assert answers == [
        {
            "status": "succeeded",
            "lines": [line.text for line in first.lines],
            "pages": 2,
            "corner": [*first.lines[0].polygon[0]],
            "markdown": markdown,
        },
        {"refused": "unsupported_type"},
    ]


def test_one_generated_for_python_submits_waits_and_fetches(
    served: Served, description: Path, documents: list[str], clients_python: str, tmp_path: Path
) -> None:
    (tmp_path / "settings.yml").write_text(CONFIGURATION)
    generate = [str(Path(clients_python).with_name("openapi-python-client")), "generate"]
    generate += ["--path", str(description), "--config", str(tmp_path / "settings.yml")]
    run(*generate, "--output-path", str(tmp_path / "made"), "--fail-on-warning")
    answers = run(
        *(clients_python, str(SCRIPTS / "generated_python.py"), served.url, served.key),
        input=json.dumps(documents),
        env={**os.environ, "PYTHONPATH": str(tmp_path / "made")},
    )
    check(json.loads(answers), served)


def test_that_in_typescript_submits_waits_and_fetches(
    served: Served, description: Path, documents: list[str], tmp_path: Path
) -> None:
    """Its types are generated and checked by the compiler, and Node runs it."""
    if not (PACKAGE / "node_modules" / "ready").exists():
        required("what writes the client in TypeScript is missing: `make clients` installs it")
    built = tmp_path / "typescript"
    shutil.copytree(PACKAGE, built, ignore=shutil.ignore_patterns("node_modules", "dist"))
    (built / "node_modules").symlink_to(PACKAGE / "node_modules")
    run("npm", "run", "generate", "--", str(description), cwd=built)
    run("npm", "run", "build", cwd=built)
    said = run(
        *("node", str(SCRIPTS / "typescript_client.mjs"), str(built / "dist")),
        *(served.url, served.key),
        input=json.dumps(documents),
    )
    told = json.loads(said)
    check(told["answers"], served)
    assert told["reviewed"] == {
        "job": True,
        "state": "corrected",
        "by": "Ann",
        "found": {"refused": "model_unavailable"},
    }


@pytest.mark.parametrize(
    ("language", "wanted"),
    [
        pytest.param("java", "**/JobsApi.java", marks=pytest.mark.slow(GENERATOR)),
        pytest.param("go", "api_jobs.go", marks=pytest.mark.slow(GENERATOR)),
    ],
)
def test_a_generator_of_many_languages_takes_the_description(
    language: str, wanted: str, description: Path, clients_python: str, tmp_path: Path
) -> None:
    generator = str(Path(clients_python).with_name("openapi-generator-cli"))
    run(generator, "generate", "-g", language, "-i", str(description), "-o", str(tmp_path))
    [made] = tmp_path.glob(wanted)
    assert "submitJob" in made.read_text() or "SubmitJob" in made.read_text()
