"""`pagetide batch`: a bucket of documents read into shards of rows."""

from __future__ import annotations

import json
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING

import click

from pagetide.cli import options
from pagetide.cli.serving.watch import check_apart

if TYPE_CHECKING:
    from pagetide.integrations.batch.items import Job
    from pagetide.integrations.batch.plan import Done
    from pagetide.integrations.batch.run import Executor, Run

PARTIAL = 3
EPILOG = """\
A place is a folder, or s3://BUCKET/PREFIX, az://CONTAINER/PREFIX, gs://BUCKET/PREFIX.

Exit codes: 0 all read; 3 some pages or documents could not be read, and their rows say why; 64
wrong usage, or the target belongs to another run; 66 there is nothing to read; 69 a model or
runtime is not installed; 75 a place cannot be reached: run the command again to continue.
"""


@click.command(epilog=EPILOG)
@click.argument("source", metavar="SOURCE")
@click.argument("target", metavar="TARGET")
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["parquet", "jsonl"]),
    default="parquet",
    show_default=True,
    help="Format of the shards; Parquet needs the extra batch.",
)
@click.option(
    "--rows",
    type=click.Choice(["pages", "documents"]),
    default="pages",
    show_default=True,
    help="Content of a row.",
)
@click.option(
    "--model", default="structure-lite", show_default=True, help="Model that reads pictures."
)
@click.option(
    "--option",
    "model_options",
    metavar="NAME=VALUE",
    multiple=True,
    callback=options.pairs,
    help="An option of the model; can be repeated.",
)
@click.option(
    "--lang",
    "language",
    metavar="CODE",
    default="auto",
    show_default=True,
    help="The language.",
)
@options.dpi
@options.text_layer
@click.option(
    "--workers",
    type=click.IntRange(1, 1024),
    help="Number of worker processes, or actors on Ray; by default one per core of this"
    " machine.",
)
@click.option(
    "--documents-per-shard",
    type=click.IntRange(1, 10_000),
    default=16,
    show_default=True,
    help="Documents given to a worker at once.",
)
@click.option(
    "--pages-per-shard",
    type=click.IntRange(1, 10_000),
    default=64,
    show_default=True,
    help="Maximum pages per shard; longer documents are split.",
)
@click.option(
    "--price-per-hour",
    type=click.FloatRange(0),
    metavar="PRICE",
    help="Price of a worker per hour; progress and report then show the cost.",
)
@click.option(
    "--ray",
    "ray_address",
    metavar="ADDRESS",
    help="Read on this Ray cluster (auto: the one on this machine); needs the extra ray.",
)
@click.option(
    "--gpus", type=click.FloatRange(0), default=0, help="GPUs per worker on Ray, such as 0.25."
)
@click.pass_context
def batch(
    context: click.Context,
    /,
    source: str,
    target: str,
    form: str,
    rows: str,
    model: str,
    model_options: dict[str, str],
    language: str,
    dpi: float,
    text_layer: str,
    workers: int | None,
    documents_per_shard: int,
    pages_per_shard: int,
    price_per_hour: float | None,
    ray_address: str | None,
    gpus: float,
) -> None:
    """Read all documents of SOURCE into sharded rows in TARGET, each page once.

    SOURCE is a place, a file with one path or URL per line, or a Parquet file with a column of
    them. A document that cannot be read becomes a row that says why. The run can be killed at
    any time; run it again to continue. At the end TARGET has _report.md and _report.html.
    """
    from pagetide.integrations.batch.items import Job
    from pagetide.integrations.batch.plan import RunOptions
    from pagetide.integrations.batch.run import Run
    from pagetide.integrations.batch.sources import entries_of
    from pagetide.server.wiring import open_place
    from pagetide.settings import available_cores

    check_apart(source, target)
    _check(form, ray_address)
    run_options = RunOptions(
        source=source,
        format=form,
        rows=rows,
        model=_vetted(model, model_options, language, text_layer),
        language=language,
        dpi=dpi,
        text_layer=text_layer,
        documents_per_shard=documents_per_shard,
        pages_per_shard=pages_per_shard,
    )
    cores = available_cores()
    workers = workers or cores
    threads = max(1, cores // workers) if ray_address is None else 1
    job = Job(options=run_options, target=target, threads=threads)
    run = Run(run_options, entries_of(source), open_place(target, make=True))
    executor = _executor(job, workers, ray_address, gpus)
    context.exit(_done(run, job, executor, price_per_hour))


def _done(run: Run, job: Job, executor: Executor, price_per_hour: float | None) -> int:
    """Do what is left of a run, and sum it up; the exit code."""
    from pagetide.cli.ending import emit
    from pagetide.cli.serving.batch_progress import BatchProgress
    from pagetide.integrations.batch import report

    before = report.totals(run.done.values())
    progress = BatchProgress(sys.stderr, time.monotonic, before, price_per_hour)

    def on_done(done: Done) -> None:
        progress.draw(report.totals(run.done.values()), run.items[1])

    try:
        with closing(executor):
            run.go(executor, on_done)
    finally:
        progress.clear()
    sums = report.totals(run.done.values())
    run.end(
        [
            ("_report.md", report.markdown(run.done, job.options, price_per_hour).encode()),
            ("_report.html", report.page(run.done, job.options, price_per_hour).encode()),
        ]
    )
    said = {
        "documents": sums.documents,
        "pages": sums.pages,
        "failed": sums.failed,
        "worker_s": round(sums.worker_s, 1),
        "pages_now": sums.pages - before.pages,
    }
    emit(json.dumps(said).encode() + b"\n")
    return PARTIAL if sums.failed else 0


def _check(form: str, ray_address: str | None) -> None:
    """Refuse what is not installed, before anything is begun.

    Raises:
        RuntimeUnavailable: It is not.
    """
    from importlib.util import find_spec

    from pagetide.errors import RuntimeUnavailable, installing

    for package, extra, needed in (
        ("pyarrow", "batch", form == "parquet"),
        ("ray", "ray", ray_address is not None),
    ):
        if needed and find_spec(package) is None:
            raise RuntimeUnavailable(
                f"This needs {package}: {installing(extra)}"
                + (", or ask for --format jsonl." if package == "pyarrow" else ".")
            )


def _vetted(model: str, model_options: dict[str, str], language: str, text_layer: str) -> str:
    """The model with its options, before anything is written down.

    Raises:
        BadOption: There is no such model, or it does not read the language.
    """
    from pagetide.engines.catalogue import Models, canonical
    from pagetide.languages import find
    from pagetide.reading.opening import open_reader
    from pagetide.settings import Settings

    named = canonical(model, model_options)
    open_reader(named).close()
    if text_layer == "only":
        find(language)
    else:
        Models(Settings.from_environment()).vet_language(named, language)
    return named


def _executor(job: Job, workers: int, ray_address: str | None, gpus: float) -> Executor:
    if ray_address is None:
        from pagetide.integrations.batch.run import Processes

        return Processes(job, workers)
    from pagetide.integrations.batch.ray_run import Actors

    return Actors(job, workers, ray_address, gpus)
