"""The API: results, pages, pictures, and links to them."""

from __future__ import annotations

import asyncio
import gzip
import re
from collections.abc import Iterator
from email.message import Message
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.errors import BadOption, Forbidden
from pagetide.server.api.answers import links
from pagetide.server.api.answers.representation import disposition
from pagetide.server.api.answers.showing import result_name
from tests.unit.api_fake import CORNER, JPEG, PATIENCE_S, PNG, Deaf, Desk, Site, play


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_result_has_a_type_a_name_and_a_tag(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.finish(desk.submit(name="tide tables.pdf").id)
        reply = await site.get(f"/v1/jobs/{job.id}/result")
        assert reply.status == 200
        assert reply.body == b"".join(desk.service.stream(job.results["json"]))
        assert reply.headers["content-type"] == "application/json"
        assert reply.headers["etag"] == f'"{job.results["json"].sha256}"'
        assert reply.headers["content-length"] == str(len(reply.body))
        assert reply.headers["accept-ranges"] == "bytes"
        assert reply.headers["x-content-type-options"] == "nosniff"
        named = reply.headers["content-disposition"]
        assert named == 'attachment; filename="tide tables.json"'
        raw = await site.get(f"/v1/jobs/{job.id}/result?format=raw")
        assert raw.headers["content-disposition"].endswith('"tide tables.raw.json"')

    play(desk, steps)


def test_a_result_that_the_client_has_is_not_sent_again(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.finish(desk.submit().id)
        path = f"/v1/jobs/{job.id}/result"
        tag = f'"{job.results["json"].sha256}"'
        for known in (tag, f"W/{tag}", f'"x", {tag}', "*"):
            reply = await site.get(path, if_none_match=known)
            assert (reply.status, reply.body, reply.headers["etag"]) == (304, b"", tag)
        assert (await site.get(path, if_none_match='"x"')).status == 200

    play(desk, steps)


def test_what_is_asked_for_twice_is_refused(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        path = f"/v1/jobs/{desk.finish(desk.submit().id).id}/result"
        reply = await site.get(f"{path}?format=md&format=txt")
        assert (reply.status, reply.code) == (422, "bad_option")
        assert reply.json()["detail"] == "`format` is given 2 times; only once is allowed."
        assert (await site.get(f"{path}?format=json")).status == 200

    play(desk, steps)


def test_a_result_s_head_is_like_the_result_s(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        path = f"/v1/jobs/{desk.finish(desk.submit().id).id}/result"
        head, got = await site.ask("HEAD", path), await site.get(path)
        assert (head.status, head.body, head.headers) == (200, b"", got.headers)
        other = await site.ask("POST", path)
        assert (other.code, other.headers["allow"]) == ("method_not_allowed", "GET, HEAD")

    play(desk, steps)


def test_a_header_that_cannot_be_a_password_is_refused(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        path = f"/v1/jobs/{desk.submit(1).id}/pages/1/image"
        for header, why in (("open%00sesame", "contains a NUL"), ("%ff", "UTF-8")):
            reply = await site.get(path, pagetide_password=header)
            assert (reply.status, reply.code) == (422, "bad_option")
            assert why in reply.json()["detail"]

    play(desk, steps)


def test_a_page_comes_without_polygons_for_those_who_want_no_more(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        path = f"/v1/jobs/{desk.finish(desk.submit().id).id}/pages/1"
        whole, bare = await site.get(path), await site.get(f"{path}?polygons=false")
        assert b'"polygon"' in whole.body
        assert b'"polygon"' not in bare.body
        assert bare.headers["etag"] != whole.headers["etag"]
        known = whole.json()
        for block in known["blocks"]:
            del block["polygon"]
        assert bare.json() == known

    play(desk, steps)


def test_a_page_is_packed_for_those_who_take_it_so(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        path = f"/v1/jobs/{desk.finish(desk.submit().id).id}/pages/1"
        plain = await site.get(path)
        packed = await site.get(path, accept_encoding="br, gzip")
        assert "content-encoding" not in plain.headers
        assert packed.headers["content-encoding"] == "gzip"
        assert gzip.decompress(packed.body) == plain.body
        assert plain.headers["vary"] == packed.headers["vary"] == "Accept-Encoding"
        assert plain.headers["etag"] != packed.headers["etag"]  # other bytes
        for known in plain.headers["etag"], packed.headers["etag"]:
            taken = "gzip" if known == packed.headers["etag"] else "identity"
            again = await site.get(path, accept_encoding=taken, if_none_match=known)
            assert (again.status, again.body) == (304, b"")
        refused = await site.get(path, accept_encoding="gzip;q=0, br")
        assert "content-encoding" not in refused.headers
        part = await site.get(path, accept_encoding="gzip", range="bytes=0-3")
        assert (part.status, part.body) == (206, plain.body[:4])

    play(desk, steps)


# Each with the slice that comes back, or None for the whole.
RANGES: dict[str, slice | None] = {
    "bytes=0-0": slice(0, 1),
    "bytes=5-9": slice(5, 10),
    "bytes=5-": slice(5, None),
    "bytes=-5": slice(-5, None),
    "bytes=0-999999999999": slice(0, None),
    "bytes=-999999": slice(0, None),
    "bytes=0-1,3-4": None,
    "bytes=-": None,
    "bytes=x-y": None,
    "lines=0-1": None,
    "bytes=9-5": None,
    "bytes=99999-": slice(0, 0),
    "bytes=-0": slice(0, 0),
}


@pytest.mark.parametrize(("wanted", "part"), RANGES.items(), ids=RANGES)
def test_a_part_of_a_result_can_be_had(desk: Desk, wanted: str, part: slice | None) -> None:
    async def steps(site: Site) -> None:
        job = desk.finish(desk.submit().id)
        whole = b"".join(desk.service.stream(job.results["json"]))
        reply = await site.get(f"/v1/jobs/{job.id}/result", range=wanted)
        if part is None:
            assert (reply.status, reply.body) == (200, whole)
        elif whole[part]:
            start, stop, _ = part.indices(len(whole))
            assert (reply.status, reply.body) == (206, whole[part])
            told = f"bytes {start}-{stop - 1}/{len(whole)}"
            assert reply.headers["content-range"] == told
            assert reply.headers["content-length"] == str(stop - start)
        else:
            assert (reply.status, reply.code) == (416, "range_not_satisfiable")
            assert reply.headers["content-range"] == f"bytes */{len(whole)}"

    play(desk, steps)


def test_a_part_of_other_bytes_is_not_sent(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.finish(desk.submit().id)
        path, tag = f"/v1/jobs/{job.id}/result", f'"{job.results["json"].sha256}"'
        same = await site.get(path, range="bytes=0-1", if_range=tag)
        other = await site.get(path, range="bytes=0-1", if_range='"x"')
        assert (same.status, other.status) == (206, 200)

    play(desk, steps)


def test_the_head_of_everything_can_be_had(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.finish(desk.submit().id)
        for path in ("", "/result", "/pages/1", "/pages/1/image", "/events", "/deliveries"):
            url = f"/v1/jobs/{job.id}{path}"
            whole, head = await site.get(url), await site.ask("HEAD", url)
            assert (head.status, head.body) == (200, b"")
            assert head.headers == whole.headers
        assert (await site.ask("HEAD", "/v1/jobs/none")).status == 404
        refused = await site.ask("HEAD", "/v1/read")
        assert (refused.status, refused.headers["allow"]) == (405, "POST")

    play(desk, steps)


def test_a_result_that_is_not_there_yet_is_waited_for(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit(2)
        path = f"/v1/jobs/{job.id}/result"
        early = await site.get(path)
        assert (early.status, early.headers["retry-after"]) == (202, "1")
        assert early.json() == {"status": "queued", "pages_total": 2, "pages_done": 0}
        waiting = site.begin("GET", f"{path}?wait=60")
        await asyncio.to_thread(desk.finish, job.id)
        assert (await waiting.ended()).status == 200

    play(desk, steps)


def test_a_format_is_made_when_it_is_asked_for(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.finish(desk.submit().id)
        path = f"/v1/jobs/{job.id}/result?format=txt"
        assert (await site.get(path)).status == 202
        waiting = site.begin("GET", f"{path}&wait=60")
        await asyncio.to_thread(desk.finish, job.id)
        reply = await waiting.ended()
        assert (reply.status, reply.headers["content-type"]) == (
            200,
            "text/plain; charset=utf-8",
        )
        bad = await site.get(f"/v1/jobs/{job.id}/result?format=docx")
        assert (bad.status, bad.code) == (422, "bad_option")

    play(desk, steps)


def test_a_job_without_a_result_says_so(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit()
        await site.ask("POST", f"/v1/jobs/{job.id}/cancel")
        for path in ("result", "pages/1"):
            reply = await site.get(f"/v1/jobs/{job.id}/{path}?wait=30")
            assert (reply.status, reply.code) == (409, "job_ended")

    play(desk, steps)


def test_a_client_that_takes_nothing_is_given_up(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagetide.server.api.answers.streamed.STALLED_S", 0.05)
    closed: list[bool] = []

    async def steps(site: Site) -> None:
        job = desk.finish(desk.submit().id)

        def parts(*_: object) -> Iterator[bytes]:
            try:
                yield from (b"a", b"b", b"c")
            finally:
                closed.append(True)

        monkeypatch.setattr(desk.service, "stream", parts)
        reply = await site.begin("GET", f"/v1/jobs/{job.id}/result", kind=Deaf).ended()
        assert (reply.body, closed) == (b"a", [True])

    play(desk, steps)


def test_a_page_is_there_as_soon_as_it_is_read(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit(3)
        path = f"/v1/jobs/{job.id}/pages"
        early = await site.get(f"{path}/1")
        assert (early.status, early.code) == (409, "result_not_ready")
        assert (early.json()["retryable"], early.headers["retry-after"]) == (True, "1")
        waiting = site.begin("GET", f"{path}/2?wait=60")
        await asyncio.to_thread(desk.read, job.id, 2)
        reply = await waiting.ended()
        assert (reply.status, reply.json()["number"]) == (200, 2)
        assert (await site.get(f"{path}/3")).code == "result_not_ready"
        before = await site.get(f"{path}/1")
        desk.finish(job.id)
        after = await site.get(f"{path}/1")
        assert after.body == before.body and after.headers["etag"] == before.headers["etag"]
        assert (await site.get(f"{path}/1", if_none_match=after.headers["etag"])).status == 304
        assert (await site.get(f"{path}/9")).code == "page_out_of_range"
        for number in ("0", "-1", "x", "1.5"):
            assert (await site.get(f"{path}/{number}")).code == "bad_option"

    play(desk, steps)


def test_a_page_is_shown_as_a_picture(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit(1, name="a.b.pdf")
        reply = await site.get(f"/v1/jobs/{job.id}/pages/1/image")
        assert (reply.status, reply.body) == (200, PNG)
        assert reply.headers["content-type"] == "image/png"
        assert reply.headers["content-disposition"] == 'inline; filename="a.b.1.png"'
        assert (await site.get(f"/v1/jobs/{job.id}/pages/2/image")).code == "page_out_of_range"
        small = await site.get(f"/v1/jobs/{job.id}/pages/1/image?width=96")
        assert small.body == PNG[:50] and small.headers["etag"] != reply.headers["etag"]
        soft = await site.get(
            f"/v1/jobs/{job.id}/pages/1/image", accept="image/webp;q=0.9, image/jpeg;q=0.8"
        )
        assert (soft.body, soft.headers["content-type"]) == (JPEG, "image/jpeg")
        assert soft.headers["content-disposition"] == 'inline; filename="a.b.1.jpeg"'
        refused = await site.get(
            f"/v1/jobs/{job.id}/pages/1/image", accept="image/jpeg;q=0, image/png"
        )
        assert refused.headers["content-type"] == "image/png"
        assert soft.headers["vary"] == reply.headers["vary"] == "Accept"
        assert soft.headers["etag"] != reply.headers["etag"]
        for width in ("0", "401", "x"):
            wrong = await site.get(f"/v1/jobs/{job.id}/pages/1/image?width={width}")
            assert wrong.code == "bad_option", width

    play(desk, steps)


def test_a_searchable_pdf_is_not_called_like_the_document(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.finish(desk.submit(1, name="scan.pdf").id)
        assert result_name(job, "pdf") == "scan-searchable.pdf"
        assert result_name(job, "md") == "scan.md"

    play(desk, steps)


def test_a_picture_that_the_client_has_is_not_rendered_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit(2)
        path = f"/v1/jobs/{job.id}/pages"
        tag = (await site.get(f"{path}/1/image")).headers["etag"]
        assert (await site.get(f"{path}/1/image")).headers["etag"] == tag
        assert (await site.get(f"{path}/2/image", if_none_match=tag)).status == 200
        monkeypatch.setattr(desk.service.pages, "image", None)  # nobody may ask for it
        known = await site.get(f"{path}/1/image", if_none_match=tag)
        assert (known.status, known.body, known.headers["etag"]) == (304, b"", tag)

    play(desk, steps)


def test_what_a_password_opened_is_kept_by_no_cache_and_asked_for_each_time(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit(1)
        desk.read(job.id)
        for picture in ("image", "figures/1.png"):
            url, header = (
                f"/v1/jobs/{job.id}/pages/1/{picture}",
                {"pagetide-password": "sesame"},
            )
            plain, locked = await site.get(url), await site.get(url, **header)
            assert plain.headers["cache-control"] == "private, no-cache"
            assert (locked.status, locked.headers["cache-control"]) == (200, "no-store")

    play(desk, steps)


def test_whoever_has_any_picture_of_a_page_has_none_of_one_that_is_not_there(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> bytes:
        raise BadOption("There is no page 9.")

    async def steps(site: Site) -> None:
        path = f"/v1/jobs/{desk.submit(1).id}/pages"
        assert (await site.get(f"{path}/1/image", if_none_match="*")).status == 304
        monkeypatch.setattr(desk.service.pages, "image", missing)
        assert (await site.get(f"{path}/9/image", if_none_match="*")).code == "bad_option"

    play(desk, steps)


@pytest.mark.parametrize("picture", ["image", "figures/1.png"])
def test_a_picture_is_not_rendered_for_a_client_that_left(desk: Desk, picture: str) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit(1)
        desk.read(job.id)
        path = f"/v1/jobs/{job.id}/pages/1/{picture}"
        slots = site.app.state.context.pictures._all
        async with asyncio.timeout(PATIENCE_S):
            for other in range(int(slots.total_tokens)):
                await slots.acquire_on_behalf_of(other)
            waiting, leaving = site.begin("GET", path), site.begin("GET", path)
            while slots.statistics().tasks_waiting < 2:
                await asyncio.sleep(0)
            leaving.leave()
            assert (await leaving.ended()).status == 0  # nobody was answered
            assert slots.statistics().tasks_waiting == 1
            slots.release_on_behalf_of(0)
            assert (await waiting.ended()).status == 200

    play(desk, steps)


def test_a_link_opens_one_result_without_a_key(desk: Desk) -> None:
    key = desk.key("ada")
    owner = key[3:11]

    async def steps(site: Site) -> None:
        job = desk.finish(desk.submit(owner=owner).id)
        other = desk.finish(desk.submit(owner=owner).id)
        shown = await site.get(f"/v1/jobs/{job.id}", authorization=f"Bearer {key}")
        url = shown.json()["results"]["json"]["url"]
        assert url.startswith(f"http://127.0.0.1:8000/v1/files/{job.id}/json?expires=")
        opened = await site.get(url)
        assert (opened.status, len(opened.body)) == (200, job.results["json"].bytes)
        assert (await site.get(url, range="bytes=0-3")).status == 206
        assert (await site.get(url, if_none_match=opened.headers["etag"])).status == 304
        signature = re.search("signature=(.*)", url)
        assert signature
        for wrong in (
            url.replace(job.id, other.id),
            url.replace("/json?", "/raw?"),
            re.sub(r"expires=(\d+)", lambda m: f"expires={int(m[1]) + 1}", url),
            url.replace(signature[1], signature[1][::-1]),
            url.replace(signature[1], "ä"),
            url.replace(signature[1], ""),
        ):
            reply = await site.get(wrong)
            assert (reply.status, reply.code) == (403, "forbidden"), wrong
            assert signature[1].encode() not in reply.body
        desk.service.erase(job.id, None)
        assert (await site.get(url)).code == "job_gone"

    play(desk, steps, keys_needed=True)


def test_a_link_ends(tmp_path: Path) -> None:
    desk = Desk(tmp_path, link_s=-600.0)

    async def steps(site: Site) -> None:
        job = desk.finish(desk.submit().id)
        url = (await site.get(f"/v1/jobs/{job.id}")).json()["results"]["json"]["url"]
        reply = await site.get(url)
        assert (reply.status, reply.code) == (403, "forbidden")
        assert "expired" in reply.json()["detail"]

    play(desk, steps)


@given(valid_s=st.floats(1, 1e6), later=st.floats(0, 2e6))
def test_a_signature_holds_as_long_as_was_said(valid_s: float, later: float) -> None:
    now, path, secret = 1.8e9, "/v1/files/job/json", bytes(32)
    url = links.signed(secret, path, now=now, valid_s=valid_s)
    found = re.fullmatch(re.escape(path) + r"\?expires=(\d+)&signature=([\w-]+)", url)
    assert found
    expires, signature = int(found[1]), found[2]
    try:
        links.check(secret, path, expires=expires, signature=signature, now=now + later)
    except Forbidden:
        assert later >= valid_s
    else:
        assert later <= valid_s + links.STEP_S


def test_public_links_begin_as_the_settings_say(tmp_path: Path) -> None:
    desk = Desk(tmp_path, public_url="https://read.example/tide/")

    async def steps(site: Site) -> None:
        job = desk.submit()
        shown = (await site.get(f"/v1/jobs/{job.id}")).json()
        assert shown["links"]["self"] == f"https://read.example/tide/v1/jobs/{job.id}"

    play(desk, steps)


HOSTILE = {
    "a\r\nSet-Cookie: x=1.pdf": "aSet-Cookie_ x=1.json",
    'a"; filename="evil.exe': "a__ filename=_evil.json",
    "../../etc/passwd": "passwd.json",
    "..\\..\\boot.ini": "boot.json",
    "报告 é.pdf": "报告 é.json",
    "a\u202efdp.exe": "afdp.json",
    "\ud800.pdf": "pdf.json",
    "": "document.json",
    ".pdf": "pdf.json",
    "a%22b.pdf": "a_22b.json",
}


@pytest.mark.parametrize(("name", "kept"), HOSTILE.items(), ids=map(ascii, HOSTILE))
def test_a_hostile_name_stays_a_name(desk: Desk, name: str, kept: str) -> None:
    async def steps(site: Site) -> None:
        from pagetide.net.download import safe_name

        job = desk.finish(desk.submit(name=safe_name(name)).id)
        reply = await site.get(f"/v1/jobs/{job.id}/result")
        assert told_name(reply.headers["content-disposition"]) == kept

    play(desk, steps)


def told_name(header: str) -> str:
    """The file's name; Python's own parser of headers must see no more than that."""
    message = Message()
    message["content-disposition"] = header
    told = dict(message.get_params([], header="content-disposition")[1:])
    assert set(told) <= {"filename"}  # the parser gives `filename*` the same name
    whole = re.search(r"filename\*=UTF-8''(\S+)$", header)
    return unquote(whole[1]) if whole else told["filename"]


@given(st.text())
def test_any_name_makes_a_sound_header(name: str) -> None:
    header = disposition(name)
    assert header.isascii() and header.isprintable()
    plain = r'attachment; filename="([^"\\]+)"'
    assert re.fullmatch(plain + r"(; filename\*=UTF-8''[\w.!~%-]+)?", header)
    assert "/" not in told_name(header)


def test_a_pages_figures_are_listed_with_links_that_need_no_key(desk: Desk) -> None:
    key = desk.key("ada")

    async def steps(site: Site) -> None:
        job = desk.submit(2, owner=key[3:11], name="a.b.pdf")
        known = {"authorization": f"Bearer {key}"}
        path = f"/v1/jobs/{job.id}/pages/2/figures"
        assert (await site.get(path)).status == 401
        assert (await site.get(path, **known)).code == "result_not_ready"
        desk.finish(job.id)
        (figure,) = (await site.get(path, **known)).json()["figures"]
        url = figure.pop("url")
        assert figure == {"order": 1, "kind": "figure", "caption": "Fig. 1"}
        assert url.startswith(
            f"http://127.0.0.1:8000/v1/files/{job.id}/pages/2/figures/1.png?expires="
        )
        opened = await site.get(url)
        assert (opened.status, opened.body) == (200, PNG + str(CORNER).encode())
        assert (await site.get(url, range="bytes=0-3")).status == 206
        for wrong in (
            url.replace("/pages/2/", "/pages/1/"),
            url.replace("/1.png", "/0.png"),
            url.replace("signature=", "signature=x"),
        ):
            assert (await site.get(wrong)).code == "forbidden"
        desk.service.erase(job.id, None)
        assert (await site.get(url)).code == "job_gone"

    play(desk, steps, keys_needed=True)


def test_a_block_is_shown_as_a_picture_as_soon_as_its_page_is_read(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit(3, name="a.b.pdf")
        path = f"/v1/jobs/{job.id}/pages"
        assert (await site.get(f"{path}/1/figures/1.png")).code == "result_not_ready"
        desk.read(job.id, 1)
        reply = await site.get(f"{path}/1/figures/1.png")
        assert (reply.status, reply.body) == (200, PNG + str(CORNER).encode())
        assert reply.headers["content-type"] == "image/png"
        assert reply.headers["content-disposition"] == 'inline; filename="a.b.p1-b1.png"'
        tag = reply.headers["etag"]
        assert (await site.get(f"{path}/1/figures/1.png", if_none_match=tag)).status == 304
        assert (await site.get(f"{path}/1/figures/0.png")).status == 200  # any block
        missing = await site.get(f"{path}/1/figures/7.png")
        assert (missing.status, missing.code) == (404, "not_found")
        assert "no block 7" in missing.json()["detail"]
        assert (await site.get(f"{path}/9/figures/1.png")).code == "page_out_of_range"
        for order in ("-1", "x", "1.5"):
            assert (await site.get(f"{path}/1/figures/{order}.png")).code == "bad_option"

    play(desk, steps)


@pytest.mark.parametrize(
    ("format", "media_type", "name"),
    [
        ("csv", "application/zip", "tides.csv.zip"),
        (
            "xlsx",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "tides.xlsx",
        ),
    ],
)
def test_tables_come_as_an_archive_or_a_workbook(
    desk: Desk, format: str, media_type: str, name: str
) -> None:
    async def steps(site: Site) -> None:
        job = desk.finish(desk.submit(name="tides.pdf").id)
        path = f"/v1/jobs/{job.id}/result?format={format}"
        assert (await site.get(path)).status == 202
        await asyncio.to_thread(desk.finish, job.id)
        reply = await site.get(path)
        assert reply.headers["content-type"] == media_type
        assert reply.headers["content-disposition"] == f'attachment; filename="{name}"'
        assert reply.body.startswith(b"PK")

    play(desk, steps)
