"""Settings of a server: its store, blobs and queue, its API, and what one may ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pagetide.settings.field_kinds import hidden, positive, shaped
from pagetide.settings.tables import ALIASES, FACADES, NAMES, QUEUES


@dataclass(frozen=True, kw_only=True)
class StorageSettings:
    """Where jobs and documents are kept.

    Attributes:
        data_dir: Folder of a server's jobs and documents; empty means `pagetide` in the user's
            data folder.
        disk_reserve_mb: Room that is left on the disks where a server keeps them, in
            megabytes: below it submissions are refused (507), and the server is not ready; on
            a small disk a tenth of it. 0 means none.
        store: URL of the job store: `sqlite:///PATH`, `postgresql://…`,
            `dynamodb://REGION/TABLE` or `memory:`; empty means SQLite in `data_dir`.
        blobs: URL of the documents and results: `file:///PATH`, `s3://…`, `az://…`, `gs://…`
            or `memory:`; empty means a folder in `data_dir`.
        results: URL of the results, where they are not kept with the documents; likewise.
        secret: What passwords of open jobs are encrypted with: 32 characters or more; several,
            split by spaces, of which the first encrypts and all decrypt. Empty means the file
            `secret` in `data_dir` where the store is on this machine, which is made when it is
            first needed; elsewhere that documents with a password are refused.
        inline_bytes: Results up to this size are part of the job's status.
        link_s: Seconds that a signed link is valid.
        ttl_s: Seconds that input and results are kept after a job has ended.
        forget_s: Seconds that an expired job is still known to have been.
        cache: Whether the same document, model and options are answered from the earlier
            result of the same key.
    """

    data_dir: str = ""
    disk_reserve_mb: int = 100
    store: str = hidden()
    blobs: str = hidden()
    results: str = hidden()
    secret: str = hidden()
    inline_bytes: int = 1_000_000
    link_s: float = positive(3600.0)
    ttl_s: float = 7 * 86400.0
    forget_s: float = 30 * 86400.0
    cache: bool = True


@dataclass(frozen=True, kw_only=True)
class QueueSettings:
    """What wakes workers.

    Attributes:
        queue: URL of the queue: `store:`, `redis://…`, `rediss://…`, `amqp://…`, `amqps://…`,
            `sqs://REGION/PREFIX`, `azurequeue://ACCOUNT/PREFIX` or
            `sagemaker://REGION/ENDPOINT/PREFIX?bucket=BUCKET`.
        queues: URLs of the queues of pools that have their own, such as
            `{gpu = "sagemaker://REGION/ENDPOINT/PREFIX?bucket=BUCKET"}`; empty means that all
            pools share `queue`.
        azure_connection: Connection string of the storage account that queues are in; empty
            means `azure_key`, and without that the process's own identity.
        azure_key: Key of the storage account that queues are in.
        queue_faults: For tests: the shares of wake-ups that are lost and doubled: `0.1,0.1`.
    """

    queue: str = hidden("store:")
    queues: Mapping[str, str] = shaped(QUEUES, secret=True)
    azure_connection: str = hidden()
    azure_key: str = hidden()
    queue_faults: str = ""


@dataclass(frozen=True, kw_only=True)
class ApiSettings:
    """The API.

    Attributes:
        host: Address a server listens on.
        port: Port a server listens on.
        public_url: URL of a server for its users, for links; empty means as each request has
            it.
        auth: Whether callers need an API key: `keys`, `off`, or `auto`: unless the server
            listens on loopback only.
        page: Whether a server shows its page to browsers.
        aliases: Names of models by which clients that know only their own may ask for ours,
            such as `{PP-StructureV3 = "structure-lite"}`.
        compat: What the routes for other services' clients are told, by facade; their how-tos
            say which facade takes what.
        download_timeout_s: Maximum seconds for fetching a `file_url`.
        allow_hosts: Hosts that URLs may lead to though their address is private or loopback.
        test_models: Whether a server takes models that are made for tests.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    public_url: str = ""
    auth: str = "auto"
    page: bool = True
    aliases: Mapping[str, str] = shaped(ALIASES)
    compat: Mapping[str, Mapping[str, object]] = shaped(FACADES, secret=True)
    download_timeout_s: float = positive(60.0)
    allow_hosts: tuple[str, ...] = shaped(NAMES)
    test_models: bool = False


@dataclass(frozen=True, kw_only=True)
class LimitSettings:
    """What one may ask of a server.

    Attributes:
        max_active: Maximum jobs, of all keys, that have not ended.
        max_active_per_key: The same for one key.
        active_pages_per_key: Maximum pages, of one key, in jobs that have not ended; 0 means
            any.
        pages_per_day_per_key: Maximum pages, of one key, in jobs that are accepted within a
            day of UTC; 0 means any.
        requests_per_second_per_key: Maximum requests of one key to one server process; 0 means
            any.
        max_pending_bytes: Maximum bytes, of all keys, in uploads that are not yet a job's.
        max_pending_bytes_per_key: The same for one key.
    """

    max_active: int = positive(200_000)
    max_active_per_key: int = positive(20_000)
    active_pages_per_key: int = 0
    pages_per_day_per_key: int = 0
    requests_per_second_per_key: int = 0
    max_pending_bytes: int = positive(250_000_000_000)
    max_pending_bytes_per_key: int = positive(50_000_000_000)


@dataclass(frozen=True, kw_only=True)
class ReviewSettings:
    """Review by a person.

    Attributes:
        review_below: A result waits for a person if a line was read with less confidence than
            this, 0–1, unless its submission says otherwise; likewise the next two.
        review_sums: Whether a bill does whose sums do not come out.
        review_sample: The share of all results that do, 0–1.
        review_lease_s: Seconds that a reviewer keeps a document without a sign of life.
    """

    review_below: float = 0.0
    review_sums: bool = False
    review_sample: float = 0.0
    review_lease_s: float = positive(120.0)


@dataclass(frozen=True, kw_only=True)
class LogSettings:
    """Logs and traces.

    Attributes:
        log_level: The least that is logged: `debug`, `info`, `warning` or `error`.
        log_format: `json` or `text`.
        otlp_endpoint: Base URL of a collector of OpenTelemetry traces; empty means none.
    """

    log_level: str = "info"
    log_format: str = "text"
    otlp_endpoint: str = ""


@dataclass(frozen=True, kw_only=True)
class ClientSettings:
    """Commands that talk to a server.

    Attributes:
        server: The server that `pagetide submit` and `pagetide jobs` talk to.
        key: The API key that these commands show it.
    """

    server: str = "http://127.0.0.1:8000"
    key: str = hidden()
