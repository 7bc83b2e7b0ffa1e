"""The compose files and what they mount, without running them."""

from __future__ import annotations

import json
import re
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from pagetide.settings import Settings
from pagetide.system.cipher import secrets_of
from pagetide.telemetry.measures import MEASURES

CHECKOUT = Path(__file__).parents[2]
COMPOSE = CHECKOUT / "deploy" / "compose"
FILES = sorted(COMPOSE.glob("compose*.yaml"))
LIMIT = 50 * 1024 * 1024
Stack = dict[str, Any]

TOP = {"name", "services", "networks", "volumes", "secrets"}
# What of the compose specification is used here: a name that is not may be a slip.
KEYS = {
    *("cap_drop", "command", "depends_on", "deploy", "entrypoint", "environment", "hostname"),
    *("image", "ipc", "mem_limit", "networks", "ports", "read_only", "restart", "secrets"),
    *(
        "security_opt",
        "shm_size",
        "stop_grace_period",
        "stop_signal",
        "tmpfs",
        "user",
        "volumes",
    ),
}
OURS = re.compile(r"\$\{REGISTRY:-localhost/\}pagetide-[a-z-]+:\$\{TAG:-0\.1\.0\}")
PINNED = re.compile(
    r"\$\{[A-Z]+_IMAGE:-docker\.io/[a-z-]+/[a-z-]+:v?\d+(?:\.\d+){1,2}[a-z-]*"
    r"(?:@sha256:[0-9a-f]{64})?\}"
)


def merged(*names: str) -> Stack:
    """Some of the files as one, by the specification's rules as far as they matter here."""
    whole: Stack = {}
    for name in names:
        read = yaml.safe_load((COMPOSE / name).read_text())
        _merge(whole, json.loads(json.dumps(read)))  # what shares an anchor is apart from here
    return whole


def _merge(into: Stack, other: Stack) -> None:
    for key, value in other.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        elif isinstance(value, list) and key in ("networks", "secrets", "volumes", "tmpfs"):
            into[key] = [*into.get(key, []), *value]
        else:
            into[key] = value


def faults(stack: Stack) -> set[str]:
    """What is wrong with a stack."""
    found = {f"unknown: {key}" for key in stack if key not in TOP and key[:2] != "x-"}
    for name, service in stack["services"].items():
        found |= {f"{name}: {fault}" for fault in _faults_of(service, stack)}
    return found


def _faults_of(service: Stack, stack: Stack) -> set[str]:
    image = str(service.get("image", ""))
    ours = "pagetide-" in image
    command = service.get("command", [""])[0]
    ends = command == "models"  # once it has fetched what there is to fetch
    told = {
        **{f"unknown: {key}": True for key in service if key not in KEYS},
        "its image is not pinned": not (OURS if ours else PINNED).fullmatch(image),
        "it may gain rights": "no-new-privileges:true" not in service.get("security_opt", ()),
        "it keeps capabilities": service.get("cap_drop") != ["ALL"],
        "its files can be written": service.get("read_only") is not True,
        "it does not come back": service.get("restart")
        != ("on-failure" if ends else "unless-stopped"),
        "it fetches no networks": command == "worker" and not _fetches(service, stack),
        "it is on the host's network": not set(service.get("networks", ())),
        "it drains for longer than it is given": ours
        and _drain_s(service) >= _grace_s(service),
        "documents' passwords have no secret": "PAGETIDE_STORE_FILE"
        in (there := service.get("environment", {}))
        and there.get("PAGETIDE_SECRET_FILE") != "/run/secrets/secret",
        "a password is in the file": bool(re.search(r"://[^/\s:]+:[^@/\s]+@", str(service))),
        **{f"unknown setting {name}": True for name in _unknown_settings(service)},
    }
    for kind in ("networks", "secrets"):
        for each in service.get(kind, ()):
            told[f"{kind} has no {each}"] = each not in stack[kind]
    for each in service.get("depends_on", ()):
        told[f"there is no {each}"] = each not in stack["services"]
    for each in service.get("volumes", ()):
        told[f"{each} is not there"] = not _is_there(each.partition(":")[0], stack)
    for file in re.findall(r"'/run/secrets/([^']+)'", str(_words(service))):
        told[f"it is not given {file}"] = file not in service.get("secrets", ())
    return {fault for fault, is_so in told.items() if is_so}


def _fetches(worker: Stack, stack: Stack) -> bool:
    """Whether a worker waits for what the service `models` puts into the volume of both."""
    filling = stack["services"].get("models", {})
    pool = worker["command"][worker["command"].index("--pool") + 1]
    names = ("PAGETIDE_MODELS_DIR", "PAGETIDE_POOLS", "PAGETIDE_LANGUAGES")
    here, there = worker["environment"], filling.get("environment", {})
    return (
        here.get("PAGETIDE_PULL") == "yes"
        and f"--pool {pool}" in " ".join(filling.get("command", ()))
        and "outside" in filling["networks"]
        and all(name in here and here[name] == there.get(name) for name in names)
        and worker["volumes"] == filling["volumes"]
    )


