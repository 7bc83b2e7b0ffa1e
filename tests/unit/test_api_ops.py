"""The API: what operators ask, and the description of it all."""

from __future__ import annotations

import re
import time
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, ClassVar

import pytest
from jsonschema import Draft202012Validator

from pagetide.document.kinds import RESULT_FORMATS
from pagetide.errors import StoreFailed
from pagetide.exports import FORMATS
from pagetide.server.api.page import POLICY
from pagetide.server.app import create_app
from pagetide.server.jobs import transitions as moves
from pagetide.server.service.load import absences
from pagetide.telemetry import metrics
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
        assert set(pools) == {"cpu", "system"}
        assert (pools["cpu"]["waiting"], pools["cpu"]["leased"]) == (3, 0)
        one = (await site.get("/v1/backlog/cpu")).json()
        assert one.pop("oldest_s") >= 0
        assert one == {"size": 3, "waiting": 3, "leased": 0, "warm_until": None}
        lease = desk._lease()
        held = (await site.get("/v1/backlog/cpu")).json()
        assert (held["size"], held["waiting"], held["leased"]) == (3, 2, 1)
        lease.change(moves.give_back, 2e9)
        put_off = (await site.get("/v1/backlog/cpu")).json()
        assert (put_off["size"], put_off["waiting"], put_off["leased"]) == (2, 2, 0)
        unknown = await site.get("/v1/backlog/gpus")
        assert (unknown.status, unknown.code) == (404, "not_found")

    play(desk, steps)


def test_pools_that_only_settings_name_are_shown(tmp_path: Path) -> None:
    desk = Desk(
        tmp_path, pools={"cpu": ("fake",), "gpu": ("paddleocr-vl",)}, canary={"gpu-next": 0.1}
    )

    async def steps(site: Site) -> None:
        pools = (await site.get("/v1/backlog")).json()["pools"]
        assert list(pools) == ["cpu", "gpu", "gpu-next", "system"]
        assert (await site.get("/v1/backlog/gpu-next")).json()["size"] == 0

    play(desk, steps)


def test_the_least_workers_are_worth_their_tasks(tmp_path: Path) -> None:
    desk = Desk(tmp_path, min_workers={"cpu": 2})

    async def steps(site: Site) -> None:
        assert (await site.get("/v1/backlog/cpu")).json()["size"] == 8
        shown = values((await site.get("/metrics")).body.decode())
        assert shown['pagetide_backlog_size{pool="cpu"}'] == 8
        assert shown['pagetide_backlog_size{pool="system"}'] == 0
        desk.submit(100)
        assert (await site.get("/v1/backlog/cpu")).json()["size"] == 20

    play(desk, steps)


