"""`make` installs what a lock names, whatever has been released since it was written."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path

PROJECT = Path(__file__).parents[2]
INSTALL = re.compile(r"^INSTALL := install (.+)$", re.MULTILINE)
LISTS = re.compile(r"^\t.* -r \S+$", re.MULTILINE)


def wheel(folder: Path, name: str, version: str, *metadata: str) -> str:
    """Make a package of nothing in `folder`; gives its line of a lock."""
    info = f"{name}-{version}.dist-info"
    path = folder / f"{name}-{version}-py3-none-any.whl"
    said = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *metadata]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{info}/METADATA", "\n".join(said) + "\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


def test_a_newer_release_of_what_is_wanted_with_an_extra_is_passed_over(tmp_path: Path) -> None:
    """Resolved, pip takes the newer one, which no line of the lock pins, and refuses it."""
    [options] = INSTALL.findall((PROJECT / "Makefile").read_text(encoding="utf-8"))
    lines = wheel(tmp_path, "wanting", "1.0", "Requires-Dist: wanted[more]>=1.0")
    lines += wheel(tmp_path, "wanted", "1.0", "Provides-Extra: more")
    wheel(tmp_path, "wanted", "2.0", "Provides-Extra: more")
    lock = tmp_path / "a.lock"
    lock.write_text(lines, encoding="utf-8")
    where = ["--no-index", "--find-links", str(tmp_path), "--target", str(tmp_path / "site")]
    command = [sys.executable, "-m", "pip", "install", *options.split(), *where]
    ended = subprocess.run([*command, "-r", str(lock)], capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr.decode()
    assert {one.name for one in (tmp_path / "site").glob("*-info")} == {
        "wanting-1.0.dist-info",
        "wanted-1.0.dist-info",
    }


def test_every_lock_of_make_is_installed_so() -> None:
    commands = LISTS.findall((PROJECT / "Makefile").read_text(encoding="utf-8"))
    assert len(commands) > 2
    assert [one for one in commands if "pip $(INSTALL) " not in one] == []
