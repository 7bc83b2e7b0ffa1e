"""The page's files: what they are served as, that nothing else is, and what it may load."""

from __future__ import annotations

import gzip
import posixpath
import re
from functools import cache
from pathlib import Path

import pytest

from pagetide.server.api.modules import EXPORT, IMPORT, exports, joined
from pagetide.server.api.page import FOLDER, POLICY, ROOTS
from pagetide.server.jobs.allowances import Allowance
from tests.unit.api_fake import Desk, Site, play

LICENCE = "inter/OFL.txt"  # of the typeface: it lies beside it, and is not served
FILES = sorted(
    name
    for path in FOLDER.rglob("*.*")
    if (name := path.relative_to(FOLDER).as_posix()) != LICENCE
)
MODULES = {name for name in FILES if name.endswith(".js") and name != "ahead.js"}
VIEWS = {
    "jobs/jobs.js",
    "operations/operations.js",
    "review/review.js",
    "viewer/viewer.js",
}
TYPES = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "woff2": "font/woff2",
}


def test_the_page_needs_no_key_and_says_what_it_may_load(tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        reply = await site.get("/")
        assert reply.status == 200
        assert reply.headers["content-type"] == "text/html; charset=utf-8"
        assert reply.headers["content-security-policy"] == POLICY
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert (await site.get("/v1/jobs")).code == "unauthorized"

    play(Desk(tmp_path), steps, keys_needed=True)


def test_a_link_to_the_page_may_have_what_counts_its_clicks(tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        for path in ("/?utm_source=letter", "/ui/style.css?v=2"):
            assert (await site.get(path)).status == 200
        assert (await site.get("/v1/models?v=2")).code == "bad_option"

    play(Desk(tmp_path), steps)


def test_every_file_is_served_as_what_it_is(tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        for name in {*FILES} - MODULES | VIEWS | {*ROOTS}:
            reply = await site.get(f"/ui/{name}")
            assert reply.status == 200, name
            if name not in MODULES:
                assert reply.body == (FOLDER / name).read_bytes()
            assert reply.headers["content-type"].startswith(TYPES[name.rpartition(".")[2]])
            assert reply.headers["cache-control"] == "no-cache"

    play(Desk(tmp_path), steps)


def test_what_a_browser_has_is_not_sent_again(tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        tag = (await site.get("/ui/shell.js")).headers["etag"]
        for known in tag, f'"other", {tag.removeprefix("W/")}', "*":
            reply = await site.get("/ui/shell.js", if_none_match=known)
            assert (reply.status, reply.body) == (304, b"")
        assert (await site.get("/ui/shell.js", if_none_match='"other"')).status == 200

    play(Desk(tmp_path), steps)


def test_a_file_is_sent_packed_to_those_who_take_it_so(tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        plain = await site.get("/ui/shell.js")
        packed = await site.get("/ui/shell.js", accept_encoding="br, gzip")
        assert packed.headers["content-encoding"] == "gzip"
        assert packed.headers["vary"] == "Accept-Encoding"
        assert gzip.decompress(packed.body) == plain.body and len(packed.body) < len(plain.body)
        face = await site.get("/ui/inter/inter.woff2", accept_encoding="gzip")
        assert "content-encoding" not in face.headers  # it is packed already

    play(Desk(tmp_path), steps)


@pytest.mark.parametrize(
    "path", ["../page.py", "..%2fpage.py", "/etc/passwd", "viewer", "", "none.js", "./dom.js"]
)
def test_nothing_else_is_served(tmp_path: Path, path: str) -> None:
    async def steps(site: Site) -> None:
        reply = await site.get(f"/ui/{path}")
        assert reply.code == "not_found"
        assert reply.headers["content-security-policy"] != POLICY

    play(Desk(tmp_path), steps)


def test_the_page_takes_no_other_methods(tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        reply = await site.ask("POST", "/")
        assert reply.code == "method_not_allowed"
        assert reply.headers["allow"] == "GET, HEAD"
        for path in ("/", "/ui/style.css"):
            head, got = await site.ask("HEAD", path), await site.get(path)
            assert (head.status, head.body, head.headers) == (200, b"", got.headers)

    play(Desk(tmp_path), steps)


def test_the_page_can_be_switched_off(tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        for path in "/", "/ui/shell.js":
            assert (await site.get(path)).code == "not_found"
        assert (await site.get("/v1/limits")).status == 200

    play(Desk(tmp_path, page=False), steps)


def test_its_own_requests_pass_the_guard_and_a_foreign_page_s_do_not(tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        host = "localhost:8000"
        own = {"host": host, "origin": f"http://{host}", "sec_fetch_site": "same-origin"}
        assert (await site.get("/v1/jobs", **own)).status == 200
        foreign = {"host": host, "origin": "https://evil.example"}
        assert (await site.get("/v1/jobs", **foreign)).code == "forbidden"

    play(Desk(tmp_path), steps, host="localhost")


@cache
def texts() -> dict[str, str]:
    written = [name for name in FILES if not name.endswith((".pdf", ".woff2"))]
    return {name: (FOLDER / name).read_text(encoding="utf-8") for name in written}


def test_a_file_asks_nobody_else_and_parses_no_markup() -> None:
    for name, text in texts().items():
        addresses = set(re.findall(r"(?:https?:)?//[a-z][\w.-]+\.[a-z]+", text))
        assert addresses <= {"http://www.w3.org", "https://example.org"}, name
        assert not re.search(r"(innerHTML|outerHTML)\s*\+?=[^=]", text), name
        for parsing in "insertAdjacentHTML", "document.write", "eval(", "new Function":
            assert parsing not in text, name
        if name.endswith((".html", ".svg")):
            assert not re.search(r"\s(style|on\w+)=", text), name


def test_modules_are_put_together_each_after_what_it_imports() -> None:
    files = joined({name: texts()[name] for name in MODULES}, ROOTS)
    assert set(files) == VIEWS | {*ROOTS}
    shell = re.findall(r"^// (\S+\.js)$", files["shell.js"], re.M)
    seen = {*shell}
    for name, text in files.items():
        own = re.findall(r"^// (\S+\.js)$", text, re.M)
        assert own[-1] == name and len(own) == len({*own})
        assert text.count("\nexport ") == 1
        assert name in ROOTS or not {*own} & {*shell}
        for at, module in enumerate(own):
            there = {*shell, *own} if name in VIEWS else {*own}
            assert _imported(module) <= there - {*own[at:]}, module
        seen |= {*own}
    assert seen == MODULES


def test_a_module_imports_only_what_another_exports() -> None:
    for name in MODULES:
        for _, names, where in IMPORT.findall(texts()[name]):
            wanted = {part.split(" as ")[0].strip() for part in names.strip("{}").split(",")}
            other = posixpath.normpath(posixpath.join(posixpath.dirname(name), where))
            assert wanted - {""} <= {*exports(texts()[other])}, (name, where)
        taken = EXPORT.sub("", IMPORT.sub("", texts()[name]))
        assert not re.search(r"^(import|export) [^']*$", taken, re.M), (
            f"{name} is of another form"
        )


def _imported(name: str) -> set[str]:
    folder = posixpath.dirname(name)
    found = IMPORT.findall(texts()[name])
    return {posixpath.normpath(posixpath.join(folder, where)) for *_, where in found}


def test_a_file_stays_small() -> None:
    lengths = {name: len(text.splitlines()) for name, text in texts().items()}
    programs = {name: n for name, n in lengths.items() if name.endswith((".js", ".css"))}
    assert {name: n for name, n in programs.items() if n > 300} == {}


def test_limits_are_those_of_the_key_that_asks(tmp_path: Path) -> None:
    desk = Desk(tmp_path, max_bytes=5000, max_pages=40, max_active_per_key=7)
    free = desk.key("free")
    bound = desk.key("bound", max_bytes=100, max_pages=3, max_active=2)

    async def steps(site: Site) -> None:
        told = (await site.get("/v1/limits", authorization=f"Bearer {free}")).json()
        assert (told["key"], told["max_bytes"], told["max_pages"]) == ("free", 5000, 40)
        assert told["max_active"] == 7
        assert "application/pdf" in told["media_types"]
        told = (await site.get("/v1/limits", authorization=f"Bearer {bound}")).json()
        assert (told["max_bytes"], told["max_pages"], told["max_active"]) == (100, 3, 2)
        assert (await site.get("/v1/limits")).code == "unauthorized"

    play(desk, steps, keys_needed=True)


def test_limits_tell_of_pages_and_what_is_left(tmp_path: Path) -> None:
    desk = Desk(tmp_path, pages_per_day_per_key=10)
    ada = desk.key("ada", active_pages=5, requests_per_second=9)
    owner, names = desk.service.store.keys()[0].id, ("active_pages", "active_pages_left")
    allowance = Allowance(active_pages=5, pages_per_day=10)
    desk.submit(3, owner=owner, allowance=allowance)

    async def steps(site: Site) -> None:
        told = (await site.get("/v1/limits", authorization=f"Bearer {ada}")).json()
        assert [told[name] for name in names] == [5, 2]
        assert (told["pages_per_day"], told["pages_left_today"]) == (10, 7)
        assert told["requests_per_second"] == 9

    play(desk, steps, keys_needed=True)


def test_what_is_not_limited_is_told_as_null(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    ada = desk.key("ada")

    async def steps(site: Site) -> None:
        told = (await site.get("/v1/limits", authorization=f"Bearer {ada}")).json()
        for name in ("active_pages", "pages_per_day", "pages_left_today"):
            assert told[name] is None
        assert told["requests_per_second"] is None

    play(desk, steps, keys_needed=True)


def test_a_key_cannot_have_more_than_the_server_allows(tmp_path: Path) -> None:
    desk = Desk(tmp_path, max_bytes=5000, max_pages=40, max_active=30)
    greedy = desk.key("greedy", max_bytes=10**9, max_pages=10**6, max_active=10**6)

    async def steps(site: Site) -> None:
        told = (await site.get("/v1/limits", authorization=f"Bearer {greedy}")).json()
        assert (told["max_bytes"], told["max_pages"]) == (5000, 40)
        assert told["max_active"] == 30

    play(desk, steps, keys_needed=True)
