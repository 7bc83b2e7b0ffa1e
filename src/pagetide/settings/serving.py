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
        data_dir: Folder for a server's jobs and documents; empty means `pagetide` in the user's
            data folder.
        disk_reserve_mb: Free space to keep on the server's disks, in megabytes: with less,
            submissions are refused (507) and the server is not ready. Never more than a tenth
            of the disk. 0 means none.
        store: URL of the job store: `sqlite:///PATH`, `postgresql://…`,
            `dynamodb://REGION/TABLE` or `memory:`; empty means SQLite in `data_dir`.
        blobs: URL for documents and results: `file:///PATH`, `s3://…`, `az://…`, `gs://…`
            or `memory:`; empty means a folder in `data_dir`.
        results: URL for results, if they are not kept with the documents; same forms as
            `blobs`.
        secret: Secret that encrypts the passwords of open jobs, 32 characters or more. Several
            can be given, separated by spaces: the first encrypts, all decrypt. If empty: with a
            store on this machine the file `secret` in `data_dir` is used, created on first use;
            otherwise documents with a password are refused.
        inline_bytes: Results up to this size, in bytes, are included in the job's status.
        link_s: Validity of a signed link, in seconds.
        ttl_s: How long input and results are kept after a job has ended, in seconds.
        forget_s: How long an expired job is still remembered, in seconds.
        cache: Whether a job with the same document, model, options and key is answered from the
            earlier result.
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
        queues: URLs of queues for single pools, such as `{gpu =
            "sagemaker://REGION/ENDPOINT/PREFIX?bucket=BUCKET"}`; empty means that all pools use
            `queue`.
        azure_connection: Connection string of the storage account with the queues; empty means
            `azure_key`, or if that is empty, too, the process's own identity.
        azure_key: Key of the storage account with the queues.
        queue_faults: For tests: shares of wake-ups to lose and to double: `0.1,0.1`.
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
        public_url: Public URL of the server, for links; empty means the URL of each request.
        auth: Whether callers need an API key: `keys` (yes), `off` (no), or `auto` (yes, unless
            the server listens only on loopback).
        page: Whether a server serves its web page.
        aliases: Model names of other vendors' clients, mapped to our models, such as
            `{PP-StructureV3 = "structure-lite"}`.
        compat: Settings of the compatible APIs, by facade; see the how-to of each client.
        download_timeout_s: Timeout for fetching a `file_url`, in seconds.
        allow_hosts: Hosts that URLs may use even if their address is private or loopback.
        test_models: Whether a server accepts models made for tests.
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
        max_active: Maximum jobs that have not ended, for all keys.
        max_active_per_key: The same for one key.
        active_pages_per_key: Maximum pages of one key in jobs that have not ended; 0 means no
            limit.
        pages_per_day_per_key: Maximum pages of one key in jobs accepted on one day (UTC); 0
            means no limit.
        requests_per_second_per_key: Maximum requests per second of one key to one server
            process; 0 means no limit.
        max_pending_bytes: Maximum bytes in uploads that do not belong to a job yet, for all
            keys.
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
        review_below: A result goes to review by a person if a line has lower confidence than
            this, 0–1. A submission can override this and the next two settings.
        review_sums: Whether a bill goes to review if its sums do not add up.
        review_sample: Share of all results that go to review, 0–1.
        review_lease_s: How long a reviewer keeps a document without activity, in seconds.
    """

    review_below: float = 0.0
    review_sums: bool = False
    review_sample: float = 0.0
    review_lease_s: float = positive(120.0)


@dataclass(frozen=True, kw_only=True)
class LogSettings:
    """Logs and traces.

    Attributes:
        log_level: Minimum level that is logged: `debug`, `info`, `warning` or `error`.
        log_format: `json` or `text`.
        otlp_endpoint: Base URL of an OpenTelemetry collector for traces; empty means none.
    """

    log_level: str = "info"
    log_format: str = "text"
    otlp_endpoint: str = ""


@dataclass(frozen=True, kw_only=True)
class ClientSettings:
    """Commands that talk to a server.

    Attributes:
        server: Server for `pagetide submit` and `pagetide jobs`.
        key: API key for these commands.
    """

    server: str = "http://127.0.0.1:8000"
    key: str = hidden()