def test_a_pool_is_warmed_for_a_while(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        listener = desk.service.notifier.notifications.subscribe("cpu")
        asked = time.time()
        reply = await site.post_json("/v1/pools/cpu/warm", {"workers": 2, "for_s": 60})
        told = reply.json()
        until = datetime.fromisoformat(told["warm_until"]).timestamp()
        assert asked + 59.9 <= until <= time.time() + 60
        assert (told["pool"], told["workers"], told["size"]) == ("cpu", 2, 8)
        assert [topic for topic, _ in listener.wait(5)] == ["cpu"]
        listener.close()
        shown = (await site.get("/v1/backlog/cpu")).json()
        assert (shown["size"], shown["warm_until"]) == (8, told["warm_until"])
        less = await site.post_json("/v1/pools/cpu/warm", {"workers": 1})
        assert less.json()["size"] == 4
        over = await site.post_json("/v1/pools/cpu/warm", {"workers": 0})
        assert over.json() == {"pool": "cpu", "workers": 0, "warm_until": None, "size": 0}
        assert (await site.get("/v1/backlog/cpu")).json()["size"] == 0

    play(desk, steps)


def test_what_is_not_said_of_warming_is_one_worker_for_a_quarter(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        asked = time.time()
        told = (await site.ask("POST", "/v1/pools/cpu/warm")).json()
        until = datetime.fromisoformat(told["warm_until"]).timestamp()
        assert told["workers"] == 1 and abs(until - asked - 900) < 30
        ended = await site.post_json("/v1/pools/cpu/warm", {"for_s": 0})
        assert ended.json()["warm_until"] is None and ended.json()["size"] == 0

    play(desk, steps)


@pytest.mark.parametrize(
    ("pool", "body", "status", "code"),
    [
        ("gpus", b"{}", 404, "not_found"),
        ("system", b"{}", 422, "bad_option"),
        ("cpu", b'{"workers":101}', 422, "bad_option"),
        ("cpu", b'{"workers":-1}', 422, "bad_option"),
        ("cpu", b'{"workers":1.5}', 422, "bad_option"),
        ("cpu", b'{"for_s":86401}', 422, "bad_option"),
        ("cpu", b'{"for_s":"long"}', 422, "bad_option"),
        ("cpu", b'{"worker":1}', 422, "bad_option"),
        ("cpu", b"[]", 422, "bad_option"),
        ("cpu", b"\xff{", 422, "bad_input"),
        ("cpu", b"{" + b" " * 5000, 413, "too_large"),
    ],
)
def test_warming_that_cannot_be(
    desk: Desk, pool: str, body: bytes, status: int, code: str
) -> None:
    async def steps(site: Site) -> None:
        headers = {"content-type": "application/json"}
        path = f"/v1/pools/{pool}/warm"
        reply = await site.ask("POST", path, headers=headers, body=body)
        assert (reply.status, reply.code) == (status, code)
        if status == 422 and pool == "cpu" and b":" in body:
            assert body.split(b'"')[1].decode() in reply.json()["detail"]
        for one in (await site.get("/v1/backlog")).json()["pools"].values():
            assert one["warm_until"] is None

    play(desk, steps)


def test_warming_takes_json_alone(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        reply = await site.ask("POST", "/v1/pools/cpu/warm", body=b"workers=1")
        assert (reply.status, reply.code) == (415, "unsupported_type")

    play(desk, steps)


def test_warming_needs_a_key_where_keys_are_needed(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        assert (await site.post_json("/v1/pools/cpu/warm", {})).status == 401
        assert (await site.get("/v1/backlog/cpu")).status == 401
        key = f"Bearer {desk.key('ada', scopes=['scale'])}"
        reply = await site.post_json("/v1/pools/cpu/warm", {}, authorization=key)
        assert (reply.status, reply.json()["workers"]) == (200, 1)

    play(desk, steps, keys_needed=True)


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
        desk.service.notifier.notifications.publish(
            "metrics", metrics.encode("pages", 2, labels)
        )
        desk.service.notifier.notifications.publish("metrics", "nonsense")
        reply = await site.get("/metrics")
        assert reply.headers["content-type"].startswith("text/plain; version=")
        now = values(reply.body.decode())

        def grown(name: str) -> float:
            return now[name] - before.get(name, 0)

        assert grown('pagetide_jobs_total{model="fake",state="queued"}') == 1
        assert grown('pagetide_pages_total{model="fake",pool="cpu",state="read"}') == 2
        assert now['pagetide_backlog_tasks{pool="cpu",state="waiting"}'] == 1
        assert now['pagetide_backlog_size{pool="cpu"}'] == 1
        answered = 'pagetide_request_seconds_count{method="POST",path="/v1/jobs",status="202"}'
        assert grown(answered) == 2

    play(desk, steps)


def values(text: str) -> dict[str, float]:
    return {
        line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
        for line in text.split("\n")  # a label may hold what else ends a line
        if line and line[:1] != "#"
    }


def test_the_description_is_sound(desk: Desk) -> None:
    description = create_app(desk.service, desk.settings, keys_needed=True).openapi()
    assert description["openapi"].startswith("3.1")
    for schema in description["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    known = {f"#/components/schemas/{name}" for name in description["components"]["schemas"]}
    assert set(references(description)) <= known
    assert "Attributes:" not in str(description)
    assert "prefixItems" not in str(description)  # refused by generators of clients
    view = description["components"]["schemas"]["JobView"]["properties"]
    assert view["cached"]["description"].startswith("Answered from the earlier job")
    ids = [one["operationId"] for _, _, one in operations(description)]
    assert len(set(ids)) == len(ids)
    for path, method, operation in operations(description):
        assert {"401", "403", "422", "500", "503"} <= set(operation["responses"]), path
        assert operation["summary"], path
        signed = path.startswith(("/v1/files/", "/v1/uploads/"))
        locked = path.startswith(("/v1/", "/metrics")) and not signed
        assert ("security" in operation) == locked, path
        if method == "post":
            bare = "{" in path or path == "/v1/uploads"
            assert bare or "requestBody" in operation


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
            "/v1/backlog": "PoolList",
            "/v1/backlog/cpu": "PoolView",
        }.items():
            reply = await site.get(path)
            ref = {"$ref": f"#/components/schemas/{name}", **description}
            Draft202012Validator(ref).validate(reply.json())

    play(desk, steps)


def test_every_format_is_known_to_the_api() -> None:
    """`raw` is the engine's own output, and pages are drawn when they are asked for."""
    assert [*RESULT_FORMATS] == [
        "json",
        "raw",
        *[n for n in FORMATS if n not in ("json", "png")],
    ]


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
        assert policy == POLICY and "unsafe" not in policy
        text = reply.body.decode()
        elements = Elements(text).found
        for tag, attributes in elements:
            for address in (attributes.get(name) for name in ("src", "href")):
                assert tag == "a" or address is None or address.startswith("ui/"), address
        links = [link["href"] or "" for tag, link in elements if tag == "a"]
        assert {"./", "./#/"} <= set(links)
        assert "openapi.json" in links
        anchors = {attributes.get("id") for _, attributes in elements}
        for link in links:
            assert "//" not in link
            assert not link.startswith("#") or link[1:] in anchors
        for path in (await site.get("/openapi.json")).json()["paths"]:
            assert path in text
        assert "Idempotency-Key" in text and "webhook_url" in text

    play(desk, steps)


def test_the_docs_need_no_script_where_the_page_is_switched_off(tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        reply = await site.get("/docs")
        assert "script" not in reply.headers["content-security-policy"]
        elements = Elements(reply.body.decode()).found
        assert not {"script", "img", "link", "iframe"} & {tag for tag, _ in elements}
        assert sum(tag == "details" for tag, _ in elements) > 30

    play(Desk(tmp_path, page=False), steps)


def test_examples_show_the_key_where_one_is_needed(tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        text = (await site.get("/docs")).body.decode()
        lines = re.findall(r"<code>((?:#|curl)[^<]*)</code>", text)
        shown = {line: "PAGETIDE_KEY" in line for line in lines}
        assert len(lines) == text.count('class="operation"')
        assert all(
            needs != ("$URL" in line or "/health" in line) for line, needs in shown.items()
        )

    play(Desk(tmp_path), steps, keys_needed=True)


def references(value: Any) -> set[str]:
    found = re.findall(r"'\$ref': '([^']+)'", str(value))
    return set(found)


def operations(description: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]


class TestWorkersThatCannotStart:
    """What one of them tells is what servers say, until it is mended or nobody says it more."""

    POOLS: ClassVar[Any] = {"cpu": ("fake", "text-layer"), "gpu": ("paddleocr-vl",)}

    @pytest.fixture
    def desk(self, tmp_path: Path) -> Desk:
        return Desk(tmp_path, pools=self.POOLS)

    def test_jobs_are_refused_and_the_models_are_not_there(self, desk: Desk) -> None:
        reason = "PP-DocLayoutV3 was not pulled."
        absences.report(desk.service.store, "gpu", reason, time.time())
        vl: list[Part] = [("model", "paddleocr-vl"), ("file", b"%PDF 2 x", "a.pdf")]

        async def steps(site: Site) -> None:
            refused = await site.post_form("/v1/jobs", vl)
            assert refused.status == 503
            assert refused.json()["code"] == "model_unavailable"
            assert "PP-DocLayoutV3 was not pulled." in refused.json()["detail"]
            models = (await site.get("/v1/models")).json()["models"]
            by_name = {model["name"]: model for model in models}
            assert not by_name["paddleocr-vl"]["available"]
            assert by_name["paddleocr-vl"]["missing"] == "PP-DocLayoutV3 was not pulled."
            assert by_name["paddleocr-vl"]["pool"] == "gpu"
            assert by_name["fake"]["available"]
            assert (await site.post_form("/v1/jobs", FILES)).status == 202
            absences.withdraw(desk.service.store, "gpu")
            assert (await site.post_form("/v1/jobs", vl)).status == 202

        play(desk, steps)

    def test_it_holds_for_a_while(self, desk: Desk) -> None:
        store, now = desk.service.store, time.time()
        absences.report(store, "gpu", "No.", now)
        assert absences.reason(store, "gpu", now + absences.HOLDS_S - 1) == "No."
        assert absences.reason(store, "gpu", now + absences.HOLDS_S) == ""

    def test_who_holds_a_task_has_started(self, desk: Desk) -> None:
        store = desk.service.store
        desk.submit(2)
        absences.report(store, "cpu", "No.", time.time())
        assert absences.reason(store, "cpu", time.time()) == "No."
        desk._lease()
        assert absences.reason(store, "cpu", time.time()) == ""

    def test_a_language_that_no_worker_has_is_refused(self, tmp_path: Path) -> None:
        desk = Desk(tmp_path, pools={"cpu": ("structure-lite",)}, languages=("ru",))

        async def steps(site: Site) -> None:
            file: Part = ("file", b"%PDF 2 x", "a.pdf")
            for language, status in (("th", 422), ("ru", 202), ("de", 202)):
                asked: list[Part] = [("model", "structure-lite"), ("languages", language), file]
                answer = await site.post_form("/v1/jobs", asked)
                assert answer.status == status, language
                if status == 422:
                    assert answer.json()["code"] == "language_unavailable"
                    assert " uk," in answer.json()["detail"]
            languages = (await site.get("/v1/languages")).json()["languages"]
            installed = {one["code"]: one["installed"] for one in languages}
            assert installed["ru"] and installed["uk"] and installed["de"]
            assert not installed["th"]

        play(desk, steps)
