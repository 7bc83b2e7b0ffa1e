"""A job whose upload is in one cloud and whose results are in another, from end to end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pypdf
import pytest

from pagetide.document import Document
from pagetide.server.app import create_app
from pagetide.server.blobs import open_blobs
from pagetide.server.service.submitting.inspection import Inspector
from pagetide.server.wiring import open_blobs as blobs_of
from pagetide.settings import Settings
from tests.parts.clouds import az_url as az_url
from tests.parts.clouds import s3_url as s3_url
from tests.serving import Place, inspector, pdf, text_of_page
from tests.waiting import until

PAGES = 3
fetched = partial(httpx.get, timeout=60)


@pytest.fixture(scope="module")
def opener() -> Iterator[Inspector]:
    opened = inspector()
    yield opened
    opened.close()


@pytest.fixture
def place_of(
    tmp_path: Path, opener: Inspector, s3_url: str, az_url: str
) -> Callable[..., Place]:
    """A place whose uploads are on S3 and whose results are on Azure."""
    blobs = blobs_of(Settings(blobs=s3_url, results=az_url))
    return lambda **given: Place(tmp_path, opener, blobs=blobs, **given)


def through(place: Place, steps: Callable[[httpx.AsyncClient], Awaitable[None]]) -> None:
    """What a test does with the place's API."""

    async def all_of_it() -> None:
        app = create_app(place.service, place.settings, keys_needed=False)
        async with app.router.lifespan_context(app):
            transport = httpx.ASGITransport(app)
            base = "http://127.0.0.1:8000"
            async with httpx.AsyncClient(transport=transport, base_url=base) as client:
                await steps(client)

    asyncio.run(all_of_it())


async def read(place: Place, client: httpx.AsyncClient) -> dict[str, Any]:
    """Submit a document, let a worker read it; the job as it is shown."""
    submitted = await client.post(
        "/v1/jobs",
        files={"file": ("tides.pdf", pdf(PAGES))},
        data={"model": "fake", "formats": "html,pdf"},
    )
    assert submitted.status_code == 202, submitted.text
    await asyncio.to_thread(place.work)
    shown: dict[str, Any] = (await client.get(submitted.headers["Location"])).json()
    assert shown["status"] == "succeeded"
    return shown


def keys_at(url: str) -> set[str]:
    """What is at one place, without the job's prefix."""
    return {blob.key.split("/", 2)[2] for blob in open_blobs(url).under("jobs/")}


def test_a_job_goes_from_one_cloud_to_the_other(
    place_of: Callable[..., Place], s3_url: str, az_url: str
) -> None:
    place = place_of()

    async def steps(client: httpx.AsyncClient) -> None:
        shown = await read(place, client)
        results = {f"results/document.{kind}" for kind in ("json", "html", "pdf")}
        assert keys_at(s3_url) == {"input"}
        assert keys_at(az_url) == results | {"results/raw.json", "results/pages.idx"}

        opened = {name: open_link(view) for name, view in shown["results"].items()}
        document = Document.from_json(opened["json"].content)
        texts = [text_of_page(number) for number in range(1, PAGES + 1)]
        assert [page.text for page in document.pages] == texts
        assert texts[0] in opened["html"].text
        (Path(place.settings.data_dir) / "opened.pdf").write_bytes(opened["pdf"].content)
        assert len(pypdf.PdfReader(f"{place.settings.data_dir}/opened.pdf").pages) == PAGES
        through_api = await client.get(f"/v1/jobs/{shown['id']}/result?format=pdf")
        assert through_api.content == opened["pdf"].content

    through(place, steps)


def open_link(view: dict[str, Any]) -> httpx.Response:
    """What a result's link opens, of anybody who has no key, in Azure itself."""
    assert urlsplit(view["url"]).path.startswith("/devstoreaccount1/results-")
    opened = fetched(view["url"])
    assert opened.status_code == 200
    assert opened.headers["Content-Type"] == view["media_type"]
    assert opened.headers["Content-Disposition"].startswith("attachment;")
    assert len(opened.content) == view["bytes"]
    return opened


def test_a_link_ends_when_the_settings_say(place_of: Callable[..., Place]) -> None:
    place = place_of(link_s=6.0)

    async def steps(client: httpx.AsyncClient) -> None:
        shown = await read(place, client)
        # The job is shown anew, for its links may have ended meanwhile.
        shown = (await client.get(f"/v1/jobs/{shown['id']}")).json()
        url = shown["results"]["json"]["url"]
        assert fetched(url).status_code == 200
        until(lambda: fetched(url).status_code == 403)
        shown = (await client.get(f"/v1/jobs/{shown['id']}")).json()
        assert fetched(shown["results"]["json"]["url"]).status_code == 200

    through(place, steps)


def test_an_erased_job_leaves_nothing_anywhere(
    place_of: Callable[..., Place], s3_url: str, az_url: str
) -> None:
    place = place_of()

    async def steps(client: httpx.AsyncClient) -> None:
        kept, erased = await read(place, client), await read(place, client)
        url = erased["results"]["json"]["url"]
        assert fetched(url).status_code == 200
        assert (await client.delete(f"/v1/jobs/{erased['id']}")).status_code == 204
        assert fetched(url).status_code == 404
        for place_url in (s3_url, az_url):
            blobs = open_blobs(place_url)
            assert not list(blobs.under(f"jobs/{erased['id']}/"))
            assert list(blobs.under(f"jobs/{kept['id']}/"))

    through(place, steps)


def test_a_document_that_was_read_before_is_copied_within_its_clouds(
    place_of: Callable[..., Place], s3_url: str, az_url: str
) -> None:
    place = place_of()

    async def steps(client: httpx.AsyncClient) -> None:
        first = await read(place, client)
        again = await client.post(
            "/v1/jobs",
            files={"file": ("tides.pdf", pdf(PAGES))},
            data={"model": "fake", "formats": "html,pdf"},
        )
        shown = (await client.get(again.headers["Location"])).json()
        assert shown["status"] == "succeeded"
        assert shown["id"] != first["id"]
        assert (await client.delete(f"/v1/jobs/{first['id']}")).status_code == 204
        assert open_link(shown["results"]["html"]).text
        assert keys_at(s3_url) == {"input"}

    through(place, steps)
