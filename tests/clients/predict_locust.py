"""Locust's users of `/predict`: each sends a document and looks at what comes back.

    locust -f predict_locust.py --headless --host URL -u USERS -t SECONDS

`PREDICT_KEY` is the API key; `PREDICT_FILES` names the documents, split by `|`, each
with the text that must be read on its first page behind `=`. An answer that is not right
is a failure, and so is 429: what is sent must be taken. With `PREDICT_REQUESTS` it ends
after so many.
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path

from locust import HttpUser, constant, task

KEY = os.environ.get("PREDICT_KEY", "")
FILES = [part.split("=", 1) for part in os.environ["PREDICT_FILES"].split("|")]
CONTENT = {name: Path(name).read_bytes() for name, _ in FILES}


MOST = int(os.environ.get("PREDICT_REQUESTS", "0"))
turns = itertools.cycle(FILES)
sent = iter(range(1, MOST)) if MOST else itertools.count()


class Reader(HttpUser):  # type: ignore[misc]
    """Reads one document after another."""

    wait_time = constant(0)

    @task  # type: ignore[untyped-decorator]
    def predict(self) -> None:
        """One document."""
        name, text = next(turns)
        with self.client.post(
            "/predict",
            files={"file": (Path(name).name, CONTENT[name])},
            headers={"Authorization": f"Bearer {KEY}"},
            catch_response=True,
        ) as answer:
            if answer.status_code != 200:
                answer.failure(f"{answer.status_code}: {answer.text[:200]}")
            elif answer.json()["pages"][0]["text"] != text:
                answer.failure(f"read {answer.json()['pages'][0]['text'][:80]!r}")
        if next(sent, None) is None:
            self.environment.runner.quit()
