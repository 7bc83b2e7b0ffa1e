"""`pip install` of the project ends with one OpenCV that works where there is no display.

Packages that read documents pull different OpenCV wheels; all of them install the same `cv2`,
each over the last one, and those with windows need libraries that a server does not have.
"""

from __future__ import annotations

import email
import importlib.metadata
import json
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from email.message import Message
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).parents[2]
SAMPLE = PROJECT / "samples" / "receipt.jpg"
HEADLESS = "opencv-python-headless"
# PaddleOCR's own requirements hold two OpenCVs: it has an environment of its own, and a lock.
APART = {"paddle"}
DISPLAY = re.compile(r"lib(GL|EGL|X11|xcb|Qt|gtk|gdk)", re.IGNORECASE)
# All that a process without a display has to know of the machine.
BARE = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}


EMPTY = pytest.mark.slow("installs into an empty environment")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(PROJECT))
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)]
    subprocess.run(command, cwd=PROJECT, capture_output=True, check=True)
    [built] = folder.glob("*.tar.gz")
    return built


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        return email.message_from_bytes(archive.read(name))


def pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    ended = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
    if ended.returncode and "connection" in ended.stderr.lower():
        pytest.skip("The package index cannot be reached.")
    assert ended.returncode == 0, ended.stderr
    return ended


def needed(requirements: list[str]) -> set[str]:
    """What must be installed for these: the names here, and all that these need in turn."""
    seen: set[tuple[str, str]] = set()
    waiting = [("", text) for text in requirements]
    while waiting:
        asked_with, text = waiting.pop()
        wanted = Requirement(text)
        if wanted.marker and not wanted.marker.evaluate({"extra": asked_with}):
            continue
        name = canonicalize_name(wanted.name)
        for extra in {"", *wanted.extras}:
            if (name, extra) not in seen:
                seen.add((name, extra))
                waiting += [(extra, each) for each in importlib.metadata.requires(name) or []]
    return {name for name, _ in seen}


def test_what_the_project_needs_holds_one_opencv(metadata: Message) -> None:
    names = needed(metadata.get_all("Requires-Dist", []))
    assert {name for name in names if "opencv" in name} == {HEADLESS}


def test_one_distribution_here_gives_cv2() -> None:
    assert importlib.metadata.packages_distributions()["cv2"] == [HEADLESS]


def test_the_lock_holds_one_opencv() -> None:
    lock = (PROJECT / "requirements.lock").read_text(encoding="utf-8")
    assert re.findall(r"^(\S*opencv\S*)==", lock, re.MULTILINE) == [HEADLESS]


@EMPTY
def test_every_extra_resolves_to_one_opencv(
    wheel: Path, metadata: Message, tmp_path: Path
) -> None:
    """All extras at once: what any of them needs is among it."""
    extras = ",".join(sorted(set(metadata.get_all("Provides-Extra", [])) - APART))
    report = tmp_path / "report.json"
    pip(
        *("install", "--dry-run", "--ignore-installed", "--retries", "3", "--timeout", "15"),
        *("--report", str(report), f"{wheel}[{extras}]"),
    )
    resolved = {
        canonicalize_name(item["metadata"]["name"])
        for item in json.loads(report.read_text(encoding="utf-8"))["install"]
    }
    assert {"pagetide", "onnxruntime"} <= resolved
    assert {name for name in resolved if "opencv" in name} == {HEADLESS}


def test_cv2_asks_for_no_display() -> None:
    files = importlib.metadata.files(HEADLESS) or []
    libraries = [Path(str(f.locate())) for f in files if re.search(r"\.so(\.|$)", f.name)]
    assert any(library.name.startswith("cv2.") for library in libraries)
    for library in libraries:
        command = ["ldd", str(library)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        needs = [line.split()[0] for line in printed.splitlines()]
        assert not [name for name in needs if DISPLAY.match(name)], library
        assert "not found" not in printed, library


def test_the_sdist_makes_the_same_wheel(wheel: Path, sdist: Path, tmp_path: Path) -> None:
    pip("wheel", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(sdist))
    assert wheel.name.endswith("-py3-none-any.whl")  # which needs no compiler
    ours, made = (
        {each.filename: each.CRC for each in zipfile.ZipFile(path).infolist()}
        for path in (wheel, tmp_path / wheel.name)
    )
    assert ours == made


@EMPTY
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_a_bare_environment_reads_a_picture(
    kind: str, metadata: Message, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The package and what it needs, nothing else of this environment, no display."""
    package: Path = request.getfixturevalue(kind)
    site = bare_environment(tmp_path / "env")
    install = ("install", "--no-deps", "--no-index", "--no-build-isolation")
    pip(*install, "--target", str(site), str(package))
    for name in needed(metadata.get_all("Requires-Dist", [])):
        link(importlib.metadata.distribution(name), site)
    code = (
        "import cv2, importlib.metadata as m, numpy, pagetide, sys\n"
        "assert cv2.resize(numpy.zeros((4, 4), numpy.uint8), (2, 2)).shape == (2, 2)\n"
        f"assert m.packages_distributions()['cv2'] == ['{HEADLESS}']\n"
        "assert pagetide.__file__.startswith(sys.prefix), pagetide.__file__\n"
        "print(len(pagetide.read(sys.argv[1]).pages[0].lines))\n"
    )
    python = [str(tmp_path / "env" / "bin" / "python"), "-c", code, str(SAMPLE)]
    home = {**BARE, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    ended = subprocess.run(python, env=home, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) > 10


def bare_environment(folder: Path) -> Path:
    """An environment without a package; gives where packages go."""
    venv.create(folder, with_pip=False)
    place = sysconfig.get_path("purelib", "venv", {"base": str(folder)})
    return Path(place)


def link(distribution: importlib.metadata.Distribution, site: Path) -> None:
    """Have a distribution of this environment in another one, without copying it."""
    for top in {file.parts[0] for file in distribution.files or []} - {"..", "__pycache__"}:
        place = site / top
        if not place.exists():
            place.symlink_to(Path(str(distribution.locate_file(top))))
