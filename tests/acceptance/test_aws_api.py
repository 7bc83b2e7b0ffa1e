"""The API as a function, run by Lambda's own runtime client, on Moto's S3, DynamoDB, SQS."""

from __future__ import annotations

from urllib.parse import urlsplit

import httpx
import pytest

from tests.parts.aws_account import API, Account, Api, new_key
from tests.parts.aws_account import account as account
from tests.parts.aws_account import s3_url as s3_url
from tests.parts.lambda_runtime import TooMuch
from tests.serving import pdf, text_of_page

pytestmark = pytest.mark.slow("plays AWS on stand-ins written in Python")


@pytest.fixture
def api(account: Account) -> Api:
    return Api(account.function(API, timeout_s=60), new_key(account.service.store, "tester"))


def test_from_upload_to_result_by_functions_alone(account: Account, api: Api) -> None:
    account.sources(account.function())
    submitted = api.submit(pdf(3))
    assert submitted.status_code == 202
    job = submitted.json()
    host = urlsplit(job["links"]["self"]).netloc
    assert host == "abc123.lambda-url.us-east-1.on.aws"
    ended = api.ended(job["id"])
    assert (ended["status"], ended["pages_done"]) == ("succeeded", 3)
    read = api.ask("GET", f"/v1/jobs/{job['id']}/result").json()
    texts = [page["lines"][0]["text"] for page in read["pages"]]
    assert texts == [text_of_page(n) for n in (1, 2, 3)]
    page = api.ask("GET", f"/v1/jobs/{job['id']}/pages/2/image")
    assert page.headers["content-type"] == "image/png"
    assert page.content.startswith(b"\x89PNG")


def test_it_asks_for_keys(api: Api) -> None:
    assert api.ask("GET", "/health/live", key="").status_code == 200
    for key in ("", "pt_00000000_nobody"):
        refused = api.ask("GET", "/v1/jobs", key=key)
        assert (refused.status_code, refused.json()["code"]) == (401, "unauthorized")


def test_another_keys_job_is_not_there(account: Account, api: Api) -> None:
    other = Api(api.function, new_key(account.service.store, "other"))
    job_id = api.submit(pdf(1)).json()["id"]
    assert other.ask("GET", f"/v1/jobs/{job_id}").status_code == 404


def test_a_result_too_large_for_lambda_is_opened_by_its_link(
    account: Account, api: Api
) -> None:
    stranger = Api(api.function, new_key(account.service.store, "stranger"))
    account.sources(account.function())
    job = api.submit(pdf(1), model="fake?lines=20000").json()
    path = f"/v1/jobs/{job['id']}"
    ended = api.ended(job["id"])
    size = ended["results"]["json"]["bytes"]
    assert size > 4_500_000
    answer = api.ask("GET", f"{path}/result")
    assert answer.status_code == 307
    opened = httpx.get(answer.headers["location"], timeout=60, trust_env=False)
    assert (opened.status_code, len(opened.content)) == (200, size)
    part = api.ask("GET", f"{path}/result", headers={"Range": "bytes=0-999"})
    assert (part.status_code, part.content) == (206, opened.content[:1000])
    page = api.ask("GET", f"{path}/pages/1")
    assert (page.status_code, page.json()["status"]) == (413, 413)
    assert stranger.ask("GET", f"{path}/result").status_code == 404


def test_who_waits_is_answered_before_the_function_is_killed(account: Account) -> None:
    short = Api(account.function(API), new_key(account.service.store, "tester"))
    job = short.submit(pdf(1)).json()
    short.function.timeout_s = 9  # from now on: a first call may take longer on a slow machine
    path = f"/v1/jobs/{job['id']}"
    waited = short.ask("GET", path, query="wait=60")
    assert (waited.status_code, waited.json()["status"]) == (200, "queued")
    watched = short.ask("GET", f"{path}/events")
    assert watched.status_code == 200
    assert b"event: status" in watched.content


def test_a_document_too_large_for_lambda_is_uploaded_first(account: Account, api: Api) -> None:
    account.sources(account.function())
    large = pdf(2) + b"%" * 5_000_000
    with pytest.raises(TooMuch):
        api.submit(large)
    upload_id = api.upload(large)
    job = api.json("POST", "/v1/jobs", {"upload": upload_id, "model": "fake"}).json()
    again = api.json("POST", "/v1/jobs", {"upload": upload_id, "model": "fake"}).json()
    assert again["id"] == job["id"]
    ended = api.ended(job["id"])
    assert (ended["status"], ended["pages_done"]) == ("succeeded", 2)
    assert ended["source"]["bytes"] == len(large)
    left = [blob.key for blob in account.service.blobs.under(f"jobs/{upload_id}/")]
    assert left == [f"jobs/{upload_id}/used"]


def test_an_upload_is_no_other_keys(account: Account, api: Api) -> None:
    other = Api(api.function, new_key(account.service.store, "other"))
    body = {"upload": api.upload(pdf(1)), "model": "fake"}
    assert other.json("POST", "/v1/jobs", body).status_code == 404
    assert api.json("POST", "/v1/jobs", body).status_code == 202
