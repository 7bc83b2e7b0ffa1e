"""`pagetide keys`: who may use the server. Works on the job store, not through the server."""

from __future__ import annotations

import secrets
import string
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pagetide.cli.durations import Duration
from pagetide.server.jobs.keys import LEAST, SCOPES

if TYPE_CHECKING:
    from pagetide.server.jobs.keys import ApiKey, Scope
    from pagetide.server.ports import Store

F = TypeVar("F", bound=Callable[..., Any])

_ID_LETTERS = string.digits + string.ascii_lowercase
_GRACE = "24h"
_SCOPE = click.Choice(SCOPES)
_expires = click.option(
    "--expires", metavar="TIME", type=Duration(), help="How long the key is valid: 90d, 12h."
)
_LIMITS = (
    ("--max-active", "Maximum jobs that have not ended."),
    ("--max-bytes", "Maximum size of a document, in bytes."),
    ("--max-pages", "Maximum pages in one job."),
    ("--active-pages", "Maximum pages in jobs that have not ended."),
    ("--pages-per-day", "Maximum pages per day (UTC)."),
    ("--requests-per-second", "Maximum requests per second to one server process."),
    ("--weight", "Turns of this key for each turn of another key."),
)
_MOST = {"--weight": 100}


def _limits(least: int) -> Callable[[F], F]:
    """Options for all limits of a key, each a whole number of so much at least."""

    def with_options(command: F) -> F:
        for name, help_text in reversed(_LIMITS):
            most = click.IntRange(least, _MOST.get(name))
            command = click.option(name, type=most, help=help_text)(command)
        return command

    return with_options


@click.group()
def keys() -> None:
    """Create, list, change, rotate and revoke the server's API keys."""


@keys.command()
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=_SCOPE,
    multiple=True,
    default=LEAST,
    help="A permission of the key; can be repeated. [default: read and submit]",
)
@_expires
@_limits(1)
def create(
    name: str, scopes: tuple[Scope, ...], expires: float | None, **limits: int | None
) -> None:
    """Create a key for NAME and print it. It is shown only once.

    The server stores only a hash. The server's limits apply where none is given. Scopes are
    `read` (see its own jobs and their results), `submit` (send, cancel and erase documents),
    `operate` (metrics, backlog, history) and `scale` (request workers).
    """
    from pagetide.errors import BadOption
    from pagetide.server.jobs.keys import new_key

    if not name.strip() or not name.isprintable():
        raise BadOption("A key's name must be one line of printable characters.")
    now = time.time()
    key, kept = new_key(
        name,
        key_id="".join(secrets.choice(_ID_LETTERS) for _ in range(8)),
        secret=_secret(),
        now=now,
        scopes=scopes,
        expires_at=None if expires is None else now + expires,
        **limits,
    )
    with _store() as store:
        store.put_key(kept)
    _show(key, kept)


@keys.command("list")
def list_keys() -> None:
    """List the keys: JSON, or readable text on a terminal."""
    from pagetide.cli.serving.key_lines import line
    from pagetide.server.service import key_use

    with _store() as store:
        lines = [
            line(key, key_use.last(store, key.id), time.time())
            for key in store.keys()  # noqa: SIM118 - not a dict
        ]
    if lines:
        click.echo("\n".join(lines))


@keys.command()
@click.argument("key_id", metavar="ID")
@click.argument("scopes", metavar="SCOPE...", type=_SCOPE, nargs=-1, required=True)
def scope(key_id: str, scopes: tuple[Scope, ...]) -> None:
    """Set the scopes of the key with this ID, replacing the earlier ones.

    Keys from before scopes existed may do everything until you set their scopes.
    """
    from msgspec.structs import replace

    from pagetide.server.jobs.keys import in_order

    with _store() as store:
        store.put_key(replace(_found(store, key_id), scopes=in_order(scopes)))


@keys.command()
@click.argument("key_id", metavar="ID")
@_limits(0)
def limit(key_id: str, **limits: int | None) -> None:
    """Change limits of the key with this ID; 0 resets a limit to the server's.

    Limits that are not given stay the same. Changes take effect within a second. --weight, and
    what counts for --active-pages and --pages-per-day, apply to jobs submitted from now on.
    """
    from msgspec.structs import replace

    from pagetide.errors import BadOption

    given = {name: value or None for name, value in limits.items() if value is not None}
    if not given:
        raise BadOption("No limit is given; see `pagetide keys limit --help`.")
    with _store() as store:
        store.put_key(replace(_found(store, key_id), **given))


@keys.command()
@click.argument("key_id", metavar="ID")
@click.option(
    "--grace",
    metavar="TIME",
    type=Duration(),
    default=_GRACE,
    show_default=True,
    help="How long the previous secret stays valid: 12h, 0s.",
)
@_expires
def rotate(key_id: str, grace: float, expires: float | None) -> None:
    """Create a new secret for the key with this ID and print the key. It is shown only once.

    Jobs, scopes and limits stay the same. After two rotations within the grace time only the
    last secret and the one before it are valid.
    """
    from msgspec.structs import replace

    from pagetide.errors import BadOption
    from pagetide.server.jobs.keys import rotated

    now = time.time()
    with _store() as store:
        kept = _found(store, key_id)
        if expires is not None:
            kept = replace(kept, expires_at=now + expires)
        if not kept.valid(now):
            raise BadOption("This key has been revoked or has expired; create a new one.")
        key, kept = rotated(kept, secret=_secret(), now=now, grace_s=grace)
        store.put_key(kept)
    _show(key, kept)


@keys.command()
@click.argument("key_id", metavar="ID")
def revoke(key_id: str) -> None:
    """Revoke the key with this ID. Its jobs stay."""
    from msgspec.structs import replace

    with _store() as store:
        key = _found(store, key_id)
        if key.revoked_at is None:
            store.put_key(replace(key, revoked_at=time.time()))


@keys.command("webhook-secret")
@click.argument("key_id", metavar="[ID]", default="")
@click.option("--rotate", is_flag=True, help="Create a new secret first.")
def webhook_secret(key_id: str, rotate: bool) -> None:
    """Print the secret that signs the webhooks of a key's jobs.

    Without ID: the secret for jobs that were submitted without a key. After --rotate webhooks
    are signed with both the new and the previous secret.
    """
    from pagetide.server.service.webhook_secrets import WebhookSecrets, secret_as_text

    with _store() as store:
        if key_id:
            _found(store, key_id)
        known = WebhookSecrets(store)
        secret = known.rotate(key_id) if rotate else known.of(key_id)[0]
    click.echo(secret_as_text(secret))


def _secret() -> str:
    return secrets.token_urlsafe(32)


def _show(key: str, kept: ApiKey) -> None:
    from pagetide.cli.ending import complain

    click.echo(key)
    complain(f"The key {kept.id} is shown only this once. It may {', '.join(kept.may)}.")


def _found(store: Store, key_id: str) -> ApiKey:
    from pagetide.errors import NotFound

    for key in store.keys():  # noqa: SIM118 - not a dict
        if key.id == key_id:
            return key
    raise NotFound("There is no key with this ID; see `pagetide keys list`.")


@contextmanager
def _store() -> Iterator[Store]:
    from pagetide.server.wiring import open_store
    from pagetide.settings import Settings

    with closing(open_store(Settings.from_environment())) as store:
        yield store
