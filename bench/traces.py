"""Traces of erased jobs: in the store, the blobs and all files beside them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import boto3

from bench.cluster_processes import Cluster
from bench.cluster_watch import settings_of
from bench.history import Left
from pagetide.server.wiring import open_blobs


def left_of(running: Cluster, marks: Mapping[str, str]) -> Iterator[Left]:
    """Where traces of erased jobs are found.

    Args:
        running: The cluster, whose processes still run.
        marks: By the job's id, words that were in its details and nowhere else.
    """
    for where, content in _places(running):
        for job, mark in marks.items():
            if mark.encode() in content:
                yield Left(job=job, where=where)
    blobs = open_blobs(settings_of(running))
    for job in marks:
        for blob in blobs.under(f"jobs/{job}/"):
            yield Left(job=job, where=f"the blob {blob.key}")


def _places(running: Cluster) -> Iterator[tuple[str, bytes]]:
    for path in sorted(running.folder.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(running.folder)), _content(path)
    for blob in (blobs := open_blobs(settings_of(running))).under("jobs/"):
        yield blob.key, blobs.get(blob.key)
    store = str(running.settings.get("store", ""))
    if running.parts.database:
        yield "the database", running.parts.database.dump(store)
    if store.startswith("dynamodb:"):
        yield "the table", _table(store)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:  # it has just gone
        return b""


def _table(url: str) -> bytes:
    """The content of a DynamoDB table."""
    place, _, asked = url.removeprefix("dynamodb://").partition("?endpoint=")
    region, _, name = place.partition("/")
    client = boto3.client("dynamodb", region_name=region, endpoint_url=asked.partition("&")[0])
    pages = client.get_paginator("scan").paginate(TableName=name)
    items = [item for page in pages for item in page["Items"]]
    return json.dumps(items, default=_unpacked).encode()


def _unpacked(value: bytes) -> str:
    """A binary value, which the store may have compressed."""
    with suppress(zlib.error):
        value = zlib.decompress(value)
    return value.decode("latin-1")
