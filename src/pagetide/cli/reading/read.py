"""`pagetide read`: the options, and one pass over the inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from pagetide.cli import options
from pagetide.cli.reading import writing
from pagetide.document.kinds import RESULT_FORMATS

if TYPE_CHECKING:
    from pagetide.cli.reading.batch import Batch
    from pagetide.cli.reading.sources import InputSource
    from pagetide.cli.reading.targets import Names
    from pagetide.document import LineBreaks
    from pagetide.reading import Reader, ReadOptions

FORMATS = (*(name for name in RESULT_FORMATS if name != "raw"), "png")
OpenReader = Callable[..., "Reader"]

EPILOG = """\
Exit codes: 0 all read; 3 some pages could not be read; 64 wrong usage or option;
65 an input cannot be read; 66 an input does not exist; 69 a model or runtime is not installed;
70 the engine failed; 73 a result cannot be written; 130 interrupted; 1 inputs failed in
different ways. If all failed inputs fail in the same way, the exit code is the code of that
failure.
"""


@click.command(epilog=EPILOG)
@options.sources("FILE|DIR|GLOB...")
@writing.output
@options.formats(FORMATS, "txt")
@writing.writing
@options.reading
@options.line_breaks
@options.chunking
@click.option(
    "--threads",
    type=click.IntRange(min=0),
    help="Cores to use; 0 means all. [default: PAGETIDE_THREADS, or all]",
)
@click.pass_context
def read(
    context: click.Context,
    /,
    sources: Sequence[str],
    output: str,
    formats: tuple[str, ...],
    names: Names,
    skip_existing: bool,
    force: bool,
    quiet: bool,
    model: str,
    model_options: dict[str, str],
    threads: int | None,
    line_breaks: LineBreaks,
    chunk_tokens: int,
    chunk_overlap: int,
    **reading: Any,
) -> None:
    """Read documents: files, folders, patterns, or - for standard input.

    Prints the text. With -o each format goes to its own file below that folder, and standard
    output gets one line per input: JSON, or readable text on a terminal. An input that cannot
    be read does not stop the others. Existing files are not overwritten without --force. A
    document's files are written all or none.
    """
    from pagetide.cli.ending import complain
    from pagetide.cli.reading.batch import begin
    from pagetide.cli.reading.results import Results
    from pagetide.cli.reading.sources import find
    from pagetide.exports import Chunking, Style
    from pagetide.reading import ReadOptions

    wanted = ReadOptions(**options.passwords_in_one(reading))
    chunking = Chunking(max_tokens=chunk_tokens, overlap=chunk_overlap)
    style = Style(line_breaks=line_breaks, chunking=chunking)
    folder = None if output == "-" else Path(output)
    finding = find(sources, options.stdin, results=folder)
    writing.check_place(folder, formats, len(finding.found))
    existing = writing.existing_of(folder, skip_existing, force)
    if finding.skipped and not quiet:
        complain(
            f"{len(finding.skipped)} files are skipped because they are neither PDFs"
            f" nor pictures; the first is {finding.skipped[0]}."
        )
    open_reader = cast("OpenReader | None", context.obj) or _open_reader
    opener = partial(open_reader, model, options=model_options, threads=threads)
    with Results(formats, wanted.password, compact=folder is None, style=style) as results:
        batch, to_do = begin(
            finding.found, folder, results, names=names, existing=existing, quiet=quiet
        )
        if to_do:
            _read(opener, to_do, wanted, batch)
    batch.sum_up()
    context.exit(batch.exit_code)


def _read(
    opener: Callable[[], Reader],
    inputs: Sequence[InputSource],
    wanted: ReadOptions,
    batch: Batch,
) -> None:
    with opener() as reader, batch:
        sources = [one.source for one in inputs]
        documents = reader.read_many(sources, wanted, on_page=batch.page)
        for found, (_, document) in zip(inputs, documents, strict=True):
            batch.take(found, document)


def _open_reader(model: str, *, options: dict[str, str], threads: int | None) -> Reader:
    from pagetide.reading.opening import open_reader

    return open_reader(model, options=options, threads=threads)
