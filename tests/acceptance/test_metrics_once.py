"""Several servers on one store: what is counted is counted by one of them."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from pathlib import Path

import httpx

from tests.parts import forks
from tests.parts.server import silent_port
from tests.served import PAGETIDE, serving
from tests.serving import pdf
from tests.waiting import until


def _counted(urls: list[str], name: str) -> float:
    """The sum of a counter over all servers, as Prometheus would have it."""
    lines = [line for url in urls for line in httpx.get(f"{url}/metrics").text.splitlines()]
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))


def test_one_job_on_two_servers_is_summed_as_one(tmp_path: Path) -> None:
    with ExitStack() as stack:
        first = stack.enter_context(serving(tmp_path, keys=0))
        with silent_port() as port:
            pass
        second = forks.Popen(
            [*PAGETIDE, "api"], env={**first.environment, "PAGETIDE_PORT": str(port)}
        )
        stack.callback(second.wait, 120)
        stack.callback(second.terminate)
        urls = [first.url, f"http://127.0.0.1:{port}"]
        until(lambda: _lives(urls[1]))
        files = {"file": ("a.pdf", pdf(3), "application/pdf")}
        job = httpx.post(f"{urls[1]}/v1/jobs", files=files, data={"model": "fake"}).json()
        place = f"{urls[0]}/v1/jobs/{job['id']}"
        until(lambda: httpx.get(place).json()["status"] == "succeeded")
        ended = 'pagetide_jobs_total{model="fake",state="succeeded"}'
        until(lambda: _counted(urls, ended) >= 1)
        pages = 'pagetide_pages_total{model="fake",pool="cpu",state="read"}'
        until(lambda: _counted(urls, pages) >= 3)
        assert _counted(urls, ended) == 1
        assert _counted(urls, pages) == 3
        assert _counted(urls, 'pagetide_jobs_total{model="fake",state="queued"}') == 1


def _lives(url: str) -> bool:
    with suppress(httpx.TransportError):
        return httpx.get(f"{url}/health/live").status_code == 200
    return False
