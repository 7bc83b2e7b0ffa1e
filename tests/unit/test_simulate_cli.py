"""`pagetide simulate` on the command line."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pagetide.cli import program
from pagetide.server.scaling.simulate.workers.machine import Machine

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "simulate.md"
LITTLE = ("--pages-a-month", "100000", "--days", "0.5")


def simulate(*words: str) -> Result:
    return CliRunner().invoke(program, ["simulate", *words])


def test_it_shows_what_comes_of_a_day() -> None:
    result = simulate(*LITTLE)
    assert result.exit_code == 0
    assert "cost per 1,000 pages" in result.stdout
    assert "Price: ec2-c6i.large, $0.085/h (" in result.stdout


def test_the_same_seed_shows_the_same() -> None:
    assert simulate(*LITTLE, "--seed", "3").stdout == simulate(*LITTLE, "--seed", "3").stdout
    assert simulate(*LITTLE, "--seed", "3").stdout != simulate(*LITTLE, "--seed", "4").stdout


def test_several_in_one_table() -> None:
    result = simulate(
        *LITTLE, "--policy", "fixed:replicas=2", "--compare", "keda", "--compare", "two-clouds"
    )
    assert result.exit_code == 0
    rows = [line.split()[0] for line in result.stdout.splitlines()[1:4]]
    assert rows == ["fixed:replicas=2", "keda", "two-clouds"]
    assert "no price known" in result.stdout  # of two-clouds


def test_a_setup_as_it_is_beside_the_same_one_as_it_was_changed() -> None:
    both = json.loads(
        simulate(*LITTLE, "--page-s", "3", "--compare", "kubernetes-cpu", "--json").stdout
    )
    assert list(both) == ["kubernetes-cpu", "kubernetes-cpu (2)"]
    assert both["kubernetes-cpu"]["busy_s"] > 4 * both["kubernetes-cpu (2)"]["busy_s"]


def test_a_trace_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text("at_s,pages,pool\n0,2,cpu\n3,1,gpu\n")
    result = simulate(
        "--trace", str(path), "--pool", "gpu", "--policy", "fixed", "--page-s", "2.5", "--json"
    )
    found = json.loads(result.stdout)["fixed"]
    assert (found["jobs"], found["pages"], found["wait_p95_s"]) == (1, 1, 2.5)
    assert "waits_s" not in found


def test_a_wrong_line_of_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text("at_s,pages\n0,2\n3,many\n")
    result = simulate("--trace", str(path))
    assert result.exit_code == 64
    assert result.stderr == f"pagetide: {path}, line 3: at_s and pages must be numbers.\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--trace", "dayly"], "did you mean daily"),
        (["--setup", "boxx"], "did you mean box"),
        (["--policy", "kedda"], "did you mean keda"),
        (["--policy", "keda:targ=1"], "did you mean target"),
        (["--compare", "nothing"], "There is no policy 'nothing'"),
        (["--price", "gold"], "There is no price 'gold'"),
        (["--price", "-1"], "dollars per hour, 0 or more"),
        (["--price", "nan"], "dollars per hour, 0 or more"),
        (["--machine", "lane=2"], "A worker has no 'lane'"),
        (["--machine", "lanes=two"], "lanes must be a number"),
        (["--machine", "keeps_pages=maybe"], "keeps_pages must be yes or no"),
        (["--page-s", "0"], "needs a page time above 0"),
        (["--plot", "out.pdf"], "needs a .png or .html file"),
        (["--plot", "nowhere/out.png"], "cannot be written: its folder does not exist"),
        (["--calibration", "nowhere.toml"], "cannot be read: No such file"),
        (["--policy", ""], "There is no policy ''"),
        (["--machine", "hear_s=nan"], "hear_s of a worker cannot be nan"),
        (["--machine", "leave_s=-5"], "leave_s of a worker cannot be -5"),
        (["--machine", "held=0"], "a task to hold"),
        (["--cold-start-s", "inf"], "cold_start_s of a worker cannot be inf"),
        (["--seed", "-1"], "--seed"),
        (
            ["--recommend", "--p95", "9", "--plot", "a.png"],
            "--plot works only with a plain replay",
        ),
        (["--recommend", "--p95", "9", "--json"], "--json works only with a plain replay"),
        (
            ["--recommend", "--p95", "9", "--compare", "keda"],
            "--compare works only with a plain replay",
        ),
        (["--p95", "9"], "--p95 works only with --recommend"),
        (["--save", "a.toml"], "--save works only with --calibrate"),
        (["--sample", "a.pdf"], "--sample works only with --calibrate"),
        (["--pool", "gpu"], "--pool works only with a file as --trace"),
        (["--recommend"], "needs a goal: --p95 SECONDS"),
        (["--recommend", "--p95", "9", "--setup", "gpu-box"], "add --price USD"),
        (["--pages-a-month", "1e12"], "fewer days, or more pages per job"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(words: list[str], said: str) -> None:
    result = simulate(*LITTLE, *words)
    assert result.exit_code != 0
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_what_a_worker_is_can_be_said(tmp_path: Path) -> None:
    path = tmp_path / "here.toml"
    path.write_text("page_s = 4.0\ncold_start_s = 9.0\n")
    result = simulate(
        *LITTLE, "--calibration", str(path), "--page-s", "3", "--machine", "lanes=2"
    )
    assert "A worker: 3 s per page, 9 s to start, 2 read at once" in result.stdout


@pytest.mark.parametrize(("name", "begins"), [("a.png", b"\x89PNG"), ("a.html", b"<!doctype")])
def test_it_is_drawn(tmp_path: Path, name: str, begins: bytes) -> None:
    path = tmp_path / name
    assert simulate(*LITTLE, "--compare", "fixed", "--plot", str(path)).exit_code == 0
    assert path.read_bytes().startswith(begins)


def test_it_recommends() -> None:
    result = simulate(*LITTLE, "--recommend", "--p95", "90", "--tries", "12")
    assert result.exit_code == 0
    assert "P95 of 90 s: reached" in result.stdout
    assert "Searched: most, target, cooldown_s, least" in result.stdout
    assert "Not searched:" in result.stdout


def test_setups_and_prices_are_listed() -> None:
    shown = simulate("--list").stdout
    assert "kubernetes-hpa: " in shown
    assert "container-apps-t4: no price known" in shown
    assert "sagemaker-ml.g5.xlarge: $1.41/h" in shown


def told() -> Iterator[tuple[str, str]]:
    """Each command that the guide shows, and what it says comes of it."""
    for block in re.findall(r"```console\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S):
        for part in re.split(r"^\$ pagetide simulate ", block, flags=re.M)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown.rstrip("\n")


@pytest.mark.parametrize(("command", "shown"), list(told()))
def test_the_guide_shows_what_really_comes(command: str, shown: str) -> None:
    result = simulate(*shlex.split(command))
    assert result.stdout.rstrip("\n") == shown


def test_the_guide_tells_of_everything_about_a_worker() -> None:
    table = re.findall(r"^\| (`.*?) \|", GUIDE.read_text(encoding="utf-8"), re.M)
    named = {name for row in table for name in re.findall(r"`(\w+)`", row)}
    assert named == {each.name for each in fields(Machine)}
