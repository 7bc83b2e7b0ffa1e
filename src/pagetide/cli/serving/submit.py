"""`pagetide submit`: documents to a server, and their results back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from pagetide.cli import options
from pagetide.cli.reading import writing
from pagetide.document.kinds import RESULT_FORMATS

if TYPE_CHECKING:
    from pagetide.cli.reading.batch import Batch
    from pagetide.cli.reading.sources import InputSource
    from pagetide.cli.reading.targets import Names
    from pagetide.cli.serving.remote import RemoteFiles
    from pagetide.client import Client, RemoteJob, SubmitOptions
    from pagetide.errors import PagetideError

FORMATS = RESULT_FORMATS
ALWAYS_MADE = ("json", "raw")

EPILOG = """\
Exit codes: those of `pagetide read`; also 69 if the server does not answer, 75 if
it is too busy, 77 if it needs another key.
"""


@click.command(epilog=EPILOG)
@options.sources("FILE|DIR|GLOB|URL...")
@options.server
@click.option("--wait", is_flag=True, help="Wait for the results and write them.")
@writing.output
@options.formats(FORMATS, "md")
@writing.writing
@options.reading
@options.line_breaks
@click.option(
    "--priority",
    type=click.Choice(["interactive", "batch"]),
    default="interactive",
    show_default=True,
    help="Priority of these jobs when many are waiting.",
)
@click.option("--webhook-url", metavar="URL", help="URL to call when a job has ended.")
@click.option(
    "--meta",
    "metadata",
    metavar="NAME=VALUE",
    multiple=True,
    callback=options.pairs,
    help="Your own values, returned with the job; can be repeated.",
)
@click.option(
    "--ttl",
    "ttl_s",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="How long the server keeps document and results after the job ends.",
)
@options.review
@click.pass_context
def submit(
    context: click.Context,
    /,
    sources: Sequence[str],
    server: str | None,
    key: str | None,
    wait: bool,
    output: str,
    formats: tuple[str, ...],
    names: Names,
    skip_existing: bool,
    force: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Send documents to a server: files, folders, patterns, URLs, or -.

    Without --wait it prints one line per input as soon as the server has it: JSON with the
    job's ID, or readable text on a terminal. With --wait it writes the results as `pagetide
    read` does. An input that cannot be read does not stop the others.
    """
    from pagetide.cli.reading.batch import begin
    from pagetide.cli.reading.sources import find
    from pagetide.cli.serving.remote import RemoteFiles, open_client

    folder = None if output == "-" else Path(output)
    if folder and not wait:
        raise click.UsageError("There is nothing to write without --wait.")
    found = find(sources, options.stdin, urls=True, results=folder).found
    if wait:
        writing.check_place(folder, formats, len(found))
    existing = writing.existing_of(folder, skip_existing, force)
    named = context.get_parameter_source("formats") is not ParameterSource.DEFAULT
    submit_options = options_of(
        formats if wait or named else (), options.passwords_in_one(reading)
    )
    with open_client(server, key) as client:
        files = RemoteFiles(client, formats)
        batch, to_do = begin(found, folder, files, names=names, existing=existing, quiet=quiet)
        sent = _sent(client, to_do, submit_options)
        if wait:
            _await(client, sent, files, batch)
            context.exit(batch.exit_code)
        context.exit(_show_ids(sent))


def options_of(formats: Sequence[str], reading: dict[str, Any]) -> SubmitOptions:
    """The options as the client takes them."""
    language = reading.pop("language")
    languages = [] if language == "auto" else language.split(",")
    to_make = [name for name in formats if name not in ALWAYS_MADE]
    reading["options"] = reading.pop("model_options")
    return {**reading, "languages": languages, "formats": to_make}  # type: ignore[typeddict-item]


Sent = tuple["InputSource", "RemoteJob | PagetideError"]


def _sent(
    client: Client, found: Iterable[InputSource], submit_options: SubmitOptions
) -> Iterator[Sent]:
    """Submit inputs one by one; each with its job, or with what is wrong."""
    from pagetide.errors import PagetideError

    for one in found:
        named: SubmitOptions = {**submit_options}
        if isinstance(one.source, bytes):
            named["name"] = one.place.name
        try:
            yield one, client.submit(one.source, **named)
        except PagetideError as error:
            yield one, error


def _show_ids(sent: Iterable[Sent]) -> int:
    """Tell the jobs' ids; the exit code."""
    from pagetide.cli.reading.outcome import Outcome, exit_code, failed, tell
    from pagetide.errors import PagetideError

    outcomes = []
    for found, job in sent:
        if isinstance(job, PagetideError):
            outcomes.append(failed(found.name, job))
        else:
            outcomes.append(Outcome(source=found.name, status=job.status, job=job.id))
        tell(outcomes[-1])
    return exit_code(outcomes)


def _await(client: Client, sent: Iterable[Sent], files: RemoteFiles, batch: Batch) -> None:
    """Submit everything, then wait for one after the other."""
    from pagetide.cli.ending import complain
    from pagetide.cli.serving.remote import document_of

    everything = list(sent)
    try:
        with batch:
            for found, job in everything:
                batch.take(found, document_of(client, job, batch.progress, files, found))
    except KeyboardInterrupt:
        complain("The server continues reading; `pagetide jobs` shows and cancels jobs.")
        raise
    batch.sum_up()
