"""Azure's client reading a container's documents in one go, with Azurite as the storage."""

from __future__ import annotations

import base64
import functools
import hmac
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import pytest

from bench.extraction.liars import pieces_of
from bench.fake_vl_server import Asked, FakeVlServer, Reply
from tests.client_script import answers_of
from tests.served import Served, serving
from tests.serving import pdf, text_of_page

SCRIPT = Path(__file__).parents[1] / "clients" / "azure_di.py"
VERSION = "2021-08-06"
Json = dict[str, Any]
Talk = Callable[..., list[Any]]

get = functools.partial(httpx.get, timeout=60)
put = functools.partial(httpx.put, timeout=60)


def signed(azurite: Any, container: str, permissions: str = "rwlc") -> str:
    """A container's URL with a signature that lets it be used for a while."""
    until = "2100-01-01T00:00:00Z"
    fields = (azurite.account, permissions, "b", "co", "", until, "", "", VERSION, "", "")
    key = base64.b64decode(azurite.key)
    digest = hmac.digest(key, "\n".join(fields).encode(), "sha256")
    query = {"sv": VERSION, "ss": "b", "srt": "co", "sp": permissions, "se": until}
    query["sig"] = base64.b64encode(digest).decode()
    return f"{azurite.blob_endpoint}/{container}?{urlencode(query)}"


def blob(container: str, name: str) -> str:
    place, _, query = container.partition("?")
    return f"{place}/{quote(name)}?{query}"


@pytest.fixture(scope="module")
def containers(azurite: Any) -> tuple[str, str]:
    """One with documents, and one for results, where one is already."""
    for name in ("azure-scans", "azure-read"):
        azurite.make_container(name)
    scans, read = signed(azurite, "azure-scans"), signed(azurite, "azure-read")
    kind = {"x-ms-blob-type": "BlockBlob", "x-ms-version": VERSION}
    files = b'{"file": "docs/one.pdf"}\n\n{"file": "docs/missing.pdf"}\n'
    for container, name, content in (
        (scans, "docs/one.pdf", pdf(1)),
        (scans, "docs/grün & two.pdf", pdf(2)),
        (scans, "docs/words.txt", b"words"),
        (scans, "docs/done.pdf", pdf(1)),
        (scans, "other.pdf", pdf(1)),
        (scans, "some.jsonl", files),
        (read, "out/done.pdf.ocr.json", b"{}"),
    ):
        put(blob(container, name), content=content, headers=kind).raise_for_status()
    return scans, read


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("azure-batches")
    given: Json = {"aliases": {"big": "fake"}, "allow_hosts": "127.0.0.1", "idle_s": 5}
    with (
        FakeVlServer(says_width) as model,
        serving(folder, extract_url=model.url, **given) as running,
    ):
        yield running


def says_width(asked: Asked) -> Reply:
    """The first field from the first line, and of another what nobody wrote."""
    first, second = asked.body["response_format"]["json_schema"]["schema"]["properties"]
    (line, said), *_ = pieces_of(asked)
    found = {first: {"value": said, "lines": [line]}, second: {"value": "Evil Corp"}}
    return Reply(text=json.dumps(found))


@pytest.fixture(scope="module")
def talk(served: Served, clients_python: str) -> Talk:
    """Makes calls with Azure's client."""

    def called(*calls: tuple[str, Json], key: str = served.key) -> list[Any]:
        return answers_of(clients_python, SCRIPT, [served.url, key], calls)

    return called


def batch(source: Json, container: str, prefix: str = "out/", **more: Any) -> tuple[str, Json]:
    target = {"result_container_url": container, "result_prefix": prefix, **more}
    return "batch", {"model": "big", "source": source, "target": target}


