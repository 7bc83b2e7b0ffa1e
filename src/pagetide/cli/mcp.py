"""`pagetide mcp`: documents for language models, over the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder whose files may be read; may be given several times."
    "  [default: the working directory]",
)
@click.option(
    "--model", default="structure-lite", show_default=True, help="What reads pictures."
)
@click.option(
    "--server", metavar="URL", help="A server that reads; without it, this process does."
)
@click.option(
    "--key", metavar="KEY", help="An API key; others can see it here, not in PAGETIDE_KEY."
)
def mcp(roots: tuple[Path, ...], model: str, server: str | None, key: str | None) -> None:
    """Serve documents to language models, by the Model Context Protocol.

    A host starts it and speaks with it on the standard input and output. Its tools read
    documents, list their pages, get tables and search. Only files below the roots are read,
    and public URLs; others as PAGETIDE_ALLOW_HOSTS says.
    """
    from pagetide.errors import RuntimeUnavailable, installing

    try:
        from pagetide.integrations.mcp.server import serve
    except ModuleNotFoundError as missing:
        if not (missing.name or "").startswith("mcp"):
            raise
        raise RuntimeUnavailable(f"Install what this needs: {installing('mcp')}.") from None
    from contextlib import closing

    from pagetide.cli.remote import open_client
    from pagetide.inputs import Limits
    from pagetide.integrations.mcp.document_cache import DocumentCache
    from pagetide.integrations.mcp.readings import Library, Reading, ReadingHere, ReadingThere
    from pagetide.server.service.inspection import Inspector
    from pagetide.settings import Settings

    settings = Settings.from_environment()
    reading: Reading = (
        ReadingThere(open_client(server, key)) if server else ReadingHere(settings, model)
    )
    documents = DocumentCache(roots or (Path.cwd(),), settings)
    with closing(Library(documents, Inspector(Limits.of(settings)), reading)) as library:
        serve(library, model)
