"""Runs the `deliver` task: posts the signed webhook message."""

from __future__ import annotations

import json
import secrets
import time
from base64 import b64decode, b64encode
from collections.abc import Callable

import anyio.to_thread
from msgspec.structs import replace

from pagetide.server.jobs.job import Delivery, Job, Task
from pagetide.server.maintenance import webhook
from pagetide.server.ports import Store
from pagetide.settings import Settings

TIMEOUT_S = 15.0
SECRET_BYTES = 32
SECRETS_KEPT = 2  # after a rotation notes are signed with the new and the old one


class WebhookSecrets:
    """The secrets that an owner's webhooks are signed with; made when first needed."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of(self, owner: str) -> tuple[bytes, ...]:
        """An owner's secrets, the newest first."""
        fresh = _encoded((secrets.token_bytes(SECRET_BYTES),))
        return _decoded(self._store.value(_name(owner), fresh))

    def rotate(self, owner: str) -> bytes:
        """Make a new secret; the last one goes on being signed with until the next time."""
        new = secrets.token_bytes(SECRET_BYTES)
        kept = (new, *self.of(owner))[:SECRETS_KEPT]
        self._store.put_value(_name(owner), _encoded(kept))
        return new


class WebhookPost:
    """Calls the webhook of a job."""

    def __init__(
        self, store: Store, settings: Settings, clock: Callable[[], float] = time.time
    ) -> None:
        self._secrets, self._settings, self._clock = WebhookSecrets(store), settings, clock

    async def __call__(self, job: Job, task: Task) -> Delivery:
        """Call it once; what came of it."""
        now = self._clock()
        url = webhook.url_of(job, task)
        if task.owed:
            job = replace(job, status=task.owed.status)
        body = webhook.note(job, self._settings.public_url, task.tells)
        signing = await anyio.to_thread.run_sync(self._secrets.of, job.owner)
        headers = webhook.sign(signing, task.id, now, body)
        return await webhook.post(
            url,
            body,
            headers,
            timeout_s=TIMEOUT_S,
            allowed_hosts=self._settings.allowed_hosts,
            now=now,
        )


def _name(owner: str) -> str:
    return f"webhook:{owner}"


def _encoded(kept: tuple[bytes, ...]) -> bytes:
    return json.dumps([b64encode(secret).decode() for secret in kept]).encode()


def _decoded(blob: bytes) -> tuple[bytes, ...]:
    return tuple(b64decode(text) for text in json.loads(blob))
