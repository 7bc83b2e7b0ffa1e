"""Runs the `deliver` task: posts the signed webhook message."""

from __future__ import annotations

import time
from collections.abc import Callable

import anyio.to_thread
from msgspec.structs import replace

from pagetide.server.jobs.job import Delivery, Job, Task
from pagetide.server.maintenance import webhook
from pagetide.server.ports import Store
from pagetide.server.service.webhook_secrets import WebhookSecrets
from pagetide.settings import Settings

TIMEOUT_S = 15.0


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
