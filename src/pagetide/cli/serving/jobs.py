"""`pagetide jobs`: what a server is doing, and cancelling and erasing it."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from pagetide.cli import options

if TYPE_CHECKING:
    from pagetide.client import Client, RemoteJob

STATUSES = ("queued", "running", "succeeded", "partial", "failed", "cancelled", "expired")


@click.command()
@click.argument("jobs", nargs=-1, metavar="[JOB]...")
@options.server
@click.option("--status", type=click.Choice(STATUSES), help="List only jobs with this status.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Maximum number of jobs, newest first.",
)
@click.option("--cancel", metavar="JOB", multiple=True, help="Cancel a job.")
@click.option(
    "--erase", metavar="JOB", multiple=True, help="Erase a job's document and results."
)
def jobs(
    jobs: Sequence[str],
    server: str | None,
    key: str | None,
    status: str | None,
    limit: int,
    cancel: Sequence[str],
    erase: Sequence[str],
) -> None:
    """List a server's jobs, show the named ones, cancel or erase jobs.

    Prints one line per job: JSON, or readable text on a terminal.
    """
    from pagetide.cli.ending import emit
    from pagetide.cli.serving.remote import open_client

    with open_client(server, key) as client:
        for job in erase:
            client.erase(job)
        if erase and not (jobs or cancel):
            return
        for one in _asked_for(client, jobs, cancel, status, limit):
            emit(_line(one).encode() + b"\n")


def _asked_for(
    client: Client,
    shown: Sequence[str],
    cancel: Sequence[str],
    status: str | None,
    limit: int,
) -> Iterator[RemoteJob]:
    yield from (client.cancel(job) for job in cancel)
    yield from (client.job(job) for job in shown)
    if not shown and not cancel:
        yield from itertools.islice(client.jobs(status), limit)  # type: ignore[arg-type]


def _line(job: RemoteJob) -> str:
    if not sys.stdout.isatty():
        return _json(job)
    created = f"{job.created_at.astimezone():%Y-%m-%d %H:%M}" if job.created_at else ""
    name = _shown(job.source.name) if job.source else ""
    pages = f"{job.pages_done}/{job.pages_total}"
    line = f"{job.id}  {job.status:<9}  {pages:>9}  {created:16}  {name}"
    if job.review in ("waiting", "claimed"):
        line = f"{line.rstrip()} (waits for review)"
    return f"{line}: {_shown(job.error.message)}" if job.error else line.rstrip()


def _json(job: RemoteJob) -> str:
    """The job without its document, and without links, which open it to whoever reads them."""
    from msgspec import json
    from msgspec.structs import replace

    results = {name: replace(result, url=None) for name, result in job.results.items()}
    plain = replace(job, result=None, result_url=None, links={}, results=results)
    return json.encode(plain).decode()


def _shown(text: str) -> str:
    """Text of who knows whom, without what would steer a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
