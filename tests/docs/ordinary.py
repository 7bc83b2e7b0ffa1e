"""Programs that every reader has or is told to install; most are run on an example of ours."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

from tests.docs.programs import of_pagetide
from tests.docs.shell import Command


def of_shell(command: Command) -> None:
    """The word is the shell's own; how it stands in its block is read by the shell itself."""
    kind = _out("bash", "-c", 'type -t -- "$0"', command.words[0])
    assert kind.strip() in ("builtin", "keyword"), kind


def of_apt(command: Command) -> None:
    """Debian has the packages, and would install them."""
    _out("apt-get", "--simulate", "--quiet", *command.words[1:])


def of_git(command: Command) -> None:
    """It is run, on a repository of its own in the place of ours."""
    with tempfile.TemporaryDirectory() as folder:
        origin, clone = Path(folder) / "origin", Path(folder) / "clone"
        _out("git", "init", "--quiet", str(origin))
        who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        _out("git", "-C", str(origin), *who, "commit", "--quiet", "--allow-empty", "-m", "a")
        _out("git", "clone", "--quiet", str(origin), str(clone))
        match command.words[1:]:
            case ("clone", _):
                assert (clone / ".git").is_dir()
            case words:
                _out("git", "-C", str(clone), *words)


def of_jq(command: Command) -> None:
    """Its filter is run on results in JSON, and picks the one that failed."""
    results = [{"status": status, "source": status} for status in ("succeeded", "failed")]
    told = "\n".join(json.dumps(each) for each in results)
    assert _out(*command.words, given=told) == "failed\n"


def of_claude(command: Command) -> None:
    """It is told a name, and behind `--` a command that `pagetide` takes."""
    mcp, add, name, dashes, *words = command.words[1:]
    assert (mcp, add, name, dashes, words[0]) == ("mcp", "add", "pagetide", "--", "pagetide")
    of_pagetide(Command(command.page, tuple(words)))


def _out(*words: str, given: str = "") -> str:
    done = subprocess.run(words, input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
