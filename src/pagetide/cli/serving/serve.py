"""`pagetide serve`: the whole service on one box; `pagetide api`: what answers, alone."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from pagetide.errors import BadOption
from pagetide.settings import Settings

if TYPE_CHECKING:
    from pagetide.server.ports import Store

# While the API process is started again.
CALLERS_WAITING = 1024


@click.command()
@click.option("--host", help="Address to listen on. [default: PAGETIDE_HOST, or 127.0.0.1]")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Port to listen on. [default: PAGETIDE_PORT, or 8000]",
)
@click.option("--data", "data_dir", help="Folder for jobs and documents.")
@click.option("--min-workers", help="Workers kept running without work.")
@click.option("--max-workers", type=click.IntRange(1), help="Maximum workers per pool.")
@click.option("--threads", type=click.IntRange(0), help="Cores one worker may use.")
@click.option("--keys/--no-keys", default=None, help="Whether callers need an API key.")
@click.option(
    "--insecure", is_flag=True, help="Allow listening beyond this machine without keys."
)
def serve(keys: bool | None, insecure: bool, **given: str | int | None) -> None:
    """Serve the HTTP API on this machine, and start workers as needed."""
    from pagetide.server.supervisor.one_box import Supervisor
    from pagetide.server.wiring import open_store
    from pagetide.telemetry.logs import configure

    settings = _with_options(given, keys)
    configure(settings)
    with_keys = keys_needed(settings)
    store = open_store(settings)
    _check_exposure(settings, store, with_keys, insecure)
    store.close()
    settings = replace(settings, auth="keys" if with_keys else "off")
    listening = _listen(settings.host, settings.port)
    host, port = listening.getsockname()[:2]
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    if not settings.public_url and not _unspecified(host):
        settings = replace(settings, public_url=url)
    settings = replace(settings, port=port)
    click.echo(f"Pagetide answers at {url}; open it in a browser, or see {url}/docs", err=True)
    Supervisor(settings, listening).run()


@click.command()
@click.option("--fd", type=int, help="An inherited listening socket.")
def api(fd: int | None) -> None:
    """Serve only the HTTP API, without workers."""
    from pagetide.server.app.serving import run
    from pagetide.telemetry.logs import configure

    settings = Settings.from_environment()
    configure(settings)
    if fd is not None:
        listening = socket.socket(fileno=fd)
    else:
        listening = _listen(settings.host, settings.port)
    run(settings, listening, keys_needed=keys_needed(settings), parented=fd is not None)


def keys_needed(settings: Settings) -> bool:
    """Whether callers need a key: `auto` means wherever others than this machine can call.

    Raises:
        BadOption: The setting is none of its values.
    """
    if settings.auth not in ("auto", "keys", "off"):
        raise BadOption(f"PAGETIDE_AUTH must be auto, keys or off, not {settings.auth!r}.")
    return settings.auth == "keys" or (settings.auth == "auto" and not _loopback(settings.host))


def _with_options(given: dict[str, str | int | None], keys: bool | None) -> Settings:
    settings = Settings.from_environment()
    told = {name: value for name, value in given.items() if value is not None}
    if keys is not None:
        told["auth"] = "keys" if keys else "off"
    return replace(settings, **told)  # type: ignore[arg-type]  # click has checked the types


def _check_exposure(settings: Settings, store: Store, with_keys: bool, insecure: bool) -> None:
    if _loopback(settings.host) or insecure:
        return
    if not with_keys:
        raise BadOption(
            f"Without API keys anyone who can reach {settings.host} could use this"
            " server: remove --no-keys, or add --insecure."
        )
    keys = store.keys()
    if all(key.revoked_at for key in keys):
        raise BadOption(
            f"Listening on {settings.host} needs an API key: create one with"
            " `pagetide keys create NAME`, or use --insecure with --no-keys."
        )


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _unspecified(host: str) -> bool:
    """Whether it means every address, so that it names none that a link could lead to."""
    return ipaddress.ip_address(host).is_unspecified


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(CALLERS_WAITING)
    except OSError as error:
        listening.close()
        raise BadOption(f"Cannot listen on {host}:{port}: {error.strerror}.") from None
    return listening
