"""`pagetide migrate`: the job store's tables brought up to this version."""

from __future__ import annotations

import click

from pagetide.settings import Settings


@click.command()
def migrate() -> None:
    """Bring the job store's tables up to this version; older processes may go on."""
    from pagetide.server.wiring import migrate_store

    before, after = migrate_store(Settings.from_environment())
    if before == after:
        click.echo(f"The store has schema {after} already.")
    else:
        click.echo(f"The store had schema {before} and has schema {after} now.")
