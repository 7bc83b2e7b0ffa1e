"""Shells complete what the program takes, once it is installed by one command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pagetide.cli import program

MAIN = [sys.executable, "-m", "pagetide"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def install(shell: str) -> list[str]:
    done = CliRunner().invoke(program, ["completion", shell, "--install"])
    assert done.exit_code == 0, done.stderr
    return done.stdout.splitlines()


def test_one_command_installs_it_and_a_second_one_adds_nothing(home: Path) -> None:
    (home / ".bashrc").write_text("alias ll='ls -l'")
    script = home / ".local" / "share" / "pagetide" / "completion.bash"
    assert install("bash") == [str(script), str(home / ".bashrc")]
    assert (home / ".bashrc").read_text() == f"alias ll='ls -l'\nsource {script}\n"
    assert install("bash") == [str(script)]
    assert install("zsh")[1] == str(home / ".zshrc")
    assert install("fish") == [str(home / ".config" / "fish" / "completions" / "pagetide.fish")]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_without_it_the_script_is_printed(shell: str, home: Path) -> None:
    done = CliRunner().invoke(program, ["completion", shell])
    assert done.exit_code == 0 and f"_PAGETIDE_COMPLETE={shell}_complete" in done.stdout
    assert list(home.iterdir()) == []


def test_a_start_up_file_that_cannot_be_written_is_said(home: Path) -> None:
    (home / ".bashrc").mkdir()
    done = CliRunner().invoke(program, ["completion", "bash", "--install"])
    assert done.exit_code == 73
    assert done.stderr.startswith(f"pagetide: {home}/.bashrc cannot be written: ")


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("re", ["read"]),
        ("read --sk", ["--skip-existing"]),
        ("read --model f", [""]),
        ("read --model pp-ocrv", ["pp-ocrv6", "pp-ocrv5"]),
        ("read -f md,h", ["md,html", "md,hocr"]),
        ("read sca", ["left to bash: default"]),
        ("read -o o", ["left to bash: dirnames"]),
    ],
)
def test_bash_completes(words: str, wanted: list[str], home: Path) -> None:
    install("bash")
    called = home / "bin" / "pagetide"
    called.parent.mkdir()
    called.write_text(f'#!/bin/sh\nexec {" ".join(MAIN)} "$@"\n')
    called.chmod(0o755)
    count = len(words.split())
    asked = (
        f"source ~/.bashrc; COMP_WORDS=(pagetide {words}); COMP_CWORD={count};"
        ' compopt() { COMPREPLY=("left to bash: $2"); };'
        ' _pagetide_completion pagetide; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", asked],
        cwd=home,
        env={**os.environ, "HOME": str(home), "PATH": f"{called.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == wanted
