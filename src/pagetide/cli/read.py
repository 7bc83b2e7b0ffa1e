"""`pagetide read`: the options, and one pass over the inputs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

import click

from pagetide.cli.progress import Progress

if TYPE_CHECKING:
    from pagetide.document import TextLayerMode
    from pagetide.reading import Reader, ReadOptions

FORMATS = ("json", "md", "txt", "hocr", "pdf", "png")
OpenReader = Callable[..., "Reader"]

EPILOG = """\
Exit codes: 0 all read; 3 some pages could not be read; 64 wrong usage or option; 65 an
input cannot be read; 66 an input is not there; 69 a model or runtime is not installed; 70
the engine failed; 73 a result cannot be written; 130 interrupted; 1 inputs failed in
different ways. Where several inputs fail in the same way, that code stands for all of them.
"""


def _formats(context: click.Context, option: click.Parameter, value: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(part.strip().lower() for part in value.split(",")))
    for name in names:
        if name not in FORMATS:
            raise click.BadParameter(f"{name!r} is not one of {', '.join(FORMATS)}.")
    return names


@click.command(epilog=EPILOG)
@click.argument("sources", nargs=-1, required=True, metavar="FILE|DIR|GLOB...")
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    default="-",
    help="Write results below this folder; without it, or with -, to the standard output.",
)
@click.option(
    "-f",
    "--format",
    "formats",
    metavar="LIST",
    default="txt",
    show_default=True,
    callback=_formats,
    help=f"One or more of {','.join(FORMATS)}.",
)
@click.option("--pages", metavar="RANGE", help='Such as "1-3,7,-1", "5-" or "-3-".')
@click.option(
    "--lang",
    "language",
    metavar="CODE",
    default="auto",
    show_default=True,
    help="The language, such as en, de, zh or ja; `pagetide models --languages` lists them.",
)
@click.option("--model", default="pp-ocrv6", show_default=True, help="What reads pictures.")
@click.option(
    "--text-layer",
    type=click.Choice(["auto", "never", "only"]),
    default="auto",
    show_default=True,
    help="Whether to take a page's own text: when it can be trusted, never, or only.",
)
@click.option("--password", metavar="TEXT", help="For encrypted PDFs; others can see it.")
@click.option(
    "--password-file",
    type=click.File(encoding="utf-8"),
    help="A file whose first line is the password; - is the standard input.",
)
@click.option("--ask-password", is_flag=True, help="Ask for the password.")
@click.option(
    "--dpi",
    type=click.FloatRange(72, 600),
    default=144,
    show_default=True,
    help="Pixels per inch at which PDF pages are drawn.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=0),
    help="Cores to use; 0 or nothing means all of them.",
)
@click.pass_context
def read(
    context: click.Context,
    /,
    sources: Sequence[str],
    output: str,
    formats: tuple[str, ...],
    model: str,
    threads: int | None,
    **reading: Any,
) -> None:
    """Read documents: files, folders, patterns, or - for the standard input.

    Text goes to the standard output, or with -o every format to a file of its own below
    that folder, and one line for each input to the standard output: JSON, or words on a
    terminal. An input that cannot be read does not stop the others.
    """
    from pagetide.cli.batch import Batch
    from pagetide.cli.ending import complain
    from pagetide.cli.results import Results
    from pagetide.cli.sources import find

    options = _options(**reading)
    finding = find(sources, _stdin)
    folder = None if output == "-" else Path(output)
    _check_place(folder, formats, len(finding.found))
    if finding.skipped:
        complain(
            f"{len(finding.skipped)} files that are neither PDFs nor pictures are left out,"
            f" the first of them {finding.skipped[0]}."
        )
    progress = Progress(sys.stderr, len(finding.found), time.monotonic)
    open_reader = cast("OpenReader | None", context.obj) or _open_reader
    with (
        open_reader(model, threads=threads) as reader,
        Results(formats, options.password, compact=folder is None) as results,
    ):
        batch = Batch(finding.found, folder, results, progress)
        inputs = [one.source for one in finding.found]
        documents = reader.read_many(inputs, options, on_page=batch.page)
        try:
            for found, (_, document) in zip(finding.found, documents, strict=True):
                batch.take(found, document)
        finally:
            progress.clear()
    batch.sum_up()
    context.exit(batch.exit_code)


def _open_reader(model: str, *, threads: int | None) -> Reader:
    from pagetide.wiring import open_reader

    return open_reader(model, threads=threads)


def _stdin() -> bytes:
    from pagetide.settings import Settings

    # One byte past the limit is enough to be refused, however much there is.
    content: bytes = sys.stdin.buffer.read(Settings.from_environment().max_bytes + 1)
    return content


def _options(
    *,
    language: str,
    pages: str | None,
    password: str | None,
    password_file: TextIO | None,
    ask_password: bool,
    dpi: float,
    text_layer: TextLayerMode,
) -> ReadOptions:
    from pagetide.reading import ReadOptions

    if sum([password is not None, password_file is not None, ask_password]) > 1:
        raise click.UsageError("Give the password in one way only.")
    if password_file is not None:
        password = password_file.readline().rstrip("\r\n")
    if ask_password:
        password = click.prompt("Password", hide_input=True, err=True)
    return ReadOptions(
        language=language, pages=pages, password=password, dpi=dpi, text_layer=text_layer
    )


def _check_place(folder: Path | None, formats: Sequence[str], inputs: int) -> None:
    """Refuse what the standard output cannot carry.

    Raises:
        UsageError: Several formats, pictures, a PDF on a terminal, or several inputs in a
            format that holds but one.
    """
    if folder is not None:
        return
    if len(formats) > 1:
        raise click.UsageError("Several formats need a folder to go to: add -o DIR.")
    (only,) = formats
    if only == "png":
        raise click.UsageError("The format png needs a folder to go to: add -o DIR.")
    if only == "pdf" and sys.stdout.isatty():
        raise click.UsageError("A PDF cannot be shown here: add -o DIR, or redirect it.")
    if inputs > 1 and only not in ("txt", "json"):
        raise click.UsageError(
            f"Several inputs in the format {only} need a folder to go to: add -o DIR."
        )
