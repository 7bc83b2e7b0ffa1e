"""The address of a SageMaker queue: endpoints, bucket, and the containers' port."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

from pagetide.errors import BadOption
from pagetide.server.jobs.job import Task
from pagetide.server.queues import cloud

FORM = (
    "sagemaker://REGION/ENDPOINT/PREFIX?bucket=BUCKET, then &variant=NAME, &port=NUMBER or "
    "&endpoint=URL where needed"
)
POOL = "{pool}"  # stands in ENDPOINT for the pool's name
PORT = 8080  # SageMaker asks its containers at no other
VARIANT = "AllTraffic"
LONGEST_NAME = 63  # of an endpoint
_REGION, _PREFIX = r"[a-z0-9-]{1,32}", r"[A-Za-z0-9_-]{1,40}"
_NAME = re.compile(r"[A-Za-z0-9](-*[A-Za-z0-9])*")
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PARAMETERS = {"bucket", "variant", "port", "endpoint"}


@dataclass(frozen=True)
class Address:
    """Where a SageMaker queue is.

    Attributes:
        region: The AWS region.
        endpoint: The endpoint's name; `{pool}` in it stands for the pool.
        prefix: What the keys of all wake texts begin with.
        bucket: The bucket they are put in.
        variant: The endpoint's variant whose instances are counted.
        port: Where a receiver listens; 0 means any free port.
        url: Where all of AWS's services are asked; empty means AWS itself.
    """

    region: str
    endpoint: str
    prefix: str
    bucket: str
    variant: str = VARIANT
    port: int = PORT
    url: str = ""

    def name(self, pool: str) -> str:
        """The endpoint that reads for a pool."""
        return self.endpoint.replace(POOL, pool)

    def key(self, task: Task) -> str:
        """Where a task's wake text is kept in the bucket."""
        return f"{self.prefix}/{task.job_id}/{task.id}.json"


def parse_address(url: str) -> Address:
    """Where a URL says that the queue is.

    Raises:
        BadOption: It does not say so; the message does not quote it, for it may hold secrets.
    """
    parts, given = cloud.parted(url, FORM)
    known = cloud.options(parts, given, _PARAMETERS, FORM)
    endpoint, slash, prefix = parts.path.removeprefix("/").partition("/")
    if not slash or not _NAME.fullmatch(endpoint.replace(POOL, "p")):
        raise BadOption(f"The queue's URL lacks an endpoint and prefix: write {FORM}.")
    if len(endpoint) > LONGEST_NAME:
        raise BadOption(f"The name of a SageMaker endpoint has at most {LONGEST_NAME} letters.")
    shared = f"sagemaker://{parts.netloc}/{prefix}"
    if "endpoint" in known:
        shared += f"?endpoint={quote(known['endpoint'], safe='')}"
    found = cloud.parse_address(shared, FORM, _REGION, _PREFIX)
    return Address(
        found.place,
        endpoint,
        found.prefix,
        _bucket(known),
        _variant(known),
        _port(known),
        found.endpoint,
    )


def task_of(location: str) -> tuple[str, str] | None:
    """The job and the task whose wake text is kept at an `s3://` URL; None if none can be."""
    found = re.fullmatch(r"s3://[^/]+/[^/]+/([^/]+)/([^/]+)\.json", location)
    return (found[1], found[2]) if found else None


def _bucket(known: dict[str, str]) -> str:
    if not _BUCKET.fullmatch(known.get("bucket", "")):
        raise BadOption(f"The queue's URL lacks a bucket: write {FORM}.")
    return known["bucket"]


def _variant(known: dict[str, str]) -> str:
    variant = known.get("variant", VARIANT)
    if not _NAME.fullmatch(variant) or len(variant) > LONGEST_NAME:
        raise BadOption("The queue's variant must be the name of a variant of its endpoint.")
    return variant


def _port(known: dict[str, str]) -> int:
    text = known.get("port", str(PORT))
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > 65535:
        raise BadOption("The queue's port must be a number from 0 to 65535.")
    return int(text)
