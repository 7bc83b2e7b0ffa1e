"""`pagetide migrate`: the job store's tables brought up to this version."""

from __future__ import annotations

import click

from pagetide.settings import Settings


@click.command()
def migrate() -> None:
    """Upgrade the job store's tables to this version; older processes keep working."""
    from pagetide.server.wiring import migrate_store

    before, after = migrate_store(Settings.from_environment())
    if before == after:
        click.echo(f"The store already has schema {after}.")
    else:
        click.echo(
            f"The store was upgraded: it had schema {before}, now it has schema {after}."
        )
