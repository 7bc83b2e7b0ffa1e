"""The parts that can be checked, and which of them the settings name."""

from __future__ import annotations

import socket
from collections.abc import Mapping

from pagetide.cli.checks.blobs import check_blobs, check_results
from pagetide.cli.checks.examination import Part, Steps
from pagetide.cli.checks.model_server import check_model_server
from pagetide.cli.checks.places import shown
from pagetide.cli.checks.queue import check_notifications, check_queue
from pagetide.cli.checks.secret import check_secret
from pagetide.cli.checks.store import check_store
from pagetide.engines.catalogue import Models
from pagetide.errors import StoreFailed
from pagetide.settings import Settings

_HEALTH_S = 2.0


def check_settings(settings: Settings, steps: Steps) -> None:
    """Note which pools there are; wrong settings were reported when they were read."""
    steps.doing = "they were looked at"
    steps.notes.append(f"pools: {', '.join(settings.pools) or 'those of this machine'}")
    if share := settings.canary_share:
        steps.notes.append(f"{share[1]:.0%} of new jobs go to {share[0]}")


def check_models(settings: Settings, steps: Steps) -> None:
    """Check that the models that a worker warms are here.

    Raises:
        PagetideError: One is not.
    """
    for name in settings.warm_models:
        steps.doing = f"{name} was looked for"
        Models(settings).pool(name)
    steps.notes.append(f"here: {', '.join(settings.warm_models) or 'none requested'}")


def check_health(settings: Settings, steps: Steps) -> None:
    """Check that the health port is free, or a worker of ours has it.

    Raises:
        StoreFailed: Something else listens there.
    """
    steps.doing = "the port was tried"
    if not settings.health_port:
        steps.notes.append("none is set")
        return
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", settings.health_port))
        except OSError:
            steps.notes.append(_who_listens(settings.health_port))
        else:
            steps.notes.append("the port is free")


def _who_listens(port: int) -> str:
    import httpx

    try:
        with httpx.Client(trust_env=False, timeout=_HEALTH_S) as client:
            answer = client.get(f"http://127.0.0.1:{port}/health/ready")
    except httpx.HTTPError:
        answer = None
    if answer is None or answer.status_code not in (200, 503):
        raise StoreFailed(f"The port {port} cannot be opened, and no worker answers there.")
    return "a worker answers there: " + ("ready" if answer.status_code == 200 else "not ready")


def _place(url: str, settings: Settings) -> str:
    return shown(url) if url else str(settings.home_folder)


def _used(url: str, settings: Settings) -> bool:
    """What no setting names lies in a folder; who only reads documents has none."""
    return bool(url) or settings.home_folder.exists()


PARTS: Mapping[str, Part] = {
    part.name: part
    for part in (
        Part(
            name="settings",
            check=check_settings,
            place=lambda settings: "",
            hint="",
            used=lambda settings: True,
        ),
        Part(
            name="store",
            check=check_store,
            place=lambda settings: _place(settings.store, settings),
            hint="Check that the server of PAGETIDE_STORE runs and can be reached from"
            " here, that the user may create tables, and that clocks are set by NTP.",
            used=lambda settings: _used(settings.store, settings),
        ),
        Part(
            name="secret",
            check=check_secret,
            place=lambda settings: "",
            hint="Give API and workers the same PAGETIDE_SECRET, or PAGETIDE_SECRET_FILE:"
            " create one with `openssl rand -hex 32`.",
            used=lambda settings: bool(settings.secret) or _used(settings.store, settings),
        ),
        Part(
            name="notifications",
            check=check_notifications,
            place=lambda settings: _place(settings.store, settings),
            hint="Fix the store first. On a single machine all processes must run as one"
            " user and share a folder for temporary files.",
            used=lambda settings: _used(settings.store, settings),
        ),
        Part(
            name="queue",
            check=check_queue,
            place=lambda settings: shown(settings.queue),
            hint="Check that the broker of PAGETIDE_QUEUE runs and can be reached from"
            " here, and that the user may create queues, send and receive.",
            used=lambda settings: settings.queue != "store:",
        ),
        Part(
            name="blobs",
            check=check_blobs,
            place=lambda settings: _place(settings.blobs, settings),
            hint="Check that the bucket or container of PAGETIDE_BLOBS exists, that the"
            " identity may write, read, list, delete and sign, and that clocks are"
            " set by NTP.",
            used=lambda settings: _used(settings.blobs, settings),
        ),
        Part(
            name="results",
            check=check_results,
            place=lambda settings: shown(settings.results),
            hint="Check that the bucket or container of PAGETIDE_RESULTS exists, that the"
            " identity may write, read, list, delete and sign, and that clocks are"
            " set by NTP.",
            used=lambda settings: bool(settings.results),
        ),
        Part(
            name="health",
            check=check_health,
            place=lambda settings: f"port {settings.health_port}",
            hint="Set PAGETIDE_HEALTH_PORT to another port.",
            used=lambda settings: settings.health_port > 0,
        ),
        Part(
            name="models",
            check=check_models,
            place=lambda settings: "",
            hint="`pagetide models pull` fetches what a model needs.",
            used=lambda settings: bool(settings.warm_models),
        ),
        Part(
            name="model-server",
            check=check_model_server,
            place=lambda settings: shown(settings.extract_url),
            hint="Check that the server of PAGETIDE_EXTRACT_URL runs and can be reached"
            " from here, and check the address up to its end (usually /v1), its key"
            " and name.",
            used=lambda settings: bool(settings.extract_url),
        ),
    )
}


def configured(settings: Settings) -> tuple[str, ...]:
    """The parts that the settings name, or that are there where nothing is named."""
    return tuple(name for name, part in PARTS.items() if part.used(settings))
