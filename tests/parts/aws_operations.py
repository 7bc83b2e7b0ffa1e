"""All that the API, the reader and the sweep do, with CPUs alone and with workers on Azure."""

from __future__ import annotations

import base64
import secrets
import time
from contextlib import ExitStack, closing
from functools import partial
from typing import TYPE_CHECKING, Any

import httpx

from pagetide.server.jobs import transitions as moves
from pagetide.settings.tables import as_toml
from tests.loopback import Loopback, answering, loopback
from tests.parts.aws_account import Api
from tests.parts.aws_messages import end_late, lose_pages
from tests.parts.lambda_events import EventSource
from tests.serving import pdf
from tests.waiting import until

if TYPE_CHECKING:
    from tests.parts.aws_recorded import Deployed

ALIASES = ("PP-OCRv5", "prebuilt-layout", "ocr-process", "vlm", "standard")
MODELS = {
    "PAGETIDE_ALIASES": as_toml(dict.fromkeys(ALIASES, "fake")),
    "PAGETIDE_POOLS": '{cpu = "fake"}',
    "PAGETIDE_SECRET": "0123456789abcdef0123456789abcdef",
    "PAGETIDE_TEST_MODELS": "yes",
}
HERE = {"PAGETIDE_ALLOW_HOSTS": "127.0.0.1", "PAGETIDE_TASK_PAGES": "1"}
LARGE = "fake?lines=26000"  # more than a part of an upload, and than an answer may have
LONG = 101  # pages and tasks: more than a transaction takes
HOUR_S = 3600
# As the schedule calls it, at hours after one another: what is lost is found when missed twice.
SWEEPS = f"""
import sys, time
from pagetide.server.aws_lambda.calls import begun
from pagetide.server.aws_lambda.sweep import Sweeping
class Call:
    def get_remaining_time_in_millis(self):
        return 900_000
settings, first = begun(), (int(time.time()) // {HOUR_S} + int(sys.argv[1])) * {HOUR_S}
now = [0.0]
sweeping = Sweeping(settings, clock=lambda: now[0])
for hour in range(4):
    for again in range(2):
        now[0] = first + hour * {HOUR_S} + 20.0 * again
        sweeping.sweep(Call())
"""


def on_cpus(made: Deployed) -> None:
    """Submit, read, erase, sweep; the queues' messages come as Lambda brings them."""
    made.more |= {**MODELS, **HERE}
    heard = made.ends.enter_context(loopback())
    heard.answers |= {"/": answering(), "/scan.pdf": answering(pdf(1))}
    api = made.api()
    read = made.function("ReadFunction", "read_tasks")
    sqs = made.ends.enter_context(closing(made.stack.client("sqs")))
    queues = [one["EventSourceArn"].rpartition(":")[2] for one in made.stack.taken_sources()]
    lose_pages(made, api, read, sqs)
    end_late(made, api, sqs)
    spoilt = api.submit(pdf(LONG))
    made.spoil(spoilt.json()["id"])
    with ExitStack() as hearing:
        for queue in queues:
            url = sqs.get_queue_url(QueueName=queue)["QueueUrl"]
            sqs.send_message(QueueUrl=url, MessageBody="not ours")
            hearing.enter_context(EventSource(read, sqs, queue))
        read_whole(api, spoilt)
        submit(api, heard)
        facades(made, api)
    clean(made, heard)


def submit(api: Api, heard: Loopback) -> None:
    """Each way in, and each way to what was read."""
    hook = f"http://127.0.0.1:{heard.port}/"
    told = {
        "webhook_url": hook,
        "formats": ["html", "pdf", "md", "figures"],
        "priority": "batch",
    }
    file = base64.b64encode(pdf(3)).decode()
    once = {"file": file, "model": "fake", **told}
    named = {"Idempotency-Key": "one"}
    first = read_whole(api, api.json("POST", "/v1/jobs", once, headers=named))
    assert api.json("POST", "/v1/jobs", once, headers=named).json()["id"] == first
    read_whole(api, api.submit(pdf(3), **told))  # copied
    read_whole(api, api.submit(pdf(2), model="fake?fail=1"))
    read_whole(
        api, api.json("POST", "/v1/jobs", {"file_url": f"{hook}scan.pdf", "model": "fake"})
    )
    upload = api.upload(pdf(2) + b"%" * 5_000_000)
    read_whole(api, api.json("POST", "/v1/jobs", {"upload": upload, "model": "fake"}))
    look(api, first)
    large = read_whole(api, api.submit(pdf(1), model=LARGE))
    link = api.ask("GET", f"/v1/jobs/{large}/result").headers["location"]
    assert httpx.get(link, timeout=60, trust_env=False).status_code == 200
    assert httpx.get(link[:-1], timeout=60, trust_env=False).status_code
    cancelled = api.submit(pdf(2), model="fake?slow=5", webhook_url=hook).json()["id"]
    api.ask("POST", f"/v1/jobs/{cancelled}/cancel")
    api.ask("POST", f"/v1/jobs/{first}/deliveries")
    until(lambda: len(heard.received) > 1, why="no webhook was called")
    for job in (first, large):
        assert api.ask("DELETE", f"/v1/jobs/{job}").status_code == 204


