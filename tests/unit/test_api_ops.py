"""The API: what operators ask, and the description of it all."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

from pagetide import metrics
from pagetide.api import create_app
from pagetide.api.job_form import FormatName
from pagetide.errors import StoreFailed
from pagetide.intake import FORMATS
from tests.unit.api_fake import Desk, Part, Site, play

FILES: list[Part] = [("model", "fake?slow=0"), ("file", b"%PDF 2 x", "a.pdf")]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_models_and_languages_are_listed(desk: Desk, tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        models = (await site.get("/v1/models")).json()["models"]
        by_name = {model["name"]: model for model in models}
        for name in ("pp-ocrv6", "text-layer", "fake"):
            model = by_name[name]
            assert model["available"] and model["pool"] == "cpu" and model["missing"] is None
        languages = (await site.get("/v1/languages")).json()["languages"]
        by_code = {one["code"]: one for one in languages}
        assert by_code["en"] == {
            "code": "en",
            "name": "English",
            "script": "Latin",
            "model": "pp-ocrv6",
            "bundled": True,
            "installed": True,
            "missing_letters": "",
            "read_badly": False,
            "better_model": None,
            "note": None,
        }
        assert not by_code["korean"]["bundled"]
        vietnamese = by_code["vi"]
        assert vietnamese["read_badly"] and vietnamese["better_model"] == "paddleocr-vl"
        assert "ạ" in vietnamese["missing_letters"]
        assert "Georgian" in by_code["ka"]["note"]

    play(desk, steps)


def test_models_for_tests_are_not_listed(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    object.__setattr__(desk.settings, "test_models", False)

    async def steps(site: Site) -> None:
        models = (await site.get("/v1/models")).json()["models"]
        assert "fake" not in {model["name"] for model in models}

    play(desk, steps)


def test_the_backlog_is_shown(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        desk.submit(20)
        pools = (await site.get("/v1/backlog")).json()["pools"]
        assert set(pools) == {"cpu", "house"}
        assert (pools["cpu"]["waiting"], pools["cpu"]["leased"]) == (3, 0)
        one = (await site.get("/v1/backlog/cpu")).json()
        assert one["waiting"] == 3 and one["oldest_s"] >= 0
        unknown = await site.get("/v1/backlog/gpus")
        assert (unknown.status, unknown.code) == (404, "not_found")

    play(desk, steps)


def test_health_tells_of_the_store(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def steps(site: Site) -> None:
        assert (await site.get("/health/ready")).json() == {"status": "ready"}

        def broken(*_: object) -> None:
            raise StoreFailed

        monkeypatch.setattr(desk.service.store, "backlog", broken)
        reply = await site.get("/health/ready")
        assert (reply.status, reply.code) == (503, "store_failed")
        assert reply.headers["retry-after"]
        assert (await site.get("/health/live")).json() == {"status": "live"}

    play(desk, steps)


def test_metrics_tell_of_jobs_pages_and_backlog(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        before = values((await site.get("/metrics")).body.decode())
        await site.post_form("/v1/jobs", FILES, idempotency_key="a")
        await site.post_form("/v1/jobs", FILES, idempotency_key="a")
        labels = {"state": "read", "model": "fake", "pool": "cpu"}
        desk.service.queue.ring("metrics", metrics.encode("pages", 2, labels))
        desk.service.queue.ring("metrics", "nonsense")
        reply = await site.get("/metrics")
        assert reply.headers["content-type"].startswith("text/plain; version=")
        now = values(reply.body.decode())

        def grown(name: str) -> float:
            return now[name] - before.get(name, 0)

        assert grown('pagetide_jobs_total{model="fake",state="queued"}') == 1
        assert grown('pagetide_pages_total{model="fake",pool="cpu",state="read"}') == 2
        assert now['pagetide_backlog_tasks{pool="cpu",state="waiting"}'] == 1
        answered = 'pagetide_request_seconds_count{method="POST",path="/v1/jobs",status="202"}'
        assert grown(answered) == 2

    play(desk, steps)


def values(text: str) -> dict[str, float]:
    return {
        line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
        for line in text.splitlines()
        if line[:1] != "#"
    }


def test_the_description_is_sound(desk: Desk) -> None:
    description = create_app(desk.service, desk.settings, keys_needed=True).openapi()
    assert description["openapi"].startswith("3.1")
    for schema in description["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    known = {f"#/components/schemas/{name}" for name in description["components"]["schemas"]}
    assert set(references(description)) <= known
    assert "Attributes:" not in str(description)
    view = description["components"]["schemas"]["JobView"]["properties"]
    assert view["cached"]["description"].startswith("Answered from the earlier job")
    ids = [one["operationId"] for _, _, one in operations(description)]
    assert len(set(ids)) == len(ids)
    for path, method, operation in operations(description):
        assert {"401", "403", "422", "500", "503"} <= set(operation["responses"]), path
        assert operation["summary"], path
        locked = path.startswith(("/v1/", "/metrics")) and "/files/" not in path
        assert ("security" in operation) == locked, path
        if method == "post":
            assert "{" in path or "requestBody" in operation


def test_without_keys_none_are_described(desk: Desk) -> None:
    description = create_app(desk.service, desk.settings, keys_needed=False).openapi()
    assert all("security" not in one for _, _, one in operations(description))


def test_jobs_are_as_they_are_described(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        description = (await site.get("/openapi.json")).json()
        job = desk.finish(desk.submit(2, webhook_url="https://hook.example").id)
        for path, name in {
            f"/v1/jobs/{job.id}": "JobView",
            "/v1/jobs": "JobList",
            f"/v1/jobs/{job.id}/deliveries": "DeliveryList",
            f"/v1/jobs/{job.id}/pages/1": "Page",
            f"/v1/jobs/{job.id}/result": "Document",
            f"/v1/jobs/{job.id}/result?format=txt": "Waiting",
            "/v1/jobs/none": "Problem",
        }.items():
            reply = await site.get(path)
            ref = {"$ref": f"#/components/schemas/{name}", **description}
            Draft202012Validator(ref).validate(reply.json())

    play(desk, steps)


def test_every_format_is_known_to_the_api() -> None:
    assert get_args(FormatName) == FORMATS


class Elements(HTMLParser):
    """Every element of a page, with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_docs_need_nobody_else(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        reply = await site.get("/docs")
        assert reply.headers["content-type"].startswith("text/html")
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        text = reply.body.decode()
        elements = Elements(text).found
        assert not {"script", "img", "link", "iframe"} & {tag for tag, _ in elements}
        links = [link["href"] or "" for tag, link in elements if tag == "a"]
        assert "openapi.json" in links
        anchors = {attributes.get("id") for _, attributes in elements}
        for link in links:
            assert "//" not in link
            assert not link.startswith("#") or link[1:] in anchors
        for path in (await site.get("/openapi.json")).json()["paths"]:
            assert path in text
        assert "Idempotency-Key" in text and "webhook_url" in text

    play(desk, steps)


def references(value: Any) -> set[str]:
    found = re.findall(r"'\$ref': '([^']+)'", str(value))
    return set(found)


def operations(description: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]
