"""What the compose files, what they mount and the images say of each other."""

from __future__ import annotations

import importlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from pagetide.settings import Settings
from tests.deploy.shipped_pools import environment_of
from tests.deploy.test_compose import COMPOSE, STACKS, Stack, merged
from tests.deploy.test_images import DOCKERFILES, IMAGES

HTTP, VLLM = Settings().port, 8000
by_file = pytest.mark.parametrize("names", STACKS, ids=lambda names: names[-1])
by_image = pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.name)


def environment(service: Stack) -> dict[str, str]:
    """What a service is given by its image and by the file."""
    image = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", service["image"])
    name = re.split(r"[:@]", image.rpartition("/")[2])[0]
    own = environment_of(name) if name == "pagetide-worker-gpu" else _api_or_worker(name)
    return {**own, **{k: str(v) for k, v in service.get("environment", {}).items()}}


def _api_or_worker(name: str) -> dict[str, str]:
    path = IMAGES / f"{name.removeprefix('pagetide-')}.Dockerfile"
    return _env(path.read_text()) if path.exists() else {}


def _env(text: str) -> dict[str, str]:
    lines = re.findall(r"^ENV (.*)$", text.replace("\\\n", " "), re.MULTILINE)
    pairs = (word.partition("=") for line in lines for word in shlex.split(line))
    return {name: value for name, _, value in pairs}


def listens(service: Stack) -> set[int]:
    """The ports at which a service answers."""
    words = [*service.get("entrypoint", ()), *service.get("command", ())]
    if words[:2] == ["vllm", "serve"]:
        told = [word.partition("=")[2] for word in words if word.startswith("--port=")]
        return {int(told[0]) if told else VLLM}
    given = environment(service)
    own = {"api": HTTP, "serve": HTTP}.get(words[0] if words else "")
    return {own} if own else {int(given.get("PAGETIDE_HEALTH_PORT", 0))}


def named(stack: Stack) -> Iterator[tuple[str, str, int]]:
    """Who asks whom, and where."""
    for name, service in stack["services"].items():
        for value in map(str, service.get("environment", {}).values()):
            url = urlsplit(value)
            if url.scheme == "http" and url.hostname and url.port:
                yield name, url.hostname, url.port
    for host, port in re.findall(r"server (\S+):(\d+);", (COMPOSE / "nginx.conf").read_text()):
        yield "nginx", host, int(port)
    for job in yaml.safe_load((COMPOSE / "prometheus.yaml").read_text())["scrape_configs"]:
        for told in job["dns_sd_configs"]:
            yield from (("prometheus", host, told["port"]) for host in told["names"])


@by_file
def test_whoever_is_asked_answers_at_that_port(names: tuple[str, ...]) -> None:
    stack = merged(*names)
    everywhere = {one for each in STACKS for one in merged(*each)["services"]}
    for asking, host, port in named(stack):
        assert host in everywhere, (asking, host)
        if host in stack["services"]:
            assert port in listens(stack["services"][host]), (asking, host, port)


@by_file
def test_a_service_has_the_files_that_it_is_told_of(names: tuple[str, ...]) -> None:
    """In what is mounted into it, and in its variables."""
    for name, service in merged(*names)["services"].items():
        mounts = [each.split(":")[:2] for each in service.get("volumes", ())]
        ours = [(COMPOSE / place, target) for place, target in mounts if place[0] == "."]
        texts = [place.read_text() for place, _ in ours if place.is_file()]
        for secret in re.findall(r"/run/secrets/([\w.-]+)", "\n".join(texts)):
            assert secret in service.get("secrets", ()), (name, secret)
        for value in map(str, service.get("environment", {}).values()):
            if value.startswith("/etc/"):
                found = [p / value[len(t) + 1 :] for p, t in ours if value.startswith(f"{t}/")]
                assert found and found[0].exists(), (name, value)


@by_file
def test_documents_and_networks_are_kept_in_a_volume(names: tuple[str, ...]) -> None:
    for name, service in merged(*names)["services"].items():
        given = environment(service) if "pagetide-" in service["image"] else {}
        targets = [each.split(":")[1] for each in service.get("volumes", ())]
        for variable in ("PAGETIDE_BLOBS", "PAGETIDE_MODELS_DIR"):
            place = urlsplit(given.get(variable, "")).path
            assert not place or any(place.startswith(f"{one}/") for one in targets), name


@by_file
def test_somebody_sweeps(names: tuple[str, ...]) -> None:
    services = merged(*names)["services"].values()
    sweeping = [one for one in services if one.get("command", [""])[0] == "sweep"]
    apis = [one for one in services if one.get("command", [""])[0] == "api"]
    assert [one["environment"]["PAGETIDE_SWEEP"] for one in apis] == ["no"]
    assert len(sweeping) == 1


def test_what_is_asked_of_the_api_passes_nginx_as_it_comes() -> None:
    """Documents go on as they arrive, and so do events."""
    text = (COMPOSE / "nginx.conf").read_text()
    places = [
        each for each in re.findall(r"location [^{]+\{([^}]*)\}", text) if "_pass" in each
    ]
    assert places
    for place in places:
        assert {"proxy_buffering off", "proxy_request_buffering off"} <= {
            each.strip() for each in re.split(r"[;\n]", place)
        }


@by_image
def test_a_health_check_asks_where_the_image_answers(path: Path) -> None:
    text = path.read_text()
    [asked] = re.findall(r'probe\.py"((?:, "\d+")+)', text) or [""]
    if asked:
        health = int(_env(text)["PAGETIDE_HEALTH_PORT"])
        ports = {int(port) for port in re.findall(r"\d+", asked)}
        assert health in ports and ports <= {health, HTTP}
        assert str(health) in re.findall(r"^EXPOSE (.*)$", text, re.MULTILINE)[0].split()


@by_image
def test_an_image_has_the_packages_of_its_own_lock(path: Path) -> None:
    name = path.name.removesuffix(".Dockerfile")
    installed = set(re.findall(r"-r (?:\S*/)?(requirements-[\w-]+\.lock)", path.read_text()))
    beside = {"requirements-build.lock", "requirements-cuda.lock"}
    own = "requirements-paddle.lock" if name == "worker-paddle" else f"requirements-{name}.lock"
    assert installed - beside == {own}


@by_image
def test_an_image_with_cuda_computes_with_it(path: Path) -> None:
    """But for the one whose networks run in another Python, which takes what it finds."""
    text = path.read_text()
    if "requirements-cuda.lock" in text and "PAGETIDE_PADDLE_PYTHON" not in text:
        assert _env(text)["PAGETIDE_RUNTIME"] == "cuda"


def test_paddleocr_runs_in_the_python_that_has_it() -> None:
    text = (IMAGES / "worker-paddle.Dockerfile").read_text()
    [into] = set(re.findall(r"--python (\S+) install[^&]*requirements-paddle\.lock", text))
    assert _env(text)["PAGETIDE_PADDLE_PYTHON"] == into
    folder = into.removesuffix("/bin/python")
    assert f"COPY --from=build {folder} {folder}\n" in text


def test_the_image_of_lambda_runs_a_function() -> None:
    text = (IMAGES / "lambda.Dockerfile").read_text()
    [module, function] = re.findall(r'^CMD \["([\w.]+)\.(\w+)"\]$', text, re.MULTILINE)[0]
    assert callable(getattr(importlib.import_module(module), function))
    assert 'ENTRYPOINT ["python", "-P", "-m", "awslambdaric"]\n' in text
