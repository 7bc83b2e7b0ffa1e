"""The check of the model server that values are extracted by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from pagetide.cli.checks.examination import Steps
from pagetide.errors import ModelUnavailable
from pagetide.settings import Settings
from pagetide.system.ready_types import ready

if TYPE_CHECKING:
    import httpx

MOST_NAMES = 5


class _Model(Struct):
    id: str


class _Models(Struct):
    data: list[_Model]


def check_model_server(settings: Settings, steps: Steps) -> None:
    """Ask it which models it serves, which costs nothing.

    Raises:
        ModelUnavailable: It is not there, not for this key, or does not serve this model.
    """
    if not settings.extract_url:
        steps.notes.append("none is set: nothing is extracted")
        return
    steps.doing = "it was asked for its models"
    answer = _listing(settings, steps.left_s)
    if answer.status_code in (401, 403):
        message = f"It answered with HTTP {answer.status_code}: set PAGETIDE_EXTRACT_KEY."
        raise ModelUnavailable(message)
    names = _names(answer)
    if names is None:
        steps.warnings.append(
            f"it lists no models (HTTP {answer.status_code}), so its model is unknown"
        )
        return
    listed, wanted = ", ".join(names[:MOST_NAMES]) or "none", settings.extract_served_name
    if wanted and wanted not in names:
        raise ModelUnavailable(f"It serves {listed}: set PAGETIDE_EXTRACT_SERVED_NAME to one.")
    if not wanted and len(names) != 1:
        steps.warnings.append(
            f"it serves {listed}: select one with PAGETIDE_EXTRACT_SERVED_NAME"
        )
    steps.notes.append(f"model: {wanted or listed}")


def _listing(settings: Settings, limit_s: float) -> httpx.Response:
    import httpx

    key = settings.extract_key
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        with httpx.Client(trust_env=False, timeout=limit_s, headers=headers) as client:
            return client.get(f"{settings.extract_url.rstrip('/')}/models")
    except (httpx.HTTPError, httpx.InvalidURL):
        raise ModelUnavailable("It cannot be reached.") from None


def _names(answer: httpx.Response) -> tuple[str, ...] | None:
    """The names of its models; None where it does not say."""
    try:
        models = msgspec.json.decode(answer.content, type=ready(_Models))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return tuple(model.id for model in models.data) if answer.status_code == 200 else None