def look(api: Api, job_id: str) -> None:
    """Ask for everything that there is of a job, and of the service."""
    job = f"/v1/jobs/{job_id}"
    of_job = ["", "/events", "/deliveries", "/result", "/pages", "/pages/1", "/pages/1/image"]
    of_job += ["/pages/1/figures", "/result?format=pdf", "/pages/2?wait=1"]
    lists = ["/jobs", "/jobs?status=succeeded", "/backlog", "/backlog/cpu", "/history"]
    lists += ["/languages", "/limits", "/models"]
    for path in (*(job + each for each in of_job), *(f"/v1{each}" for each in lists)):
        where, _, query = path.partition("?")
        assert api.ask("GET", where, query=query).status_code == 200, path
    for path in ("/health/ready", "/metrics", "/version"):
        assert api.ask("GET", path).status_code == 200, path
    part = api.ask("GET", f"{job}/result", headers={"Range": "bytes=0-9"})
    assert part.status_code == 206
    assert api.json("POST", "/v1/pools/cpu/warm", {"workers": 1, "for_s": 1}).is_success
    for path in ("/v1/jobs/gone", "/v1/jobs/gone/result"):
        assert api.ask("GET", path).status_code == 404


def facades(made: Deployed, api: Api) -> None:
    """The ways in of other people's interfaces that keep something of their own."""
    file = base64.b64encode(pdf(1)).decode()
    kept = posted(api, "/v1/files", {"purpose": "ocr"}).json()["id"]
    assert api.ask("GET", f"/v1/files/{kept}/url").is_success
    asked = {"model": "fake", "document": {"type": "file", "file_id": kept}}
    assert api.json("POST", "/v1/ocr", asked).is_success
    again = posted(api, "/v1/files", {"purpose": "ocr"}).json()["id"]
    assert api.ask("DELETE", f"/v1/files/{again}").is_success
    batch = posted(api, "/api/v2/ocr/jobs", {"model": "PP-OCRv5", "batchId": "mine"})
    assert batch.is_success, batch.text
    assert api.ask("GET", "/api/v2/ocr/jobs/batch/mine").is_success
    assert api.json("POST", "/v1/convert/source/async", {
        "sources": [{"kind": "file", "base64_string": file, "filename": "scan.pdf"}],
        "options": {"pipeline": "vlm"},
    }).is_success  # fmt: skip
    assert posted(api, "/api/v1/ocr/process", {}).is_success
    assert posted(api, "/v1/read", {"model": "fake"}).is_success
    azure_batch(made, api)


def azure_batch(made: Deployed, api: Api) -> None:
    """Read a container's documents into another; what is kept of it meanwhile is here."""
    from tests.acceptance.test_facade_azure_batches import VERSION, blob, signed

    assert made.azurite
    for name in ("scans", "read"):
        made.azurite.make_container(name)
    scans, into = (signed(made.azurite, name) for name in ("scans", "read"))
    kind = {"x-ms-blob-type": "BlockBlob", "x-ms-version": VERSION}
    httpx.put(blob(scans, "one.pdf"), content=pdf(1), headers=kind).raise_for_status()
    where = "/documentintelligence/documentModels/prebuilt-layout"
    asked = {"azureBlobSource": {"containerUrl": scans}, "resultContainerUrl": into}
    begun = api.json("POST", f"{where}:analyzeBatch", asked, query="api-version=2024-11-30")
    assert begun.status_code == 202, begun.text
    place = begun.headers["operation-location"].partition("?")[0]
    path = place[place.index("/documentintelligence") :]
    assert api.ask("GET", path, query="api-version=2024-11-30").is_success
    listing = path.rpartition("/")[0]
    assert api.ask("GET", listing, query="api-version=2024-11-30").is_success
    assert api.ask("DELETE", path, query="api-version=2024-11-30").status_code == 204