def _words(service: Stack) -> list[str]:
    given = [*service.get("environment", {}).values(), *service.get("command", ())]
    return [str(each) for each in (*given, *service.get("entrypoint", ()))]


def _unknown_settings(service: Stack) -> set[str]:
    named = {name for name in service.get("environment", {}) if name.startswith("PAGETIDE_")}
    known = {f"PAGETIDE_{name.upper()}" for name in Settings.known()}
    return named - known - {f"{name}_FILE" for name in known}


def _drain_s(service: Stack) -> float:
    return float(service["environment"]["PAGETIDE_DRAIN_S"])


def _grace_s(service: Stack) -> float:
    minutes = re.fullmatch(r"(\d+)m", service.get("stop_grace_period", "0m"))
    assert minutes
    return 60.0 * int(minutes[1])


def _is_there(source: str, stack: Stack) -> bool:
    return (
        (COMPOSE / source).exists() if source.startswith("./") else source in stack["volumes"]
    )


STACKS = [
    ("compose.yaml",),
    ("compose.yaml", "compose.rabbitmq.yaml"),
    ("compose.yaml", "compose.autoscaler.yaml"),
    ("compose.yaml", "compose.gpu.yaml"),
]
# PostgreSQL's image has its socket's folder in it; vLLM's compiles kernels, as root.
LEFT = {
    "postgres: its files can be written",
    "vl: it keeps capabilities",
    "vl: its files can be written",
    "vl: it may gain rights",
}


@pytest.mark.parametrize("names", STACKS, ids=lambda names: names[-1])
def test_every_stack_is_well(names: tuple[str, ...]) -> None:
    assert faults(merged(*names)) <= LEFT
    assert {name for names in STACKS for name in names} == {path.name for path in FILES}


def _changed(path: str, value: object) -> Callable[[Stack], None]:
    def change(stack: Stack) -> None:
        place = stack
        *way, last = path.split("/")
        for step in way:
            place = place[step]
        if isinstance(place, list):
            place[int(last)] = value
        elif value is None:
            del place[last]
        else:
            place[last] = value

    return change


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("services/api/tmpf", ["/x"], "api: unknown: tmpf"),
        ("service", {}, "unknown: service"),
        ("services/api/image", "pagetide-api:latest", "api: its image is not pinned"),
        ("services/broker/image", "redis", "broker: its image is not pinned"),
        ("services/worker/read_only", None, "worker: its files can be written"),
        ("services/worker/cap_drop", None, "worker: it keeps capabilities"),
        ("services/sweep/security_opt", None, "sweep: it may gain rights"),
        ("services/nginx/restart", "no", "nginx: it does not come back"),
        ("services/api/networks", ["outsid"], "api: networks has no outsid"),
        ("services/api/secrets", ["store"], "api: it is not given queue"),
        (
            "services/worker/environment/PAGETIDE_SECRET_FILE",
            None,
            "worker: documents' passwords have no secret",
        ),
        (
            "services/worker/environment/PAGETIDE_PULL",
            None,
            "worker: it fetches no networks",
        ),
        ("services/models/networks", ["inside"], "worker: it fetches no networks"),
        ("services/models/command/3", "gpu", "worker: it fetches no networks"),
        (
            "services/models/environment/PAGETIDE_MODELS_DIR",
            "/tmp/models",  # noqa: S108 - a fault
            "worker: it fetches no networks",
        ),
        ("services/models/restart", "unless-stopped", "models: it does not come back"),
        ("services/nginx/depends_on", ["app"], "nginx: there is no app"),
        (
            "services/nginx/volumes",
            ["./nginx.cnf:/x:ro"],
            "nginx: ./nginx.cnf:/x:ro is not there",
        ),
        ("services/worker/stop_grace_period", "1m", "worker: it drains for longer than"),
        ("services/api/environment/PAGETIDE_STOR", "x", "api: unknown setting PAGETIDE_STOR"),
        (
            "services/api/environment/PAGETIDE_QUEUE",
            "redis://me:secret@broker/0",
            "api: a password is in the file",
        ),
    ],
)
def test_a_fault_is_caught(path: str, value: object, said: str) -> None:
    stack = merged("compose.yaml")
    _changed(path, value)(stack)
    assert any(fault.startswith(said) for fault in faults(stack))


def test_every_process_goes_by_the_same_pools() -> None:
    for names in STACKS:
        services = merged(*names)["services"]
        pools = {
            service["environment"]["PAGETIDE_POOLS"]
            for service in services.values()
            if "PAGETIDE_STORE_FILE" in service.get("environment", {})
        }
        assert len(pools) == 1, names


def test_the_limits_of_a_body_are_one() -> None:
    """Of nginx, of the API behind it, and of the ingress where there is one."""
    api = merged("compose.yaml")["services"]["api"]["environment"]
    nginx = re.search(r"client_max_body_size (\d+)m;", (COMPOSE / "nginx.conf").read_text())
    assert nginx
    assert int(api["PAGETIDE_MAX_BYTES"]) == int(nginx[1]) * 1024 * 1024 == LIMIT
    for path in (CHECKOUT / "deploy" / "kubernetes").rglob("*.yaml"):
        for size in re.findall(r"proxy-body-size: [\"']?(\w+)", path.read_text()):
            assert size == f"{nginx[1]}m", path


