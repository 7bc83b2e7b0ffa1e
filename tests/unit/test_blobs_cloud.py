"""Blobs in clouds: what their URLs say, what goes wrong there, and what it costs."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import httpx
import obstore
import pytest

from pagetide.errors import BadOption, PagetideError, StoreFailed
from pagetide.exports import FORMATS
from pagetide.server.blobs import clouds, open_blobs
from pagetide.server.blobs.links import Links
from pagetide.server.blobs.served import media_type_of
from pagetide.server.ports import Blobs
from tests.parts.azurite import Azurite
from tests.parts.canned import STALL, Answer, Canned, canned
from tests.parts.clouds import az_url as az_url
from tests.parts.clouds import gs_url as gs_url
from tests.parts.clouds import s3_url as s3_url
from tests.parts.gcs import service_account

MIB = 1 << 20
KEY = "jobs/1/results/document.json"
SECRET = "wJalrXUtnFEMI"  # noqa: S105 - no key of anybody's


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "AAAA")
    monkeypatch.setitem(clouds.RETRIES["backoff"], "init_backoff", timedelta(milliseconds=1))


# What a URL says


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("s3://", "s3://NAME/PREFIX"),
        ("s3://buck et/x", "s3://NAME/PREFIX"),
        (f"s3://AKIA:{SECRET}@bucket/x", "credentials come from the environment"),
        ("s3://bucket:80/x", "s3://NAME/PREFIX"),
        ("s3://bucket/a/../b", "s3://NAME/PREFIX"),
        ("s3://bucket/a%20b", "s3://NAME/PREFIX"),
        ("s3://[x", "not a URL"),
        (f"s3://bucket?secret={SECRET}", "accept endpoint, region, path_style; not 'secret'"),
        ("s3://bucket?path_style=maybe", "must be yes or no"),
        ("s3://bucket?region=", "'region' of blobs at s3: is empty"),
        ("s3://bucket?endpoint=ftp://host", "must be an http or https URL"),
        ("s3://bucket?endpoint=http://", "must be an http or https URL"),
        (f"s3://bucket?endpoint=http://me:{SECRET}@host", "only a host and a path"),
        (f"az://c?account=a&endpoint=http://host?sig={SECRET}", "only a host"),
        ("az://container?account=a&region=x", "accept account, endpoint; not 'region'"),
        ("az://container", "The container container cannot be used"),
        ("gs://bucket?region=x", "accept endpoint; not 'region'"),
    ],
)
def test_a_wrong_url_is_refused_in_words(url: str, said: str) -> None:
    with pytest.raises(BadOption) as raised:
        open_blobs(url)
    assert said in raised.value.message
    assert SECRET not in "".join(traceback.format_exception(raised.value))


def test_a_credential_of_a_wrong_form_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", f"{SECRET}!")
    with pytest.raises(BadOption, match="credential in the environment") as raised:
        open_blobs("az://container?account=me")
    assert SECRET not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize(
    ("url", "start"),
    [
        ("s3://bucket?region=eu-west-1", "https://s3.eu-west-1.amazonaws.com/bucket/jobs/1/"),
        (
            "s3://bucket/a/b?endpoint=https://s3.test/&path_style=yes",
            "https://s3.test/bucket/a/b/jobs/1/",
        ),
        (
            "s3://bucket?endpoint=https://s3.test&path_style=no",
            "https://bucket.s3.test/jobs/1/",
        ),
        ("az://c/a?account=me", "https://me.blob.core.windows.net/c/a/jobs/1/"),
        ("az://c/a/?account=me&endpoint=https://az.test", "https://az.test/c/a/jobs/1/"),
    ],
)
def test_a_link_leads_where_the_url_says(url: str, start: str) -> None:
    link = link_of(open_blobs(url))
    assert link and link.startswith(start)
    assert SECRET not in link


def test_google_signs_with_a_service_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT_KEY", service_account())
    link = link_of(open_blobs("gs://bucket/a"), expires_s=90)
    assert link and link.startswith(f"https://storage.googleapis.com/bucket/a/{KEY}?")
    query = parse_qs(urlsplit(link).query)
    assert query["X-Goog-Expires"] == ["99"]
    assert query["X-Goog-Credential"][0].startswith("me@test.iam/")
    assert query["X-Goog-Signature"]


def test_links_asked_for_within_a_minute_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def sign(_: object, method: str, key: str, valid: timedelta) -> str:
        asked.append((method, key, valid.total_seconds()))
        return f"link {len(asked)}"

    monkeypatch.setattr(obstore, "sign", sign)
    now = [1000.0]
    links = Links(cast(Any, None), clock=lambda: now[0])
    taken = []
    for now[0] in (1000.0, 1059.0, 1060.0, 1060.0):
        taken.append(links.link(KEY, 3600.0, "application/json"))
    assert taken == ["link 1", "link 1", "link 2", "link 2"]
    assert links.link(KEY, 10.0, "application/json") == "link 3"
    assert asked == [("GET", KEY, 3660.0)] * 2 + [("GET", KEY, 11.0)]


def test_no_link_is_valid_for_longer_than_a_cloud_allows() -> None:
    link = link_of(open_blobs("s3://bucket"), expires_s=1e7)
    assert link and parse_qs(urlsplit(link).query)["X-Amz-Expires"] == ["604800"]


def test_what_cannot_sign_gives_no_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_KEY")
    monkeypatch.setenv("AZURE_STORAGE_SAS_TOKEN", "sv=2023-11-03&ss=b&srt=sco&sp=rwdl&sig=abc")
    assert link_of(open_blobs("az://container?account=me")) is None


def test_every_format_has_the_type_that_it_is_known_by() -> None:
    for form in FORMATS.values():
        assert media_type_of(f"document{form.packed_suffix}") == form.packed_media_type
    assert media_type_of("jobs/1/results/raw.json") == "application/json"


def test_the_same_place_given_twice_is_one(tmp_path: Path) -> None:
    url = f"file://{tmp_path}/blobs"
    blobs = open_blobs(url, url)
    blobs.put("jobs/1/input", b"x")
    assert [blob.key for blob in blobs.under("jobs/")] == ["jobs/1/input"]


# What goes wrong

METHODS: dict[str, Callable[[Blobs, Path], object]] = {
    "put": lambda blobs, _: blobs.put(KEY, b"x"),
    "put chunks": lambda blobs, _: blobs.put(KEY, iter([b"x"])),
    "put many chunks": lambda blobs, _: blobs.put(KEY, iter([b"x" * 4 * MIB] * 3)),
    "put_file": lambda blobs, path: blobs.put_file(KEY, path),
    "find": lambda blobs, _: blobs.find(KEY),
    "get": lambda blobs, _: blobs.get(KEY),
    "stream": lambda blobs, _: list(blobs.stream(KEY)),
    "stream a part": lambda blobs, _: list(blobs.stream(KEY, 1, 2)),
    "local": lambda blobs, _: blobs.local(KEY).__enter__(),
    "copy": lambda blobs, _: blobs.copy(KEY, "jobs/2/input"),
    "under": lambda blobs, _: list(blobs.under("jobs/")),
    "delete": lambda blobs, _: blobs.delete(KEY),
    "delete_under": lambda blobs, _: blobs.delete_under("jobs/"),
}


@pytest.fixture(params=METHODS)
def method(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Blobs], object]:
    path = tmp_path / "upload"
    path.write_bytes(b"%PDF")
    return lambda blobs: METHODS[request.param](blobs, path)


def test_a_missing_bucket_is_said_to_be(s3_url: str, method: Callable[[Blobs], object]) -> None:
    blobs = open_blobs(s3_url.replace("uploads-", "absent-"))
    name = urlsplit(s3_url).netloc.replace("uploads-", "absent-")
    assert failure(method, blobs) == f"There is no bucket {name}."


def test_a_missing_bucket_of_googles_is_said_to_be(
    gs_url: str, method: Callable[[Blobs], object]
) -> None:
    blobs = open_blobs(gs_url.replace("google-", "absent-"))
    name = urlsplit(gs_url).netloc.replace("google-", "absent-")
    assert failure(method, blobs) == f"There is no bucket {name}."


def test_a_missing_container_is_said_to_be(
    az_url: str, method: Callable[[Blobs], object]
) -> None:
    blobs = open_blobs(az_url.replace("results-", "absent-"))
    name = urlsplit(az_url).netloc.replace("results-", "absent-")
    assert failure(method, blobs) == f"There is no container {name}."


def test_a_wrong_key_is_refused_by_azure(
    az_url: str, method: Callable[[Blobs], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "AAAA")
    name = urlsplit(az_url).netloc
    assert failure(method, open_blobs(az_url)) == (
        f"The credentials for the container {name} are rejected."
    )


@pytest.mark.parametrize(
    ("status", "code", "sentence"),
    [
        (404, "NoSuchBucket", "There is no bucket mine."),
        (403, "SignatureDoesNotMatch", "The credentials for the bucket mine are rejected."),
        (403, "InvalidAccessKeyId", "The credentials for the bucket mine are rejected."),
        (400, "ExpiredToken", "The credentials for the bucket mine are rejected."),
        (401, "Unauthorized", "The credentials for the bucket mine are rejected."),
        (403, "AccessDenied", "The credentials do not allow this in the bucket mine."),
        (403, "", "The credentials do not allow this in the bucket mine."),
        (
            400,
            "AuthorizationHeaderMalformed",
            "The bucket mine is in another region than its URL says.",
        ),
        (400, "Strange", "The blobs in the bucket mine cannot be reached: HTTP 400 Strange."),
    ],
)
def test_what_s3_answers_is_put_into_words(
    status: int, code: str, sentence: str, method: Callable[[Blobs], object]
) -> None:
    with canned(lambda _, __: said(status, code)) as cloud:
        assert failure(method, open_blobs(url_of(cloud))) == sentence


def test_a_blob_too_large_for_s3_to_copy_is_said_to_be() -> None:
    message = "The specified copy source is larger than the maximum allowable size for a copy"
    with (
        canned(lambda _, __: said(400, "InvalidRequest", message)) as cloud,
        pytest.raises(StoreFailed, match="cannot copy a blob of more than 5 GB"),
    ):
        open_blobs(url_of(cloud)).copy("jobs/1/input", "jobs/2/input")


def test_a_blob_that_cannot_be_removed_is_said_to_be() -> None:
    listing = listed(["p/jobs/1/input"])
    denied = "<DeleteResult><Error><Key>p/jobs/1/input</Key><Code>AccessDenied</Code>"
    denied += "<Message>Access Denied</Message></Error></DeleteResult>"
    with (
        canned(lambda method, _: (200, denied if method == "POST" else listing)) as cloud,
        pytest.raises(StoreFailed, match="do not allow this"),
    ):
        open_blobs(url_of(cloud)).delete_under("jobs/1/")


@pytest.mark.parametrize("name", ["put", "get", "under", "delete"])
def test_where_nobody_listens_is_said(name: str, tmp_path: Path) -> None:
    with canned(lambda _, __: (200, "")) as cloud:
        url = url_of(cloud)
    with pytest.raises(StoreFailed, match="The blobs in the bucket mine cannot be reached"):
        METHODS[name](open_blobs(url), tmp_path)


def test_credentials_that_are_nowhere_are_said_to_be(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    token = tmp_path / "token"
    token.write_text("abc")
    monkeypatch.setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", str(token))
    with canned(lambda _, __: said(404, "")) as cloud:
        # As a pod of EKS is told where its credentials are.
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{cloud.endpoint}/oauth2/")
        with pytest.raises(StoreFailed, match="No credentials for the bucket mine were found"):
            open_blobs(url_of(cloud)).put(KEY, b"x")


@pytest.mark.parametrize("name", ["put", "put chunks", "get", "under"])
def test_a_line_break_in_a_credential_is_survived(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7\n")
    with (
        canned(lambda _, __: (200, "")) as cloud,
        pytest.raises(StoreFailed, match="has a line break"),
    ):
        METHODS[name](open_blobs(url_of(cloud)), tmp_path)


def test_what_fails_for_a_moment_is_tried_again() -> None:
    answers = iter([said(503, "SlowDown"), said(500, "InternalError")])
    with canned(lambda _, __: next(answers, (200, ""))) as cloud:
        open_blobs(url_of(cloud)).put(KEY, b"x")
        assert cloud.asked[:-1] == [("PUT", f"/mine/p/{KEY}")] * 3


def test_what_keeps_failing_is_given_up() -> None:
    with canned(lambda _, __: said(503, "SlowDown")) as cloud:
        with pytest.raises(StoreFailed, match="HTTP 503 SlowDown"):
            open_blobs(url_of(cloud)).get(KEY)
        assert len(cloud.asked) == 1 + clouds.RETRIES["max_retries"]


def test_what_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(clouds.TIMEOUTS, "read_timeout", "100ms")
    monkeypatch.setitem(clouds.RETRIES, "max_retries", 1)
    with (
        canned(lambda _, __: STALL) as cloud,
        pytest.raises(StoreFailed, match="cannot be reached: it takes too long"),
    ):
        open_blobs(url_of(cloud)).get(KEY)


# Removing


def test_blobs_are_removed_a_thousand_at_a_time() -> None:
    keys = [f"p/jobs/1/pages/{number}" for number in range(1005)]
    pages = iter([listed(keys)])
    done = "<DeleteResult><Deleted><Key>p</Key></Deleted></DeleteResult>"
    with canned(lambda method, _: (200, done if method == "POST" else next(pages))) as cloud:
        assert open_blobs(url_of(cloud)).delete_under("jobs/1/") == 1005
        asked = [body.count(b"<Key>") for body in cloud.bodies if body]
    assert asked == [1000, 5]


def test_others_may_remove_the_same(az_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = open_blobs(az_url)
    for number in range(3):
        blobs.put(f"jobs/1/pages/{number}", b"x")
    remove = obstore.delete

    def removed_by_another(store: Any, keys: Any) -> None:
        monkeypatch.setattr(obstore, "delete", remove)
        remove(store, keys[0])
        remove(store, keys)

    monkeypatch.setattr(obstore, "delete", removed_by_another)
    assert blobs.delete_under("jobs/1/") == 3
    assert list(blobs.under("jobs/1/")) == []


def test_an_upload_that_cannot_even_be_ended_fails_as_it_did() -> None:
    begun = "<InitiateMultipartUploadResult><UploadId>u</UploadId>"
    begun += "</InitiateMultipartUploadResult>"
    answers = {"POST": (200, begun), "PUT": said(403, "AccessDenied"), "DELETE": said(403, "")}
    with (
        canned(lambda method, _: answers[method]) as cloud,
        pytest.raises(StoreFailed, match="do not allow this in the bucket mine"),
    ):
        open_blobs(url_of(cloud)).put(KEY, iter([b"x" * 6 * MIB] * 4))
    assert "DELETE" in [method for method, _ in cloud.asked]


def test_a_broken_upload_leaves_no_parts(s3_url: str) -> None:
    def broken() -> Iterator[bytes]:
        yield b"x" * 11 * MIB
        raise KeyError

    with pytest.raises(KeyError):
        open_blobs(s3_url).put(KEY, broken())
    endpoint, bucket = parse_qs(urlsplit(s3_url).query)["endpoint"][0], urlsplit(s3_url).netloc
    unfinished = httpx.get(f"{endpoint}/{bucket}?uploads").text
    assert "ListMultipartUploadsResult" in unfinished
    assert "<UploadId>" not in unfinished


# Two places


def test_each_blob_is_at_its_own_place(s3_url: str, az_url: str) -> None:
    both = open_blobs(s3_url, az_url)
    for key in ("jobs/1/input", "jobs/1/pages/1-a", KEY, "jobs/1/results/input"):
        both.put(key, b"x")
    uploads = [blob.key for blob in open_blobs(s3_url).under("jobs/")]
    results = {blob.key for blob in open_blobs(az_url).under("jobs/")}
    assert uploads == ["jobs/1/input"]
    assert results == {"jobs/1/pages/1-a", KEY, "jobs/1/results/input"}


def test_one_places_failure_does_not_keep_what_is_at_the_other(
    s3_url: str, az_url: str
) -> None:
    results = open_blobs(az_url)
    results.put(KEY, b"x")
    both = open_blobs(s3_url.replace("uploads-", "absent-"), az_url)
    with pytest.raises(StoreFailed, match="There is no bucket"):
        both.delete_under("jobs/1/")
    assert results.find(KEY) is None


@pytest.mark.parametrize("absent", ["uploads-", "results-"])
def test_both_places_must_answer_when_asked_for_their_health(
    s3_url: str, az_url: str, absent: str
) -> None:
    assert open_blobs(s3_url, az_url).find("health") is None
    urls = (url.replace(absent, "absent-") for url in (s3_url, az_url))
    with pytest.raises(StoreFailed, match=r"There is no (bucket|container) absent-"):
        open_blobs(*urls).find("health")


# Links


def test_a_link_opens_one_blob_and_only_to_read(az_url: str, azurite: Azurite) -> None:
    blobs = open_blobs(az_url)
    blobs.put(KEY, b"mine")
    blobs.put("jobs/2/results/document.json", b"another's")
    link = link_of(blobs)
    assert link
    assert httpx.get(link).content == b"mine"
    assert httpx.get(link.replace("jobs/1/", "jobs/2/")).status_code == 403
    assert httpx.put(link, headers={"x-ms-blob-type": "BlockBlob"}).status_code == 403
    assert httpx.delete(link).status_code == 403
    assert azurite.key not in link


def test_a_copy_is_served_as_its_source_is(s3_url: str) -> None:
    blobs = open_blobs(s3_url)
    blobs.put(KEY, iter([b"{}"]))
    blobs.copy(KEY, "jobs/2/results/document.json")
    link = blobs.link(
        "jobs/2/results/document.json", expires_s=60, name="a", media_type="application/json"
    )
    assert link
    opened = httpx.get(link)
    assert opened.headers["Content-Type"] == "application/json"
    assert opened.headers["Content-Disposition"] == 'attachment; filename="document.json"'


# What it costs


def test_a_large_blob_takes_little_memory(s3_url: str) -> None:
    blobs = open_blobs(s3_url)
    blobs.put(KEY, b"warm")
    piece, count = b"x" * MIB, 96
    Path("/proc/self/clear_refs").write_text("5")  # the peak is now what is taken now
    before = memory_mb("VmRSS")
    blobs.put(KEY, (piece for _ in range(count)))
    assert sum(map(len, blobs.stream(KEY))) == count * MIB
    assert memory_mb("VmHWM") - before < 40


def memory_mb(name: str) -> float:
    match = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert match
    return int(match[1]) / 1024


def failure(method: Callable[[Blobs], object], blobs: Blobs) -> str:
    """The sentence that a method fails with, and nothing of anybody's secrets around it."""
    with pytest.raises(PagetideError) as raised:
        method(blobs)
    assert type(raised.value) is StoreFailed
    shown = "".join(traceback.format_exception(raised.value))
    assert "Authorization" not in shown
    assert "Debug source" not in shown
    return raised.value.message


def link_of(blobs: Blobs, expires_s: float = 60) -> str | None:
    return blobs.link(KEY, expires_s=expires_s, name="a", media_type="application/json")


def url_of(cloud: Canned) -> str:
    return f"s3://mine/p?endpoint={cloud.endpoint}&region=us-east-1"


def said(status: int, code: str, message: str = "") -> Answer:
    body = f"<Error><Code>{code}</Code><Message>{message}</Message></Error>" if code else ""
    return status, body


def listed(keys: list[str]) -> str:
    """What S3 answers when it is asked for keys."""
    contents = "".join(
        f"<Contents><Key>{key}</Key><Size>1</Size><ETag>e</ETag>"
        "<LastModified>2026-11-21T15:00:00.000Z</LastModified></Contents>"
        for key in keys
    )
    return f"<ListBucketResult>{contents}</ListBucketResult>"
