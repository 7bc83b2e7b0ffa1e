"""Every setting, in one place: the only module that reads the environment.

A setting's variable is its name in capitals behind `PAGETIDE_`. What else may set it is in
`settings_sources`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from pagetide.errors import BadOption
from pagetide.settings.sources import environment_with, find_settings, warn_of_unknown
from pagetide.settings.values import Known, by_name

# With 0 of these nothing could be done; of the others 0 means none, or the default.
_ABOVE_ZERO = frozenset(
    {
        "concurrency",
        "detection_side",
        "download_timeout_s",
        "lease_s",
        "link_s",
        "max_active",
        "max_active_per_key",
        "max_bytes",
        "max_pages",
        "max_pending_bytes",
        "max_pending_bytes_per_key",
        "max_pixels",
        "page_deadline_s",
        "page_timeout_s",
        "recycle_mb",
        "recycle_pages",
        "sandbox_memory_mb",
        "sweep_s",
        "task_pages",
        "vl_concurrency",
        "vl_timeout_s",
    }
)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings with their defaults.

    Attributes:
        threads: How many cores the engine may use; 0 means all this process may use.
        runtime: `auto`, `openvino`, `onnxruntime` or `cuda`.
        max_pages: Most pages in one document.
        max_pixels: Most pixels in one page or picture, decoded or rendered.
        max_bytes: Most bytes in one input.
        page_timeout_s: Longest that opening a document or preparing one page may take.
        page_timeouts_max: After so many pages of a document that took longer, the remaining
            ones are not tried; 0 means that all are.
        sandbox: `auto` (the child that parses and renders is confined as far as the kernel
            can) or `require` (nothing is opened where it cannot be confined in full).
        sandbox_memory_mb: Memory the child that parses and renders may take.
        min_confidence: Lines read with less (0–1) are left out and counted.
        detection_side: The longest side, in pixels, at which a page is searched for text.
        cache_dir: Where compiled models are kept; empty means the user's cache folder,
            `off` means nowhere.
        models_dir: Where models that were pulled are kept; empty means `models` in
            `cache_dir`'s folder.
        models_mirror: URL of a copy of the models, asked before the hub: `file:///PATH`,
            `s3://…`, `az://…` or `gs://…`; empty means none.
        models_write_back: Whether what came from the hub is put into the mirror.
        pull: Whether a worker of `pagetide worker` fetches the networks that its pool's models
            need, in its languages, before it is ready.
        trust_first_use: Whether networks are taken whose hash is not known beforehand; it is
            then recorded.
        offline: Whether the hub is never asked.
        precise_model: The model that `auto` reads pictures with, in place of
            `structure-lite`: `pp-structurev3` or `paddleocr-vl`; empty means none.
        paddle_python: The Python that has PaddleOCR installed; empty means this one.
        vl_url: Base URL of the OpenAI-compatible server that runs PaddleOCR-VL, such as
            `http://127.0.0.1:8118/v1`; empty means there is none.
        vl_key: The key it is shown.
        vl_served_name: The name it serves the model under; empty means the model's own.
        vl_dialect: `vllm`, `sglang`, `llama-cpp`, `fastdeploy` or `openai`.
        vl_concurrency: Most blocks that are being read by it at once, of all jobs of a worker.
        vl_timeout_s: Longest that one attempt at a block may take; a block has two, and a page
            no longer than `page_deadline_s`.
        vl_cache_mb: Memory for the blocks it has read, so that none is read twice.
        data_dir: Where a server keeps its jobs and documents; empty means `pagetide` in the
            user's data folder.
        disk_reserve_mb: Room that is left on the disks where a server keeps them: below it
            nothing is taken in (507), and the server is not ready; on a small disk a tenth
            of it. 0 means none.
        store: URL of the job store: `sqlite:///PATH`, `postgresql://…`, `dynamodb://REGION/TABLE`
            or `memory:`; empty means SQLite in `data_dir`.
        blobs: URL of the documents and results: `file:///PATH`, `s3://…`, `az://…`, `gs://…`
            or `memory:`; empty means a folder in `data_dir`.
        results: URL of the results, where they are not kept with the documents; likewise.
        secret: What passwords of open jobs are encrypted with: 32 characters or more; several,
            split by spaces, of which the first encrypts and all decrypt. Empty means the file
            `secret` in `data_dir` where the store is on this machine, which is made when it is
            first needed; elsewhere that documents with a password are refused.
        azure_connection: Connection string of the storage account that queues are in; empty
            means `azure_key`, and without that the process's own identity.
        azure_key: Key of the storage account that queues are in.
        queue: URL of what wakes workers: `store:`, `redis://…`, `rediss://…`, `amqp://…`,
            `amqps://…`, `sqs://REGION/PREFIX`, `azurequeue://ACCOUNT/PREFIX` or
            `sagemaker://REGION/ENDPOINT/PREFIX?bucket=BUCKET`.
        queues: URLs of the queues of pools that have their own, such as
            `gpu=sagemaker://REGION/ENDPOINT/PREFIX?bucket=BUCKET`, split by spaces; empty means
            that all pools share `queue`.
        queue_faults: For tests: the shares of wake-ups that are lost and doubled: `0.1,0.1`.
        host: Address a server listens on.
        port: Port it listens on.
        public_url: How its users reach it, for links; empty means as each request did.
        auth: `auto` (API keys are needed unless it listens on loopback only), `keys` or `off`.
        pools: Which models other machines run, by pool, such as
            `cpu=structure-lite,pp-ocrv6;gpu=paddleocr-vl`: they are taken unseen, and any other
            is refused; empty means all models that can run here, in the pool `cpu`.
        languages: Where `pools` is set, the languages that they read beside those that the
            models bring along: codes split by commas, or by pool such as `gpu=ru,ar;cpu=ko`; a
            job in any other is refused.
        aliases: Names of models by which clients that know only their own may ask for ours,
            such as `PP-StructureV3=structure-lite`, split by commas.
        textract_buckets: Where the buckets are that clients of Textract may name, such as
            `scans=s3://BUCKET/PREFIX`, split by spaces: any caller may read all that is there,
            and of `scans@KEY=s3://…` only the API key with this id; empty means none.
        canary: A share of the new jobs of a pool that workers of another version get, such as
            `cpu-next=0.1`: theirs is the pool `cpu-next`; empty means none.
        version: What a worker calls its version in results; empty means the package's.
        pod_name: The Kubernetes pod that a worker runs in, at which it notes whether it is
            busy; empty means none.
        warm_models: Models that a worker of `pagetide worker` loads before it is ready, split
            by commas; empty means `structure-lite` in the pool `cpu`, else none.
        health_port: Port at which a worker or sweep answers whether it is alive and ready, and
            tells its metrics; 0 means none.
        page: Whether a server shows its page to browsers.
        sweep: Whether the API process sweeps and calls webhooks; with `no`, run
            `pagetide sweep` beside it.
        min_workers: Worker processes kept though there is no work: a number, or numbers by
            pool, such as `cpu=1,gpu=0`.
        max_workers: Most worker processes of a pool; 0 means one for every four cores.
        idle_s: How long a worker waits for work before it leaves.
        concurrency: Most tasks that a worker holds at once.
        lease_s: How long a task is a worker's before it must renew.
        sweep_s: How often the server looks for workers that died and wake-ups that were lost.
        task_pages: Most pages of one task.
        page_deadline_s: A worker that gets no page done for so long is ended.
        drain_s: Longest a worker may take to end when it is asked to.
        recycle_pages: After so many pages a worker makes way for a new one.
        recycle_mb: A worker that takes more memory makes way for a new one.
        inline_bytes: Results up to this size come inside the job's status.
        link_s: How long a signed link opens.
        ttl_s: How long input and results are kept after a job has ended.
        forget_s: For how long an expired job is still known to have been.
        cache: Whether the same document, model and options are answered from the earlier
            result of the same key.
        max_active: Most jobs, of all keys, that have not ended.
        max_active_per_key: The same for one key.
        active_pages_per_key: Most pages, of one key, in jobs that have not ended; 0 means any.
        pages_per_day_per_key: Most pages, of one key, in jobs that are accepted within a day of
            UTC; 0 means any.
        requests_per_second_per_key: Most requests of one key to one server process; 0 means
            any.
        max_pending_bytes: Most bytes, of all keys, in uploads that are no job's yet.
        max_pending_bytes_per_key: The same for one key.
        download_timeout_s: Longest that fetching a `file_url` may take.
        allow_hosts: Hosts, split by commas, that URLs may lead to though their address is
            private or loopback.
        log_level: `debug`, `info`, `warning` or `error`.
        log_format: `json` or `text`.
        otlp_endpoint: Base URL of a collector of OpenTelemetry traces; empty means none.
        test_models: Whether a server takes models that are made for tests.
        server: The server that `pagetide submit` and `pagetide jobs` talk to.
        key: The API key they show it.
    """

    threads: int = 0
    runtime: str = "auto"
    max_pages: int = 5000
    max_pixels: int = 100_000_000
    max_bytes: int = 1_000_000_000
    page_timeout_s: float = 20.0
    page_timeouts_max: int = 5
    sandbox: str = "auto"
    sandbox_memory_mb: int = 1200
    min_confidence: float = 0.5
    detection_side: int = 1600
    cache_dir: str = ""
    models_dir: str = ""
    models_mirror: str = field(default="", repr=False)
    models_write_back: bool = False
    pull: bool = False
    trust_first_use: bool = False
    offline: bool = False
    precise_model: str = ""
    paddle_python: str = ""
    vl_url: str = field(default="", repr=False)
    vl_key: str = field(default="", repr=False)
    vl_served_name: str = ""
    vl_dialect: str = "vllm"
    vl_concurrency: int = 64
    vl_timeout_s: float = 50.0
    vl_cache_mb: int = 64
    data_dir: str = ""
    disk_reserve_mb: int = 100
    store: str = field(default="", repr=False)
    blobs: str = field(default="", repr=False)
    results: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)
    azure_connection: str = field(default="", repr=False)
    azure_key: str = field(default="", repr=False)
    queue: str = field(default="store:", repr=False)
    queues: str = field(default="", repr=False)
    queue_faults: str = ""
    host: str = "127.0.0.1"
    port: int = 8000
    public_url: str = ""
    auth: str = "auto"
    pools: str = ""
    languages: str = ""
    aliases: str = ""
    textract_buckets: str = ""
    canary: str = ""
    version: str = ""
    pod_name: str = ""
    warm_models: str = ""
    health_port: int = 0
    page: bool = True
    sweep: bool = True
    min_workers: str = "0"
    max_workers: int = 0
    idle_s: float = 30.0
    concurrency: int = 4
    lease_s: float = 30.0
    sweep_s: float = 2.0
    task_pages: int = 8
    page_deadline_s: float = 120.0
    drain_s: float = 25.0
    recycle_pages: int = 5000
    recycle_mb: int = 3000
    inline_bytes: int = 1_000_000
    link_s: float = 3600.0
    ttl_s: float = 7 * 86400.0
    forget_s: float = 30 * 86400.0
    cache: bool = True
    max_active: int = 200_000
    max_active_per_key: int = 20_000
    active_pages_per_key: int = 0
    pages_per_day_per_key: int = 0
    requests_per_second_per_key: int = 0
    max_pending_bytes: int = 250_000_000_000
    max_pending_bytes_per_key: int = 50_000_000_000
    download_timeout_s: float = 60.0
    allow_hosts: str = ""
    log_level: str = "info"
    log_format: str = "text"
    otlp_endpoint: str = ""
    test_models: bool = False
    server: str = "http://127.0.0.1:8000"
    key: str = field(default="", repr=False)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Settings from `PAGETIDE_*` variables and the files that they name.

        What nothing sets keeps its default; a variable of ours that is no setting is logged.

        Args:
            environment: By default this process's.

        Raises:
            BadOption: A value is not of its setting's type, or a file is not as it must be;
                the message names the setting or the file, and holds no secret.
        """
        env = os.environ if environment is None else environment
        known = cls.known()
        found = find_settings(env, known)
        warn_of_unknown(env, known)
        settings = cls(**{name: each.value for name, each in found.items()})  # type: ignore[arg-type]
        settings._check_numbers()
        if settings.sandbox not in {"auto", "require"}:
            raise BadOption("PAGETIDE_SANDBOX must be auto or require.")
        return settings

    def _check_numbers(self) -> None:
        for known in self.known().values():
            value = getattr(self, known.name)
            if known.kind not in (int, float) or known.name == "threads":  # its users say more
                continue
            if value < 0 or (value == 0 and known.name in _ABOVE_ZERO):
                least = "more than 0" if known.name in _ABOVE_ZERO else "0 or more"
                raise BadOption(f"{known.variable} must be {least}, not {value:g}.")

    @classmethod
    def known(cls) -> dict[str, Known]:
        """All settings, by name, as where they come from must know them."""
        return {
            each.name: Known(name=each.name, kind=type(each.default), secret=not each.repr)
            for each in fields(cls)
        }

    def as_environment(self) -> dict[str, str]:
        """This process's environment with exactly these settings, for a child.

        A secret that came from a file stays in the file, for the child to read. One that
        came otherwise is a variable, as it was: `/proc/PID/environ` shows it to this user
        and to root alone.
        """
        values = {name: getattr(self, name) for name in self.known()}
        return environment_with(os.environ, self.known(), values)

    @property
    def cache_folder(self) -> Path | None:
        """Where compiled models are kept, or None where they are not."""
        if self.cache_dir == "off":
            return None
        if self.cache_dir:
            return Path(self.cache_dir)
        home = os.environ.get("XDG_CACHE_HOME")
        return (Path(home) if home else Path.home() / ".cache") / "pagetide"

    @property
    def home_folder(self) -> Path:
        """Where a server keeps its jobs and documents, from the root on."""
        if self.data_dir:
            return Path(self.data_dir).absolute()
        home = os.environ.get("XDG_DATA_HOME")
        return (Path(home) if home else Path.home() / ".local" / "share") / "pagetide"

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """`allow_hosts` as a set, in small letters."""
        names = (name.strip().lower() for name in self.allow_hosts.split(","))
        return frozenset(name for name in names if name)

    def least_workers(self, pool: str) -> int:
        """Worker processes that a pool keeps though it has no work.

        Raises:
            BadOption: The setting is neither a number nor numbers by pool.
        """
        numbers = by_name("PAGETIDE_MIN_WORKERS", self.min_workers, int)
        return max(0, numbers.get(pool, numbers.get("", 0)))

    @property
    def canary_share(self) -> tuple[str, float] | None:
        """The pool that workers of another version serve, and its share (0–1) of new jobs.

        Raises:
            BadOption: The setting is not a pool and a share.
        """
        shares = by_name("PAGETIDE_CANARY", self.canary, float)
        for pool, share in shares.items():
            if not is_pool(pool) or "-" not in pool or not 0 <= share <= 1 or len(shares) > 1:
                raise BadOption(
                    "PAGETIDE_CANARY must be POOL-VERSION=SHARE with a share from 0 to 1."
                )
            return pool, share
        return None

    def model_named(self, name: str) -> str | None:
        """The model that somebody else's name stands for here; None where none does.

        Raises:
            BadOption: The setting is not names with their models.
        """
        pairs = [part.partition("=") for part in self.aliases.split(",") if part.strip()]
        if not all(alias.strip() and model.strip() for alias, _, model in pairs):
            raise BadOption("PAGETIDE_ALIASES must be NAME=MODEL,NAME=MODEL.")
        found = {alias.strip().lower(): model.strip() for alias, _, model in pairs}
        return found.get(name.lower())

    def models_by_pool(self) -> dict[str, tuple[str, ...]]:
        """The models that other machines run, by pool; empty where all run here.

        Raises:
            BadOption: The setting is not pools with their models.
        """
        found = {}
        for part in filter(None, map(str.strip, self.pools.split(";"))):
            pool, _, names = part.partition("=")
            models = tuple(filter(None, map(str.strip, names.split(","))))
            if not is_pool(pool.strip()) or "-" in pool or not models:
                raise BadOption("PAGETIDE_POOLS must be POOL=MODEL,MODEL;POOL=MODEL.")
            found[pool.strip()] = models
        return found

    def languages_of(self, pool: str) -> tuple[str, ...]:
        """The languages that a pool reads beside those that its models bring along.

        Raises:
            BadOption: The setting is neither languages nor pools with theirs.
        """
        parts = [part.strip() for part in self.languages.split(";") if part.strip()]
        pairs = [part.partition("=")[::2] if "=" in part else ("", part) for part in parts]
        found = {name.strip(): codes for name, codes in pairs}
        if len(found) < len(pairs) or not all(map(is_pool, found.keys() - {""})):
            raise BadOption("PAGETIDE_LANGUAGES must be CODE,CODE or POOL=CODE,CODE;POOL=CODE.")
        codes = ",".join([found.get("", ""), found.get(pool.partition("-")[0], "")])
        return tuple(dict.fromkeys(filter(None, map(str.strip, codes.split(",")))))

    def queues_by_pool(self) -> dict[str, str]:
        """The URLs of the queues that pools have to themselves, by pool.

        Raises:
            BadOption: The setting is not pools with their queues; it is not quoted, for a URL
                may hold secrets.
        """
        pairs = [part.partition("=") for part in self.queues.split()]
        found = {pool: url for pool, _, url in pairs}
        if len(found) < len(pairs) or not all(is_pool(pool) and found[pool] for pool in found):
            raise BadOption("PAGETIDE_QUEUES must be POOL=URL POOL=URL, each pool once.")
        return found

    def urls_by_bucket(self) -> dict[str, str]:
        """The URLs of the buckets that clients of Textract may name, by `NAME` or `NAME@KEY`.

        Raises:
            BadOption: The setting is not buckets with their URLs.
        """
        pairs = [part.partition("=") for part in self.textract_buckets.split()]
        found = {name: url for name, _, url in pairs}
        named = all(re.fullmatch(r"[\w.-]{3,255}(@\w+)?", name, re.ASCII) for name in found)
        placed = all(re.match(r"(s3|az|gs)://", url) for url in found.values())
        if len(found) < len(pairs) or not named or not placed:
            raise BadOption(
                "PAGETIDE_TEXTRACT_BUCKETS must be NAME=URL NAME@KEY=URL, each name once, of "
                "three letters or more, the URLs s3://…, az://… or gs://…."
            )
        return found

    @property
    def workers_per_pool(self) -> int:
        """Most worker processes of a pool."""
        return self.max_workers or max(1, available_cores() // 4)


def is_pool(name: str) -> bool:
    """Whether it may be a pool's name, or behind a `-` a version's of it: `cpu-next`."""
    return bool(re.fullmatch(r"[a-z][a-z0-9]{0,15}(-[a-z0-9]{1,16})?", name))


def available_cores() -> int:
    """Cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def plain_environment() -> dict[str, str]:
    """What a program that opens strangers' files may know: where things are, and no more.

    Where this package is not installed beside others, `PYTHONPATH` is made to lead to it; what
    `PYTHON*` this process was given is not handed on.
    """
    known = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH")
    plain = {name: os.environ[name] for name in known if name in os.environ}
    place = Path(__file__).parents[2]
    # Before Python's own modules, other packages would stand in for them.
    return plain if place.name.endswith("-packages") else {**plain, "PYTHONPATH": str(place)}
