"""Every pool that is shipped starts with its own models, and reads a page.

What is started is what the templates say: `python -m tests.deploy.shipped_pools` prints them.
Ours are the places (store, documents, mirror, ports, folders), the server of PaddleOCR-VL, and
the CPU in place of a GPU. The networks are stubs of the right shapes under the real names; the
one whose hash is pinned has the stub's hash in the registry.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from bench.fake_vl_server import FakeVlServer
from pagetide.engines.models import registry as registry_module
from pagetide.errors import ModelUnavailable
from pagetide.server.jobs.job import JobOptions
from pagetide.server.queues import wake_text
from pagetide.server.service.service import Service
from pagetide.server.service.submitting.submission import Submission
from pagetide.server.wiring import open_maintenance, open_service
from pagetide.settings import Settings
from tests import paddle_stubs
from tests.deploy.shipped_pools import USUAL, Shipped, Started, shipped
from tests.layout_stubs import constant_layout
from tests.parts.clouds import make_bucket
from tests.parts.moto import REGION, Moto, environment_for_clients
from tests.parts.server import free_port
from tests.waiting import until

SLOW = pytest.mark.slow("starts a worker of every pool, and PaddleOCR for those that have it")
QUICK = "paddleocr-vl"  # the ones whose engine asks a server

ROOT = Path(__file__).parents[2]
BUCKET, MIRROR = "networks", "s3://networks/pagetide"
START_S = 240.0
PADDLE = "pp-structurev3"
LAYOUT = "PP-DocLayoutV3"
# Where the images keep things, and what stands for it in a test's folder.
FOLDERS = {"/var/lib/pagetide": "kept", "/tmp/pagetide": "passing"}  # noqa: S108 - theirs
# Which machine it is: a test has its own.
PLACES = re.compile(
    r"PAGETIDE_(STORE|SECRET|QUEUE|BLOBS|RESULTS|SECRETS_DIR|POD_NAME|PUBLIC_URL)(_FILE)?$"
    r"|PAGETIDE_(QUEUES|MODELS_MIRROR|THREADS)$|AZURE_|AWS_"
)
# Imported by every Python that is started so: the registry with the stub's hash.
SITE = """
import os
from pathlib import Path
try:
    from pagetide.engines.models import registry
except ImportError:  # the Python that has PaddleOCR
    pass
else:
    registry.REGISTRY = Path(os.environ["TEST_REGISTRY"])
"""
VLLM = """#!{python}
import signal, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import httpx

