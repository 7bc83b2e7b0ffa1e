"""`pagetide extract`: values for a schema, and answers, from a document by a model server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pagetide.cli import options
from pagetide.cli.completion import files

SOME_UNREAD = 3

EPILOG = """\
Exit codes: 0 done; 3 some pages could not be read; 64 wrong usage, option or
schema; 65 the document cannot be read; 66 it does not exist; 69 there is no model server; 70
the model server cannot be reached, or its answer cannot be used.
"""


@click.command(epilog=EPILOG)
@click.argument("source", metavar="FILE", shell_complete=files)
@click.option(
    "--schema",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with a JSON Schema of the wanted values.",
)
@click.option(
    "--query",
    "queries",
    metavar="TEXT",
    multiple=True,
    help="A question, instead of a schema; can be repeated.",
)
@click.option(
    "--server",
    metavar="URL",
    help="An OpenAI-compatible model server; by default PAGETIDE_EXTRACT_URL.",
)
@options.reading
def extract(
    source: str,
    schema: Path | None,
    queries: tuple[str, ...],
    server: str | None,
    model: str,
    model_options: dict[str, str],
    **reading: Any,
) -> None:
    """Find values for a schema, or answers to questions, in a document.

    A model server finds the values. The result is JSON; each value has the lines that contain
    it. A value that the document does not contain is null and marked as ungrounded.
    """
    from pagetide.cli.ending import complain, emit
    from pagetide.reading import ReadOptions, extraction
    from pagetide.reading.opening import open_reader

    if (schema is None) == (not queries):
        raise click.UsageError("Give either --schema or --query.")
    asked = extraction.server_of(server)
    wanted = _schema(schema) if schema else None
    how = ReadOptions(**options.passwords_in_one(reading))
    with open_reader(model, options=model_options) as reader:
        document = reader.read(options.stdin() if source == "-" else source, how)
    if schema:
        found = extraction.extract(document, wanted, asked)
    else:
        found = extraction.ask(document, queries, asked)
    for notice in found.warnings:
        complain(notice.message)
    emit(extraction.written(found))
    click.get_current_context().exit(SOME_UNREAD if document.failed_pages else 0)


def _schema(path: Path) -> object:
    """The schema in a file, known to be one that can be filled in.

    Raises:
        BadSchema: It is none.
    """
    from pagetide.errors import BadSchema
    from pagetide.reading import extraction

    try:
        return extraction.checked(path.read_bytes())
    except BadSchema as error:
        raise BadSchema(f"{path}: {error.message}") from None