def posted(api: Api, path: str, fields: dict[str, str]) -> httpx.Response:
    """Post a form with a document."""
    form = httpx.Request(
        "POST", "http://here/", data=fields, files={"file": ("scan.pdf", pdf(1))}
    )
    return api.ask("POST", path, form.read(), {"Content-Type": form.headers["content-type"]})


def read_whole(api: Api, submitted: httpx.Response) -> str:
    """Wait for the end of a job; its id."""
    assert submitted.is_success, submitted.text
    job_id: str = submitted.json()["id"]
    api.ended(job_id)
    return job_id


def clean(made: Deployed, heard: Loopback) -> None:
    """Leave behind what dies in the middle, and have it swept."""
    hook = f"http://127.0.0.1:{heard.port}/"
    api = made.api()
    api.submit(pdf(1), model="fake?slow=1")  # whose holder will die
    for priority in ("interactive", "batch"):  # whose messages will be lost
        api.submit(pdf(1), model="fake?slow=2", priority=priority)
    ended = api.submit(pdf(1), model="fake?slow=3", webhook_url=hook).json()["id"]
    erased = api.submit(pdf(1), model="fake?slow=4").json()["id"]
    api.ask("POST", f"/v1/jobs/{ended}/cancel")
    api.ask("DELETE", f"/v1/jobs/{erased}")
    api.ask("POST", "/v1/uploads")
    with made.store() as store:
        claim(store, "cpu")
    documents = made.stack.resources["Documents"]
    with closing(made.stack.client("s3")) as s3:
        for key in (f"jobs/{erased}/input", "jobs/job_0rphan/input", "batches/0/job_0rphan"):
            s3.put_object(Bucket=documents, Key=f"pagetide/{key}", Body=b"left")
    purge(made)
    made.function("SweepFunction", "sweep").invoke({})
    for hours in (2, 400 * 24, 900 * 24):
        made.run("SweepFunction", "-c", SWEEPS, str(hours))


def claim(store: Any, pool: str) -> None:
    """Begin a task, as one who dies half a second later."""

    def begun() -> bool:
        now, token = time.time(), secrets.token_hex(8)
        taken = store.claim(pool, "dead", now=now, until=now + 0.5, token=token, beside=False)
        if taken:
            store.change(taken[0].id, taken[1].id, partial(moves.begin, token=token))
        return taken is not None

    until(begun, 60)


def purge(made: Deployed) -> None:
    """Lose all messages."""
    with closing(made.stack.client("sqs")) as sqs:
        for urgency in ("first", "interactive", "batch"):
            name = f"{made.stack.name}-cpu-{urgency}"
            sqs.purge_queue(QueueUrl=sqs.get_queue_url(QueueName=name)["QueueUrl"])


def in_two_clouds(made: Deployed) -> None:
    """Documents and jobs here; wake-ups, workers and results on Azure."""
    azurite = made.azurite
    assert azurite
    azurite.make_container("elsewhere")
    made.more |= {
        "PAGETIDE_TASK_PAGES": "1",
        "PAGETIDE_TEST_MODELS": "yes",
        "PAGETIDE_QUEUE": f"azurequeue://{azurite.account}/{made.stack.name}"
        f"?endpoint={azurite.queue_endpoint}",
        "PAGETIDE_RESULTS": f"az://elsewhere/pagetide?account={azurite.account}"
        f"&endpoint={azurite.blob_endpoint}",
        "PAGETIDE_AZURE_KEY": azurite.key,
        "AZURE_STORAGE_ACCOUNT_KEY": azurite.key,
    }
    api = made.api()
    jobs = [api.submit(pdf(2)).json()["id"] for _ in range(2)]
    upload = {"upload": api.upload(pdf(1)), "model": "fake"}
    jobs.append(api.json("POST", "/v1/jobs", upload).json()["id"])
    spoilt = api.submit(pdf(LONG)).json()["id"]
    made.spoil(spoilt)
    failing = api.submit(pdf(2), model="fake?fail=1", formats=["html", "pdf"]).json()["id"]
    worker = dict(made.environment("ApiFunction"), AWS_ACCESS_KEY_ID="WorkersPolicy")
    made.run(
        "ApiFunction", "-P", "-m", "pagetide", "worker", "--pool", "gpu", "--idle-exit", "3",
        **worker,
    )  # fmt: skip
    for job in (*jobs, failing):
        api.ended(job)
        assert api.ask("GET", f"/v1/jobs/{job}/result").status_code in (200, 307)
    assert api.ended(spoilt)["status"] == "failed"
    assert api.ask("DELETE", f"/v1/jobs/{jobs[0]}").status_code == 204
    for hours in (2, 400 * 24, 900 * 24):
        made.run("SweepFunction", "-c", SWEEPS, str(hours))
