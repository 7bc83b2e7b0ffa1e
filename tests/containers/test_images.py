"""The images: what they say of themselves, what is in them, and that they run locked up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.containers.podman import CHECKOUT, LOCKED_UP, Podman
from tests.waiting import until

SAMPLES = CHECKOUT / "samples"
ANYBODY = ("--user=12345", *LOCKED_UP)
MB = 1_000_000
RUNTIMES = ("openvino", "onnxruntime", "rapidocr", "cv2", "onnx")
# Beside the base. A new version of a package may take more: look at what, then raise it.
MOST_MB = {"api": 290, "worker": 560}

# Which requirement of which package is not there.
ASKED_FOR = """
import importlib.metadata as md, re
have = {re.sub("[-_.]+", "-", d.metadata["Name"]).lower() for d in md.distributions()}
from packaging.requirements import Requirement
print(sorted(
    f"{d.metadata['Name']} -> {r.name}"
    for d in md.distributions() for r in map(Requirement, d.requires or ())
    if (r.marker is None or r.marker.evaluate({"extra": ""}))
    and re.sub("[-_.]+", "-", r.name).lower() not in have
))"""


@pytest.fixture
def volume(podman: Podman) -> Iterator[str]:
    """A volume for the jobs of a test."""
    name = podman.told("volume", "create")
    yield name
    podman.run("volume", "rm", "--force", name, check=False)


@pytest.fixture(params=["api", "worker"])
def image(request: pytest.FixtureRequest) -> str:
    built: str = request.getfixturevalue(request.param)
    return built


class TestWhatTheySay:
    def test_who_runs_what(self, podman: Podman, image: str) -> None:
        whole = podman.inspect(image)
        config = whole["Config"]
        assert config["User"] == "10001:0"
        assert config["Entrypoint"] == ["python", "-P", "-m", "pagetide"]
        assert config["StopSignal"] in ("SIGTERM", "15")
        assert config["Labels"]["org.opencontainers.image.version"] == "0.1.0"
        assert whole["Healthcheck"]["Test"][0] == "CMD", "the probe would need a shell"

    def test_nothing_of_this_machine_is_in_them(self, podman: Podman, image: str) -> None:
        whole = json.dumps(podman.inspect(image))
        assert "pip.conf" not in whole
        assert str(podman.folder) not in json.dumps(podman.inspect(image)["Config"])

    def test_size(self, podman: Podman, image: str, base: str) -> None:
        sizes = {name: podman.inspect(name)["Size"] for name in (image, base)}
        own = (sizes[image] - sizes[base]) / MB
        name = image.partition("pagetide-")[2].partition(":")[0]
        assert own < MOST_MB[name], f"{name} takes {own:.0f} MB beside its base"


class TestApi:
    def test_has_no_model_runtime(self, podman: Podman, api: str) -> None:
        look = (
            "import importlib.util, sys;"
            f"print([name for name in {RUNTIMES} if importlib.util.find_spec(name)])"
        )
        assert podman.told("run", "--rm", "--entrypoint=python", api, "-c", look) == "[]"

    def test_every_package_has_what_it_asks_for(self, podman: Podman, api: str) -> None:
        told = podman.told("run", "--rm", "--entrypoint=python", api, "-c", ASKED_FOR)
        left_out = ("openvino", "opencv-python-headless", "rapidocr")
        assert told == str(sorted(f"pagetide -> {name}" for name in left_out))

    def test_migrates_sweeps_scales_and_takes_a_job(
        self, podman: Podman, api: str, volume: str
    ) -> None:
        there = (*ANYBODY, f"--volume={volume}:/var/lib/pagetide")
        assert "has schema" in podman.told("run", "--rm", *there, api, "migrate")
        key = podman.told("run", "--rm", *there, api, "keys", "create", "reception")
        with (
            podman.running(*there, api, "sweep") as sweep,
            podman.running(*there, api, "scaler", "--host", "0.0.0.0") as scaler,  # noqa: S104
            podman.running(*there, f"--volume={SAMPLES}:/samples:ro", api) as answering,
        ):
            podman.until_ready(answering)
            podman.until_ready(sweep, [8001])
            until(lambda: "The scaler answers" in podman.log(scaler), 30)
            submit = ["exec", f"--env=PAGETIDE_KEY={key}", answering, "pagetide", "submit"]
            said = podman.run(*submit, "/samples/receipt.jpg", check=False)
            assert "job_" in said.stdout + said.stderr
            for path in ("/v1/models", "/v1/languages", "/v1/backlog", "/metrics"):
                assert _asked(podman, answering, path, key) == "200", path
            for container in (answering, sweep, scaler):
                podman.run("stop", "--time=20", container)
                assert podman.state(container)["ExitCode"] == 0, podman.log(container)


class TestWorker:
    def test_reads_offline_locked_up_as_anybody(self, podman: Podman, worker: str) -> None:
        told = podman.told("run", "--rm", *ANYBODY, *_offline(), worker, *_read("receipt.jpg"))
        assert "TIDEWATER" in told
        assert "38.38" in told

    def test_needs_no_shell(self, podman: Podman, worker: str, tmp_path: Path) -> None:
        dockerfile = tmp_path / "Dockerfile"
        remove = (
            "import glob, os;"
            "[os.unlink(p) for n in ('sh', 'dash', 'bash', 'rbash')"
            " for p in (f'/bin/{n}', f'/usr/bin/{n}') if os.path.lexists(p)]"
        )
        dockerfile.write_text(
            f"FROM {worker}\nUSER 0\nRUN {json.dumps(['python', '-c', remove])}\nUSER 10001:0\n"
        )
        podman.build("localhost/pagetide-shell-less:test", dockerfile, tmp_path, with_pip=False)
        image = "localhost/pagetide-shell-less:test"
        assert podman.run("run", "--rm", "--entrypoint=/bin/sh", image, check=False).returncode
        assert podman.told("run", "--rm", *ANYBODY, *_offline(), image, *_read("mixed.pdf"))
        with podman.running(*ANYBODY, "--network=none", image) as container:
            podman.until_ready(container, [8001])

    def test_cannot_write_its_own_files(self, podman: Podman, worker: str) -> None:
        write = "open('/opt/pagetide/mine', 'w')"
        for user in ("10001", "12345"):
            told = podman.run(
                "run", "--rm", f"--user={user}", "--entrypoint=python", worker, "-c", write,
                check=False,
            )  # fmt: skip
            assert "PermissionError" in told.stderr


def _offline() -> tuple[str, ...]:
    return "--network=none", f"--volume={SAMPLES}:/samples:ro"


def _read(name: str) -> tuple[str, ...]:
    return "read", f"/samples/{name}", "-f", "txt"


def _asked(podman: Podman, container: str, path: str, key: str) -> str:
    """The status that the API in the container answers with."""
    ask = (
        "import urllib.request as r;"
        f"asked = r.Request('http://127.0.0.1:8000{path}');"
        f"asked.add_header('Authorization', 'Bearer {key}');"
        "print(r.urlopen(asked, timeout=20).status)"
    )
    return podman.told("exec", container, "python", "-c", ask)
