"""`pagetide keys`: who may use the server. Works on the job store, not through the server."""

from __future__ import annotations

import secrets
import string
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pagetide.keys import ApiKey
    from pagetide.ports import Store

_ID_LETTERS = string.digits + string.ascii_lowercase


@click.group()
def keys() -> None:
    """Create, list and revoke the server's API keys."""


@keys.command()
@click.argument("name")
@click.option("--max-active", type=click.IntRange(min=1), help="Most jobs that have not ended.")
@click.option("--max-bytes", type=click.IntRange(min=1), help="Largest document.")
@click.option("--max-pages", type=click.IntRange(min=1), help="Most pages in one job.")
def create(
    name: str, max_active: int | None, max_bytes: int | None, max_pages: int | None
) -> None:
    """Make a key for NAME and print it, this once.

    The server keeps only a hash of it. Limits that are not given are the server's own.
    """
    from pagetide.cli.ending import complain
    from pagetide.errors import BadOption
    from pagetide.keys import new_key

    if not name.strip() or not name.isprintable():
        raise BadOption("A key's name is one line of letters that can be seen.")
    key, kept = new_key(
        name,
        key_id="".join(secrets.choice(_ID_LETTERS) for _ in range(8)),
        secret=secrets.token_urlsafe(32),
        now=time.time(),
        max_active=max_active,
        max_bytes=max_bytes,
        max_pages=max_pages,
    )
    with _store() as store:
        store.put_key(kept)
    click.echo(key)
    complain(f"This is the only time that the key {kept.id} is shown.")


@keys.command("list")
def list_keys() -> None:
    """List the keys: JSON, or words on a terminal."""
    with _store() as store:
        lines = [_line(key) for key in store.keys()]  # noqa: SIM118 - not a dict
    if lines:
        click.echo("\n".join(lines))


@keys.command()
@click.argument("key_id", metavar="ID")
def revoke(key_id: str) -> None:
    """Let the key with this ID open nothing any more. Its jobs stay."""
    from msgspec.structs import replace

    with _store() as store:
        key = _found(store, key_id)
        if key.revoked_at is None:
            store.put_key(replace(key, revoked_at=time.time()))


@keys.command("webhook-secret")
@click.argument("key_id", metavar="[ID]", default="")
@click.option("--rotate", is_flag=True, help="Make a new one first.")
def webhook_secret(key_id: str, rotate: bool) -> None:
    """Print the secret that signs the webhooks of a key's jobs.

    Without ID it is that of jobs that were submitted without a key. After --rotate webhooks
    are signed with the new secret and with the one before it.
    """
    from pagetide.deliver import WebhookSecrets
    from pagetide.webhook import secret_as_text

    with _store() as store:
        if key_id:
            _found(store, key_id)
        known = WebhookSecrets(store)
        secret = known.rotate(key_id) if rotate else known.of(key_id)[0]
    click.echo(secret_as_text(secret))


def _found(store: Store, key_id: str) -> ApiKey:
    from pagetide.errors import NotFound

    for key in store.keys():  # noqa: SIM118 - not a dict
        if key.id == key_id:
            return key
    raise NotFound("There is no key with this id; `pagetide keys list` shows them.")


@contextmanager
def _store() -> Iterator[Store]:
    from pagetide.settings import Settings
    from pagetide.wiring import open_store

    with closing(open_store(Settings.from_environment())) as store:
        yield store


def _line(key: ApiKey) -> str:
    limits = {
        name: value
        for name in ("max_active", "max_bytes", "max_pages")
        if (value := getattr(key, name)) is not None
    }
    if sys.stdout.isatty():
        created = time.strftime("%Y-%m-%d %H:%M", time.localtime(key.created_at))
        state = "revoked" if key.revoked_at is not None else "valid"
        said = ", ".join(f"{name} {value}" for name, value in limits.items())
        return f"{key.id}  {state:<7}  {created}  {key.name}  {said}".rstrip()
    return _json(key, limits)


def _json(key: ApiKey, limits: dict[str, int]) -> str:
    """The key as one line of JSON, without its hash."""
    import json
    from datetime import UTC, datetime

    def moment(seconds: float | None) -> str | None:
        if seconds is None:
            return None
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")

    created, revoked = moment(key.created_at), moment(key.revoked_at)
    fields = {"id": key.id, "name": key.name, "created_at": created, "revoked_at": revoked}
    return json.dumps(fields | limits, ensure_ascii=False)