class Answers(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        url = "{url}" + self.path.removeprefix("/v1")
        said = httpx.post(url, content=body, trust_env=False)
        self.send_response(said.status_code)
        self.send_header("Content-Length", str(len(said.content)))
        self.send_header("Content-Type", "application/json")
        self.end_headers(); self.wfile.write(said.content)
    def log_message(self, *_): pass

signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
port = int(sys.argv[sys.argv.index("--port") + 1])
ThreadingHTTPServer(("127.0.0.1", port), Answers).serve_forever()
"""


@dataclass(frozen=True)
class Networks:
    """Stubs, in a mirror on loopback.

    Attributes:
        environment: What leads a process there.
    """

    environment: Mapping[str, str]


@pytest.fixture(scope="module")
def networks(moto: Moto, tmp_path_factory: pytest.TempPathFactory) -> Networks:
    """Stubs, put into the mirror by the command of the guides."""
    stubs = tmp_path_factory.mktemp("stubs")
    paddle_stubs.make(stubs)
    constant_layout(
        stubs / LAYOUT, [[0, 0.9, 8, 8, 600, 200, 0]], labels=("text",), size=800,
        described=False, listed=True,
    )  # fmt: skip
    site = tmp_path_factory.mktemp("site")
    (site / "sitecustomize.py").write_text(SITE)
    known = registry_module.REGISTRY.read_text()
    [pinned] = re.findall(rf'name = "{LAYOUT}"\n.*?sha256 = "(\w+)"', known, re.DOTALL)
    digest = hashlib.sha256((stubs / LAYOUT / "inference.onnx").read_bytes()).hexdigest()
    (site / "registry.toml").write_text(known.replace(pinned, digest))
    make_bucket(moto.endpoint, BUCKET)
    given = {
        **environment_for_clients(),
        "AWS_REGION": REGION,
        "AWS_ENDPOINT_URL": moto.endpoint,
        "PYTHONPATH": os.pathsep.join((str(site), str(ROOT / "src"), str(ROOT))),
        "TEST_REGISTRY": str(site / "registry.toml"),
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
    }
    words = f"models pull --pool gpu --from {stubs} --trust-first-use --to {MIRROR}"
    filled = run(
        shlex.split(words),
        {
            **given,
            "PAGETIDE_POOLS": f'{{gpu = "{PADDLE},paddleocr-vl"}}',
            "PAGETIDE_MODELS_DIR": str(tmp_path_factory.mktemp("filling")),
            "PAGETIDE_OFFLINE": "yes",
        },
    )
    assert filled.returncode == 0, filled.stderr
    assert filled.stderr.count(f"written to the mirror {MIRROR}") == 11
    return Networks(given)


@dataclass
class Machine:
    """Where a pool is started: a folder for its store, documents and networks."""

    folder: Path
    networks: Networks
    vl_url: str
    paddle: str

    def environment(self, started: Started) -> dict[str, str]:
        """What a process is given: the template's, but for its places."""
        said = {
            name: self._placed(value)
            for name, value in started.environment.items()
            if not PLACES.match(name)
        }
        ours = {
            "PAGETIDE_STORE": f"sqlite:///{self.folder / 'jobs.db'}",
            "PAGETIDE_BLOBS": (self.folder / "blobs").as_uri(),
            "PAGETIDE_CACHE_DIR": str(self.folder / "passing"),
            "PAGETIDE_DATA_DIR": str(self.folder / "kept"),
            "PAGETIDE_THREADS": "2",
            "PAGETIDE_RUNTIME": "onnxruntime",
            "PAGETIDE_PADDLE_PYTHON": self.paddle,
            "PAGETIDE_LOG_FORMAT": "json",
            "PAGETIDE_MODELS_MIRROR": MIRROR if started.reaches_out else "",
        }
        if "PAGETIDE_VL_URL" in said:
            ours["PAGETIDE_VL_URL"] = self.vl_url
        return {**self.networks.environment, **said, **ours}

    def _placed(self, value: str) -> str:
        for theirs, ours in FOLDERS.items():
            value = value.replace(theirs, str(self.folder / ours))
        return value

    @contextmanager
    def service(self, pool: Shipped) -> Iterator[Service]:
        """A server's, beside the worker; all new jobs are for the pool."""
        told = self.environment(pool.worker)
        given = {k: v for k, v in told.items() if k.startswith("PAGETIDE_")}
        given["PAGETIDE_CANARY"] = f"{{{pool.pool} = 1}}" if "-" in pool.pool else ""
        opened = open_service(Settings.from_environment(given))
        try:
            maintenance = open_maintenance(opened)
            try:
                yield opened
            finally:
                maintenance.close()
        finally:
            opened.close()


@pytest.fixture
def machine(
    tmp_path: Path, networks: Networks, request: pytest.FixtureRequest
) -> Iterator[Machine]:
    one = request.getfixturevalue("pool") if "pool" in request.fixturenames else None
    paddle = request.getfixturevalue("paddle_python") if one and one.model == PADDLE else ""
    with FakeVlServer() as fake:
        yield Machine(tmp_path, networks, fake.url, paddle)


@pytest.mark.parametrize(
    "pool",
    [pytest.param(p, id=p.name, marks=() if p.model == QUICK else SLOW) for p in shipped()],
)
def test_it_starts_with_its_own_models_and_reads(machine: Machine, pool: Shipped) -> None:
    if pool.first:
        fetched = run(pool.first.words, machine.environment(pool.first))
        assert fetched.returncode == 0, fetched.stderr
    reading = invoked if pool.worker.entry else probed
    with machine.service(pool) as service, reading(machine, pool) as invoke:
        job = submitted(service, machine.folder, pool.model)
        invoke(service, job.id)
        until(lambda: service.job(job.id, None).ended, START_S, "the job does not end")
        ended = service.job(job.id, None)
        assert ended.status == "succeeded", ended
        document = json.loads(service.inline(ended) or b"{}")
        # What is the best there for `auto` is in no hand of the template's.
        assert document["model"]["name"] == pool.model or pool.model == USUAL
        assert document["pages"][0]["error"] is None


@SLOW
def test_one_whose_network_cannot_be_had_says_so_everywhere(machine: Machine) -> None:
    """In its log, by its end, to who submits; and no more once it has started."""
    [vl] = [one for one in shipped() if one.name == "kubernetes/deployment/worker-vl"]
    nowhere = {**machine.environment(vl.worker), "PAGETIDE_MODELS_MIRROR": "s3://nowhere/x"}
    nowhere |= {"PAGETIDE_OFFLINE": "yes", "PAGETIDE_HEALTH_PORT": str(free_port())}
    with machine.service(vl) as service:
        ended = run(with_port(vl.worker.words, free_port()), nowhere)
        assert ended.returncode == 69, ended.stderr
        last = ended.stderr.strip().splitlines()[-1]
        assert f"{LAYOUT} was not pulled" in last and "3 attempts were made" in last
        with pytest.raises(ModelUnavailable, match=f"pool vl cannot start: {LAYOUT}"):
            submitted(service, machine.folder, vl.model)
        with probed(machine, vl):
            assert submitted(service, machine.folder, vl.model).status == "queued"


def submitted(service: Service, folder: Path, model: str) -> Any:
    path = folder / "page.png"
    Image.fromarray(paddle_stubs.page().pixels[:, :, ::-1]).save(path)
    options = JobOptions(model=model, formats=("json",))
    return service.submit(Submission(document=path, name="page.png", options=options))


@contextmanager
def probed(machine: Machine, pool: Shipped) -> Iterator[Any]:
    """A worker whose readiness an orchestrator asks for; it ends when it is told to."""
    port = free_port()
    environment = machine.environment(pool.worker) | {"PAGETIDE_HEALTH_PORT": str(port)}
    words = with_port(pool.worker.words, port)
    with ended_well([sys.executable, "-m", "pagetide", *words], environment, machine) as alive:

        def ready() -> bool:
            alive()
            return status(f"http://127.0.0.1:{port}/health/ready") == 200

        until(ready, START_S, "it does not become ready")
        yield lambda *_: None


@contextmanager
def invoked(machine: Machine, pool: Shipped) -> Iterator[Any]:
    """A container that SageMaker asks by `/ping` and invokes."""
    port, vl_port = free_port(), free_port()
    environment = machine.environment(pool.worker) | {
        "PAGETIDE_QUEUE": f"{pool.worker.environment['PAGETIDE_QUEUE']}&port={port}",
        "PAGETIDE_HEALTH_PORT": "0",
    }
    words = [word.replace("8100", str(vl_port)) for word in pool.worker.words]
    if "vllm" in " ".join(words):
        environment["PAGETIDE_VL_URL"] = f"http://127.0.0.1:{vl_port}/v1"
        environment["PATH"] = f"{standing_in(machine)}{os.pathsep}{environment['PATH']}"
    words = [
        word.replace("/opt/beside.py", str(ROOT / "deploy/aws/beside.py")) for word in words
    ]
    with ended_well(words, environment, machine) as alive:

        def up() -> bool:
            alive()
            return status(f"http://127.0.0.1:{port}/ping") == 200

        until(up, START_S, "no ping is answered")

        def invoke(service: Service, job_id: str) -> None:
            def done() -> bool:
                for task in service.store.tasks(job_id):
                    if task.pool == pool.pool:
                        said = httpx.post(
                            f"http://127.0.0.1:{port}/invocations",
                            content=wake_text.write(task, ""),
                            timeout=START_S,
                            trust_env=False,
                        )
                        assert said.status_code in (200, 503), said.text
                return service.job(job_id, None).ended

            until(done, START_S, "the job does not end")

        yield invoke


def standing_in(machine: Machine) -> Path:
    """A folder with a `vllm` that hands on what it is asked."""
    folder = machine.folder / "bin"
    folder.mkdir()
    program = folder / "vllm"
    program.write_text(VLLM.format(python=sys.executable, url=machine.vl_url))
    program.chmod(0o755)
    return folder


@contextmanager
def ended_well(
    command: list[str], environment: Mapping[str, str], machine: Machine
) -> Iterator[Any]:
    """A process; it is told to end, and ends with 0."""
    log = machine.folder / "worker.log"
    with ExitStack() as ends:
        said = ends.enter_context(log.open("wb"))
        process = subprocess.Popen(
            command, env=environment, stdout=said, stderr=said, cwd=machine.folder
        )
        ends.callback(process.kill)

        def alive() -> None:
            assert process.poll() is None, f"{shlex.join(command)}:\n{log.read_text()}"

        yield alive
        alive()
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0, log.read_text()
        assert '"worker is ready"' in log.read_text()


def run(words: Any, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pagetide", *words],
        env=dict(environment),
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
    )


def with_port(words: tuple[str, ...], port: int) -> list[str]:
    """The words, with a free port to be asked at."""
    return [str(port) if word == "8001" else word for word in words]


def status(url: str) -> int:
    try:
        return httpx.get(url, trust_env=False, timeout=5).status_code
    except httpx.TransportError:
        return 0
