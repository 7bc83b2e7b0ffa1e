"""The loaders in other people's packages, against a server on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest

from tests.served import serving
from tests.serving import pdf, text_of_page

ROOT = Path(__file__).parents[2]
CLIENTS = ROOT / ".venv-clients" / "bin" / "python"
LONG = 150  # pages


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("data"), keys=0) as running:
        yield running.url


SLOW = pytest.mark.slow("imports one more framework of many modules")


@pytest.fixture(
    params=[
        "langchain_loader",
        pytest.param("llama_index_reader", marks=SLOW),
        pytest.param("haystack_converter", marks=SLOW),
    ]
)
def script(request: pytest.FixtureRequest) -> Path:
    """A script that loads with one of them; skipped where `make clients` was not run."""
    if not CLIENTS.exists():
        missing = "other people's clients are not installed: `make clients` installs them"
        if os.environ.get("PAGETIDE_TEST_REQUIRE") == "all":
            pytest.fail(missing)
        pytest.skip(missing)
    return ROOT / "tests" / "clients" / f"{request.param}.py"


def load(script: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    ours = distribution("pagetide")
    installed = Path(str(ours.locate_file(f"pagetide-{ours.version}.dist-info")))
    with tempfile.TemporaryDirectory() as named:
        # Its client tells servers its version, so it must look installed there.
        Path(named, installed.name).symlink_to(installed)
        return _run(script, arguments, f"{ROOT / 'src'}:{named}")


def _run(
    script: Path, arguments: tuple[object, ...], path: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(CLIENTS), str(script), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path, "HAYSTACK_TELEMETRY_ENABLED": "no"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def pages_of(done: subprocess.CompletedProcess[str]) -> list[tuple[str, dict[str, Any]]]:
    assert done.returncode == 0, done.stderr
    return [(text, known) for text, known in json.loads(done.stdout)]


def test_a_long_document_comes_whole_and_each_page_says_what_it_is(
    script: Path, url: str, tmp_path: Path
) -> None:
    source = tmp_path / "scan.pdf"
    source.write_bytes(pdf(LONG))
    pages = pages_of(load(script, url, source, "model=fake"))
    assert [text for text, _ in pages] == [text_of_page(n) for n in range(1, LONG + 1)]
    assert [known["page"] for _, known in pages] == list(range(1, LONG + 1))
    for _, known in pages:
        assert known["source"] == str(source)
        assert (known["model"], known["page_count"]) == ("fake", LONG)
        assert known["job"].startswith("job_")
        assert 0 < known["confidence"] <= 1


def test_chunks_and_whole_documents_come_too(script: Path, url: str, tmp_path: Path) -> None:
    source = tmp_path / "scan.pdf"
    source.write_bytes(pdf(3))
    ((text, known),) = pages_of(load(script, url, source, "model=fake", "by=document"))
    assert all(text_of_page(n) in text for n in (1, 2, 3)) and known["page_count"] == 3
    ((text, known),) = pages_of(load(script, url, source, "model=fake", "by=chunk"))
    assert text_of_page(3) in text and (known["page"], known["pages"]) == (1, "1-3")


def test_what_cannot_be_read_is_told_in_one_sentence(
    script: Path, url: str, tmp_path: Path
) -> None:
    source = tmp_path / "note.pdf"
    source.write_bytes(b"no document")
    done = load(script, url, source, "model=fake")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1].startswith(
        "unsupported_type: The input is neither a PDF nor a picture of a supported"
        " type; PDF, PNG, "
    )
