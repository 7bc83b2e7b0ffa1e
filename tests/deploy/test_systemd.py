"""The units of systemd: sound, confined, and what they say is what the program takes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pagetide.settings import Settings
from tests.docs.test_reference import options_of
from tests.parts.fixtures import required

UNITS = Path(__file__).parents[2] / "deploy" / "systemd"
PROGRAM = "/opt/pagetide/bin/pagetide"
STARTED = (
    "pagetide-serve.service",
    "pagetide-worker@cpu.service",
    "pagetide-autoscaler.service",
)
DROP_IN = (UNITS / "pagetide-.service.d" / "10-all.conf").read_text()
# What the process that opens documents shuts itself in with: `pagetide.inputs.confinement`.
SHUTTING = {
    *("unshare", "capset", "prctl", "prlimit64", "seccomp"),
    *("landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"),
}


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The units, with this environment's program."""
    shutil.copytree(UNITS, tmp_path, dirs_exist_ok=True)
    for unit in tmp_path.glob("*.service"):
        ours = str(Path(sys.prefix) / "bin" / "pagetide")
        unit.write_text(unit.read_text().replace(PROGRAM, ours))
    return tmp_path


def analyze(*words: str, units: Path | None = None) -> str:
    if shutil.which("systemd-analyze") is None:
        required("systemd-analyze is missing: `apt-get install systemd` installs it")
    done = subprocess.run(
        ["systemd-analyze", *words],
        cwd=units,
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{units}:", "SYSTEMD_COLORS": "0"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_every_unit_is_here() -> None:
    kinds = {re.sub("@cpu", "@", name) for name in STARTED}
    assert kinds == {unit.name for unit in UNITS.glob("*.service")}


@pytest.mark.parametrize("unit", STARTED)
def test_a_unit_is_sound(unit: str, units: Path) -> None:
    assert (
        analyze("verify", "--man=no", "--recursive-errors=one", f"./{unit}", units=units) == ""
    )


@pytest.mark.parametrize("unit", STARTED)
def test_a_unit_is_confined(unit: str, units: Path) -> None:
    file = unit.replace("@cpu", "@")
    said = analyze("security", "--offline=yes", "--threshold=22", f"./{file}", units=units)
    assert "Overall exposure level" in said


def calls(named: str) -> set[str]:
    """The system calls of a set of systemd's, and of the sets in it."""
    lines = {line.strip() for line in analyze("syscall-filter", named).splitlines()[1:]}
    sets = {line for line in lines if line.startswith("@")}
    return lines - sets | {call for each in sets for call in calls(each)}


def test_what_opens_documents_can_shut_itself_in() -> None:
    allowed = {
        call
        for words in re.findall(r"^SystemCallFilter=(.+)$", DROP_IN, re.M)
        for word in words.split()
        for call in (calls(word) if word.startswith("@") else {word})
    }
    assert allowed >= SHUTTING
    assert "mount" not in allowed and "bpf" not in allowed
    assert "RestrictNamespaces=user net ipc\n" in DROP_IN


@pytest.mark.parametrize("unit", STARTED)
def test_the_program_takes_what_a_unit_says(unit: str, tmp_path: Path) -> None:
    text = (UNITS / unit.replace("@cpu", "@")).read_text().replace("%i", "cpu")
    [command] = re.findall(rf"^ExecStart={PROGRAM} (.+)$", text, re.M)
    used, known = options_of(command)
    assert used <= known
    (tmp_path / "pagetide.toml").touch()
    (tmp_path / "secrets").mkdir()
    said = dict(re.findall(r"^Environment=(\w+)=(\S+)$", DROP_IN + text, re.M))
    places = {name: each.replace("/etc/pagetide", str(tmp_path)) for name, each in said.items()}
    settings = Settings.from_environment(places)
    assert settings.sandbox == "require" and settings.data_dir == "/var/lib/pagetide"
    [grace] = re.findall(r"^TimeoutStopSec=(\d+)$", text, re.M)
    assert float(grace) > settings.drain_s


def test_the_user_can_be_made(tmp_path: Path) -> None:
    if shutil.which("systemd-sysusers") is None:
        required("systemd-sysusers is missing: `apt-get install systemd` installs it")
    (tmp_path / "etc").mkdir()
    file = str(UNITS / "pagetide.sysusers")
    subprocess.run(["systemd-sysusers", f"--root={tmp_path}", file], check=True)
    assert "pagetide:" in (tmp_path / "etc" / "passwd").read_text()


def test_the_guide_lays_it_out(tmp_path: Path) -> None:
    """Its commands, in a folder that stands for the machine's root; no service is started."""
    if shutil.which("systemd-sysusers") is None:
        required("systemd-sysusers is missing: `apt-get install systemd` installs it")
    text = (UNITS.parents[1] / "docs" / "how-to" / "systemd.md").read_text()
    [block] = re.findall(r"^## Install\n.*?^```sh\n(.*?)^```", text, re.M | re.S)
    laid_out = ("install ", "cp ", "systemd-")
    script = [each for each in block.splitlines() if each.startswith(laid_out)]
    assert len(script) == 5
    done = "\n".join(script).replace("/etc/", f"{tmp_path}/etc/").replace(" -g pagetide", "")
    done = done.replace("systemd-sysusers", f"systemd-sysusers --root={tmp_path}")
    (tmp_path / "etc" / "systemd" / "system").mkdir(parents=True)
    subprocess.run(["bash", "-euc", done], cwd=UNITS.parents[1], check=True)
    made = {path.name for path in (tmp_path / "etc" / "systemd" / "system").iterdir()}
    assert made == {path.name for path in UNITS.iterdir()} - {"pagetide.sysusers"}
    assert "pagetide:" in (tmp_path / "etc" / "passwd").read_text()
    assert (tmp_path / "etc" / "pagetide" / "secrets").stat().st_mode & 0o777 == 0o750
