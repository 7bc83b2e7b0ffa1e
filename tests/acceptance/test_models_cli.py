"""`pagetide models` as a user runs it: on a machine that reaches nothing but a folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pagetide.engines.models.manifest import Manifest, ModelFile
from pagetide.engines.models.mirror import MirrorSource
from pagetide.engines.ppocr.inference.weights import bundled
from pagetide.errors import BadOption
from tests.drawing import page_saying
from tests.parts import forks
from tests.parts.clouds import az_url as az_url
from tests.parts.clouds import s3_url as s3_url

Run = Callable[..., subprocess.CompletedProcess[str]]
SAID = "Harbour dues 1,284.50"


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    """A mirror with one model: the bundled recogniser under a name of one's own."""
    folder = tmp_path / "mirror"
    given = tmp_path / "given" / "harbour_rec"
    given.mkdir(parents=True)
    shutil.copy(bundled().recogniser, given / "inference.onnx")
    asked = ("models", "pull", "harbour_rec", "--from", given.parent)
    refused = start(tmp_path / "connected", *asked)
    assert refused.returncode == 69 and "--trust-first-use" in refused.stderr
    assert start(tmp_path / "connected", *asked, "--trust-first-use").returncode == 0
    (tmp_path / "connected" / "models").rename(folder)
    return folder


@pytest.fixture
def run(tmp_path: Path, mirror: Path) -> Run:
    """Runs the program where there is no network, only the mirror."""

    def run(*arguments: object, **settings: str) -> subprocess.CompletedProcess[str]:
        given = {"PAGETIDE_MODELS_MIRROR": mirror.as_uri(), **settings}
        return start(tmp_path / "apart", *arguments, **given)

    return run


def start(home: Path, *arguments: object, **settings: str) -> subprocess.CompletedProcess[str]:
    given = {
        "PAGETIDE_MODELS_DIR": str(home / "models"),
        "PAGETIDE_CACHE_DIR": str(home / "cache"),
        "PAGETIDE_OFFLINE": "yes",
        **settings,
    }
    return forks.run(
        [sys.executable, "-m", "pagetide", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **given},
        timeout=600,
        check=False,
    )


def test_a_machine_apart_pulls_from_a_mirror_and_reads(run: Run, tmp_path: Path) -> None:
    pulled = run("models", "pull", "harbour_rec")
    folder = tmp_path / "apart" / "models" / "harbour_rec"
    assert (pulled.returncode, pulled.stdout) == (0, f"{folder}\n")
    assert "from the mirror file://" in pulled.stderr and "not pinned" in pulled.stderr
    assert run("models", "path", "harbour_rec").stdout == f"{folder}\n"
    assert "harbour_rec" in run("models", "verify").stdout
    listed = run("models").stdout
    (line,) = [line for line in listed.splitlines() if "harbour_rec" in line]
    assert line.split()[1] == "installed" and "your own, trusted on first use" in line
    assert "on first use: harbour_rec" in run("doctor", "--no-self-test").stdout
    picture = tmp_path / "scan.png"
    write(picture)
    read = run("read", picture, "--model", "pp-ocrv6?recogniser=harbour_rec")
    assert (read.returncode, read.stdout.strip()) == (0, SAID)


def test_with_nothing_local_it_is_one_clear_line(run: Run, tmp_path: Path) -> None:
    missing = run("models", "pull", "--lang", "ko")
    assert missing.returncode == 69 and missing.stdout == ""
    assert missing.stderr.splitlines() == [
        "pagetide: korean_PP-OCRv5_mobile_rec was not pulled: the mirror"
        f" file://{tmp_path}/mirror does not have it; PAGETIDE_OFFLINE forbids access"
        " to the hub."
    ]
    picture = tmp_path / "scan.png"
    write(picture)
    read = run("read", picture, "--model", "pp-ocrv6", "--lang", "ko")
    assert read.returncode == 69
    assert "pagetide models pull korean_PP-OCRv5_mobile_rec" in read.stderr


def test_a_changed_file_is_found_and_pulled_anew(run: Run, tmp_path: Path) -> None:
    run("models", "pull", "harbour_rec")
    network = tmp_path / "apart" / "models" / "harbour_rec" / "inference.onnx"
    with network.open("r+b") as file:
        file.write(b"evil")
    wrong = run("models", "verify", "harbour_rec")
    assert wrong.returncode == 69 and "harbour_rec has" not in wrong.stdout
    assert "has changed: its SHA-256 is" in wrong.stderr
    assert "pagetide models pull --again harbour_rec" in wrong.stderr
    assert run("models", "pull", "--again", "harbour_rec").returncode == 0
    assert run("models", "verify", "harbour_rec").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("pull",), 64, "Name a network or a model"),
        (("pull", "PP-OCRv6_medum_rec"), 69, "did you mean PP-OCRv6_medium_rec"),
        (("pull", "../../etc"), 69, "There is no model"),
        (("pull", "--lang", "englisch"), 64, "similar: en"),
        (("path", "PP-OCRv6_medium_rec"), 69, "pagetide models pull PP-OCRv6_medium_rec"),
        (("verify", "PP-OCRv6_medium_rec"), 69, "is not installed"),
        (("remove",), 64, "No such command"),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: tuple[str, ...], code: int, said: str, tmp_path: Path
) -> None:
    result = start(tmp_path, "models", *arguments)
    assert (result.returncode, said in result.stderr) == (code, True), result.stderr


def test_languages_tell_what_reads_them(tmp_path: Path) -> None:
    lines = start(tmp_path, "models", "list", "--languages").stdout.splitlines()
    by_code = {line.split()[0]: line for line in lines}
    assert len(by_code) == len(lines) > 109
    assert "bundled" in by_code["de"]
    assert "korean_PP-OCRv5_mobile_rec" in by_code["korean"] and "missing" in by_code["korean"]
    assert "lacks ả ạ" in by_code["vi"] and "better with paddleocr-vl" in by_code["vi"]


def write(picture: Path) -> None:
    """A picture of one line."""
    import cv2

    page = page_saying(SAID, width=480)
    assert cv2.imwrite(str(picture), page.pixels)


@pytest.mark.parametrize("where", ["az_url", "s3_url"])
def test_a_mirrors_url_says_where_it_is(
    where: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """In which account, at which endpoint: no variable has to say it, as in deploy/azure."""
    url = request.getfixturevalue(where)
    (tmp_path / "harbour_rec").mkdir()
    (tmp_path / "harbour_rec" / "inference.onnx").write_bytes(b"a network")
    digest = hashlib.sha256(b"a network").hexdigest()
    file = ModelFile(path="inference.onnx", size=9, sha256=digest)
    manifest = Manifest(name="harbour_rec", files=(file,))
    assert not MirrorSource(url).holds(manifest)
    MirrorSource(url).put(manifest, tmp_path / "harbour_rec")
    offer = MirrorSource(url).offer("harbour_rec", None)
    assert offer is not None and offer.files == manifest.files
    content = MirrorSource(url).open(offer, file, 2)
    assert b"".join(content.chunks) == b"network"


def test_a_mirrors_url_says_nothing_else() -> None:
    with pytest.raises(BadOption, match="only have account, endpoint, region"):
        MirrorSource("az://models?acount=mine")