def test_a_container_is_read_into_another(
    talk: Talk, served: Served, containers: tuple[str, str]
) -> None:
    scans, read = containers
    source = {"container_url": scans, "prefix": "docs/"}
    listed = ("list_batches", {"model_id": "big"})
    before, found, mine = talk(listed, batch(source, read), listed)
    result = found["result"]
    counts = {name: result[f"{name}Count"] for name in ("succeeded", "failed", "skipped")}
    assert counts == {"succeeded": 2, "failed": 1, "skipped": 1}
    by_name = {each["sourceUrl"].rpartition("/")[2]: each for each in result["details"]}
    assert by_name["done.pdf"]["status"] == "skipped"
    assert by_name["words.txt"]["error"]["innererror"]["code"] == "InvalidContent"
    two = by_name["gr%C3%BCn%20%26%20two.pdf"]
    assert two["resultUrl"].endswith("/out/gr%C3%BCn%20%26%20two.pdf.ocr.json")
    written = get(blob(read, "out/grün & two.pdf.ocr.json")).json()
    assert written["status"] == "succeeded"
    assert written["analyzeResult"]["content"] == f"{text_of_page(1)}\n{text_of_page(2)}"
    assert get(blob(read, "out/done.pdf.ocr.json")).content == b"{}"
    assert "sig=" not in json.dumps(result)
    earlier = {each["resultId"] for each in before}  # of the other tests
    assert {each["resultId"] for each in mine} - earlier == {found["id"]}
    other = {"model_id": "big", "result_id": found["id"]}
    theirs, refused = talk(
        ("list_batches", {"model_id": "big"}), ("delete_batch", other), key=served.keys[1]
    )
    assert theirs == [] and refused["inner"] == "OperationNotFound"
    gone, left = talk(("delete_batch", other), ("list_batches", {"model_id": "big"}))
    assert gone == {} and {each["resultId"] for each in left} == earlier


def test_a_list_of_files(talk: Talk, containers: tuple[str, str]) -> None:
    scans, read = containers
    source = {"container_url": scans, "file_list": "some.jsonl"}
    (found,) = talk(batch(source, read, "listed/"))
    details = found["result"]["details"]
    assert [each["status"] for each in details] == ["succeeded", "failed"]
    assert details[0]["resultUrl"].endswith("/listed/docs/one.pdf.ocr.json")
    assert details[1]["error"]["innererror"]["code"] == "ContentSourceNotAccessible"


def test_query_fields_are_found_in_each_document(
    talk: Talk, containers: tuple[str, str]
) -> None:
    scans, read = containers
    name, asked = batch({"container_url": scans, "file_list": "some.jsonl"}, read, "queried/")
    asked["options"] = {"features": ["queryFields"], "query_fields": ["Width", "Maker"]}
    (found,) = talk((name, asked))
    assert found["result"]["succeededCount"] == 1
    written = get(blob(read, "queried/docs/one.pdf.ocr.json")).json()["analyzeResult"]
    [document] = written["documents"]
    width, maker = document["fields"]["Width"], document["fields"]["Maker"]
    assert width["valueString"] == width["content"] == text_of_page(1)
    assert "valueString" not in maker
    assert {each["code"] for each in written["warnings"]} >= {"ungrounded"}


def test_what_cannot_be_had_is_refused(
    talk: Talk, containers: tuple[str, str], azurite: Any
) -> None:
    scans, read = containers
    closed = scans.partition("?")[0]
    blind = signed(azurite, "azure-read", permissions="r")
    one = {"container_url": scans, "prefix": "docs/one.pdf"}
    unsigned, nothing, no_url, unwritable = talk(
        batch({"container_url": closed}, read),
        batch({"container_url": scans, "prefix": "nothing/"}, read),
        batch({"container_url": "container"}, read),
        batch(one, blind, "blind/"),
    )
    assert (unsigned["status"], unsigned["inner"]) == (400, "ContentSourceNotAccessible")
    assert "shared access signature" in unsigned["said"]
    assert (nothing["status"], nothing["inner"]) == (400, "InvalidParameter")
    assert (no_url["status"], no_url["inner"]) == (400, "InvalidParameter")
    assert unwritable["result"]["failedCount"] == 1
