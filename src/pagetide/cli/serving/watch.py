"""`pagetide watch`: what arrives in one place is read, and the results put in another."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

import click

from pagetide.cli import options
from pagetide.cli.serving.submit import FORMATS, options_of

if TYPE_CHECKING:
    from pagetide.cli.reading.outcome import Outcome
    from pagetide.errors import PagetideError
    from pagetide.integrations.folder_watch.reading import Ended

EPILOG = """\
A place is a folder, or s3://BUCKET/PREFIX, az://CONTAINER/PREFIX, gs://BUCKET/PREFIX.

Exit codes: 0 stopped by a signal; with --once those of `pagetide submit`, and 75 if files are
left for later because they were still growing or failed a moment ago.
"""
LEFT = 75


@click.command(epilog=EPILOG)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@options.server
@options.formats(FORMATS, "md")
@options.reading
@options.line_breaks
@click.option(
    "--priority",
    type=click.Choice(["interactive", "batch"]),
    default="batch",
    show_default=True,
    help="Priority of these jobs when many are waiting.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 64),
    default=4,
    show_default=True,
    help="Maximum files submitted at once.",
)
@click.option(
    "--every",
    "every_s",
    type=click.FloatRange(0.1),
    default=5.0,
    show_default=True,
    metavar="SECONDS",
    help="Interval between two checks. A file in a folder is read when two checks find it"
    " unchanged.",
)
@click.option("--once", is_flag=True, help="Read the files that are there, then exit.")
@click.pass_context
def watch(
    context: click.Context,
    /,
    source: str,
    target: str,
    server: str | None,
    key: str | None,
    formats: tuple[str, ...],
    concurrency: int,
    every_s: float,
    once: bool,
    **reading: Any,
) -> None:
    """Send files that arrive in IN to a server and write the results to OUT, each file once.

    The results of IN/a/scan.pdf are OUT/a/scan.pdf.md and so on, and last
    OUT/a/scan.pdf.pagetide.json, which says that they are complete. If a file cannot be read,
    OUT/a/scan.pdf.error.json says why. It can be stopped and killed at any time and continues
    where it was. On SIGTERM it finishes what it has started.
    """
    from pagetide.cli.ending import complain
    from pagetide.cli.reading.outcome import exit_code
    from pagetide.cli.serving.remote import open_client
    from pagetide.integrations.folder_watch.reading import FileReader
    from pagetide.integrations.folder_watch.watcher import Watcher
    from pagetide.server.wiring import open_place

    check_apart(source, target)
    places = open_place(source), open_place(target, make=True)
    submit_options = options_of(formats, options.passwords_in_one(reading))
    teller = _Teller(remembers=once)
    with open_client(server, key) as client:
        reader = FileReader(
            *places, client, options=submit_options, formats=formats, clock=time.time
        )
        watcher = Watcher(
            *places, reader, clock=time.time, on_ended=teller.tell, on_trouble=teller.troubled
        )
        _end_with(watcher.stop)
        watcher.run(every_s=every_s, at_once=concurrency, once=once)
    if not once:
        return
    left = watcher.unfinished + watcher.postponed()
    if left:
        complain(f"Left for later, still growing or tried a moment ago: {left}.")
    context.exit(exit_code(teller.outcomes) or (LEFT if left else 0))


def check_apart(source: str, target: str) -> None:
    """Refuse places of which one lies in the other: results would be read again.

    Raises:
        UsageError: It does.
    """
    one, other = _parts(source), _parts(target)
    if one[: len(other)] == other or other[: len(one)] == one:
        raise click.UsageError("IN and OUT must be separate: neither may be inside the other.")


def _parts(where: str) -> tuple[str, ...]:
    """A place as the names that lead to it."""
    url = urlsplit(where)
    path = unquote(url.path)
    if "://" in where and url.scheme != "file":
        # A region, and how a bucket is addressed, tell no bucket from another.
        options = (f"{name}={value}" for name, value in sorted(parse_qsl(url.query)))
        told = [option for option in options if option.startswith(("account=", "endpoint="))]
        return (url.scheme, url.netloc, *told, "/", *filter(None, path.split("/")))
    return Path(path if "://" in where else where).resolve().parts


def _end_with(stop: Callable[[], None]) -> None:
    """Stop at the first signal; the second one ends the process as if nothing caught it."""
    numbers = (signal.SIGTERM, signal.SIGINT)

    def ask(*_: object) -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)
        stop()

    for number in numbers:
        signal.signal(number, ask)


class _Teller:
    """Tells what became of each file, and remembers it where it ends some day by itself."""

    def __init__(self, remembers: bool) -> None:
        self.outcomes: list[Outcome] = []
        self._remembers = remembers

    def tell(self, ended: Ended) -> None:
        from pagetide.cli.reading.outcome import Outcome, failed, tell

        if ended.error:
            outcome = failed(ended.name, ended.error)
        else:
            job = ended.job or ""
            files = list(ended.files)
            outcome = Outcome(source=ended.name, status=ended.status, job=job, files=files)
        self._keep(outcome)
        tell(outcome)

    def troubled(self, name: str, error: PagetideError) -> None:
        from pagetide.cli.reading.outcome import failed

        outcome = failed(name or "IN and OUT", error)
        self._keep(outcome)

    def _keep(self, outcome: Outcome) -> None:
        if self._remembers:
            self.outcomes.append(outcome)