def test_what_is_published_is_nginx_and_to_this_host_grafana() -> None:
    services = merged("compose.yaml")["services"]
    ports = {name: service["ports"] for name, service in services.items() if "ports" in service}
    assert set(ports) == {"nginx", "grafana"}
    assert all(port.startswith("127.0.0.1:") for port in ports["grafana"])
    assert services["worker"]["networks"] == ["inside"]
    assert merged("compose.yaml")["networks"]["inside"] == {"internal": True}


def test_the_example_names_what_may_be_set() -> None:
    example = dict(
        line.split("=", 1)
        for line in (COMPOSE / "example.env").read_text().splitlines()
        if line and not line.startswith("#")
    )
    text = "".join(path.read_text() for path in FILES)
    defaults = {
        name: value
        for name, value in re.findall(r"\$\{(\w+):-([^}]*)\}", text)
        if not name.endswith("_IMAGE")
    }
    assert example == defaults


class TestPrepare:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "prepare").write_bytes((COMPOSE / "prepare").read_bytes())
        return tmp_path

    @staticmethod
    def prepare(folder: Path, *words: str) -> dict[str, str]:
        subprocess.run(["sh", "prepare", *words], cwd=folder, check=True, timeout=60)
        secrets = folder / "secrets"
        assert stat.S_IMODE(secrets.stat().st_mode) == 0o700
        assert {stat.S_IMODE(each.stat().st_mode) for each in secrets.iterdir()} == {0o644}
        return {each.name: each.read_text() for each in secrets.iterdir()}

    @pytest.mark.parametrize("broker", ["redis", "rabbitmq"])
    def test_makes_every_secret(self, folder: Path, broker: str) -> None:
        made = self.prepare(folder, broker)
        names = ("compose.yaml", f"compose.{broker}.yaml")
        stack = merged(*(name for name in names if (COMPOSE / name).exists()))
        for name, secret in stack["secrets"].items():
            assert secret["file"] == f"./secrets/{name}"
            assert made[name] or name in ("key", "redis_conf")

    def test_a_second_time_changes_nothing(self, folder: Path) -> None:
        assert self.prepare(folder) == self.prepare(folder, "redis")

    def test_the_passwords_fit(self, folder: Path) -> None:
        made = self.prepare(folder)
        assert made["postgres_password"].strip() in made["store"]
        assert secrets_of(made["secret"]) == (made["secret"].strip(),)
        password = made["broker_password"].strip()
        assert password in made["queue"]
        assert password in made["redis_conf"]

    def test_another_broker_is_refused(self, folder: Path) -> None:
        words = ["sh", "prepare", "kafka"]
        done = subprocess.run(words, cwd=folder, capture_output=True, timeout=60)
        assert done.returncode == 2


class TestDashboard:
    PLACE = COMPOSE / "grafana" / "dashboards" / "pagetide.json"
    OTHERS = ("up", "process_resident_memory_bytes")

    def metrics(self, expressions: list[str]) -> set[str]:
        """Names in expressions that nobody counts."""
        ends = {
            "counter": ("_total",),
            "gauge": ("",),
            "histogram": ("_bucket", "_count", "_sum"),
        }
        known = {
            f"pagetide_{name}{end}"
            for name, each in MEASURES.items()
            for end in ends[each.kind]
        }
        bare = [re.sub(r'"[^"]*"', "", expression) for expression in expressions]
        named = {
            name for each in bare for name in re.findall(r"\b(?:pagetide|process)_\w+", each)
        }
        return named - known - set(self.OTHERS)

    def test_it_shows_what_there_is(self) -> None:
        panels = json.loads(self.PLACE.read_text())["panels"]
        expressions = [target["expr"] for panel in panels for target in panel["targets"]]
        assert self.metrics(expressions) == set()
        wrong = expressions[0].replace("backlog_tasks", "backlog_task")
        assert self.metrics([wrong]) == {"pagetide_backlog_task"}

    def test_labels_are_those_of_the_measures(self) -> None:
        panels = json.loads(self.PLACE.read_text())["panels"]
        known = {label for each in MEASURES.values() for label in each.labels}
        for panel in panels:
            for target in panel["targets"]:
                used = re.findall(r"by \(([\w, ]+)\)", target["expr"])
                labels = {label for each in used for label in each.split(", ")}
                assert labels <= known | {"le"}, panel["title"]

    def test_no_two_panels_lie_over_each_other(self) -> None:
        panels = json.loads(self.PLACE.read_text())["panels"]
        cells = [
            (panel["gridPos"]["x"] + x, panel["gridPos"]["y"] + y)
            for panel in panels
            for x in range(panel["gridPos"]["w"])
            for y in range(panel["gridPos"]["h"])
        ]
        assert len(cells) == len(set(cells))
