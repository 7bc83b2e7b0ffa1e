"""The files for a public host: of the right form, and in step with the project."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.parts.fixtures import required

ROOT = Path(__file__).parents[2]
HOST = ROOT / ".github"
CHECKER = ROOT / ".venv-docs" / "bin" / "check-jsonschema"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
VERSION = PROJECT["version"]


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-workflows", ".github/workflows/*.yml"),
        ("vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/[0-9]*.yml"),
        ("vendor.github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
        ("vendor.citation-file-format", "CITATION.cff"),
    ],
)
def test_they_are_what_the_host_takes(schema: str, files: str) -> None:
    if not CHECKER.exists():
        required("what checks them is missing: `make docs-env` installs it")
    found = sorted(ROOT.glob(files))
    assert found
    command = [str(CHECKER), "--builtin-schema", schema, *map(str, found)]
    checked = subprocess.run(command, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


def commands() -> Iterator[str]:
    """What the workflows run."""
    for workflow in (HOST / "workflows").glob("*.yml"):
        for job in yaml.safe_load(workflow.read_text())["jobs"].values():
            yield from (step["run"] for step in job["steps"] if "run" in step)


def test_what_the_workflows_run_is_there() -> None:
    run = "\n".join(commands())
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    assert set(re.findall(r"\bmake ([a-z-]+)", run)) == {"check", "docs"} <= targets
    assert "bash .ci/run" in run
    for path in re.findall(
        r"\b(?:deploy|samples)/[\w./-]+", run.replace("${{ matrix.image }}", "api")
    ):
        assert (ROOT / path).exists(), path


def test_they_begin_with_the_oldest_python_that_is_taken() -> None:
    jobs = yaml.safe_load((HOST / "workflows" / "ci.yml").read_text())["jobs"]
    assert PROJECT["requires-python"] == f">={jobs['test']['strategy']['matrix']['python'][0]}"


def test_a_commit_is_checked_by_the_ruff_that_checks_all() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    [ruff] = [each["rev"] for each in hooks if "ruff" in each["repo"]]
    assert f"\nruff=={ruff.removeprefix('v')} " in (ROOT / "requirements.lock").read_text()


def test_every_version_is_the_same() -> None:
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == VERSION
    package = (ROOT / "clients" / "typescript" / "package.json").read_text()
    assert f'"version": "{VERSION}"' in package
    assert f"## {VERSION} " in (ROOT / "CHANGELOG.md").read_text()
