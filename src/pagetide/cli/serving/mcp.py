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
    help="A folder whose files may be read; can be repeated.  [default: the working directory]",
)
@click.option(
    "--model", default="structure-lite", show_default=True, help="Model that reads pictures."
)
@click.option(
    "--server", metavar="URL", help="A server that reads; without it this process reads."
)
@click.option(
    "--key",
    metavar="KEY",
    help="An API key. Other users can see it here, but not in PAGETIDE_KEY.",
)
def mcp(roots: tuple[Path, ...], model: str, server: str | None, key: str | None) -> None:
    """Serve documents to language models over the Model Context Protocol.

    An MCP host starts it and talks to it over standard input and output. Its tools read
    documents, list pages, get tables and search. It reads only files below the roots and public
    URLs, plus hosts in PAGETIDE_ALLOW_HOSTS.
    """
    from pagetide.errors import RuntimeUnavailable, installing

    try:
        from pagetide.integrations.mcp.server import serve
    except ModuleNotFoundError as missing:
        if not (missing.name or "").startswith("mcp"):
            raise
        raise RuntimeUnavailable(f"Install the needed packages: {installing('mcp')}.") from None
    from contextlib import closing

    from pagetide.cli.serving.remote import open_client
    from pagetide.inputs import Limits
    from pagetide.integrations.mcp.document_cache import DocumentCache
    from pagetide.integrations.mcp.readings import Library, Reading, ReadingHere, ReadingThere
    from pagetide.server.service.submitting.inspection import Inspector
    from pagetide.settings import Settings

    settings = Settings.from_environment()
    reading: Reading = (
        ReadingThere(open_client(server, key)) if server else ReadingHere(settings, model)
    )
    documents = DocumentCache(roots or (Path.cwd(),), settings)
    with closing(Library(documents, Inspector(Limits.of(settings)), reading)) as library:
        serve(library, model)
