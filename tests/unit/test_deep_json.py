"""JSON nested so deep that Python cannot work with it is refused, wherever it is sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagetide.errors import BadInput, PagetideError
from pagetide.server.api.bodies.json_text import DEEPEST, parsed
from pagetide.server.compat.azure.batches.routes import FileListSource, _every_name
from pagetide.server.compat.paddlex.restructure_request import restructure_request, results_of
from tests.unit.api_fake import Desk, Part, Site, form, play

JSON = {"content-type": "application/json"}
DEPTHS = (DEEPEST, 500, 900, 950, 970, 30_000)  # Python's own end is near 1,000
KINDS = (("[", "]"), ('{"a":', "}"))
DEEP = [
    opening * depth + "1" + closing * depth for depth in DEPTHS for opening, closing in KINDS
]


@pytest.mark.parametrize(("opening", "closing"), KINDS)
def test_so_many_levels_are_taken_and_no_more(opening: str, closing: str) -> None:
    most = (opening * DEEPEST + '"[[[["' + closing * DEEPEST).encode()
    parsed(most)
    with pytest.raises(BadInput, match="deeper than 64 levels"):
        parsed(b"[" + most + b"]")


def test_many_that_are_not_deep_are_taken() -> None:
    assert parsed(b"[" + b'[{"a":[]}],' * 1000 + b"[]]")


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b'"\\ud800"', b"]", b"[1"])
def test_what_is_no_json_is_said_to_be_none(text: bytes) -> None:
    with pytest.raises(BadInput, match=r"It is not JSON"):
        parsed(text, "It")


@pytest.mark.parametrize(
    "path", ["/v1/jobs", "/v1/read", "/v1/pools/cpu/warm", "/layout-parsing"]
)
def test_a_body_is_refused(tmp_path: Path, path: str) -> None:
    async def steps(site: Site) -> None:
        for name in ("model", "password", "workers", "file"):
            for deep in DEEP:
                body = f'{{"{name}":{deep}}}'.encode()
                reply = await site.ask("POST", path, headers=JSON, body=body)
                assert reply.status in (413, 422), (name, len(deep), reply.body)

    play(Desk(tmp_path), steps)


@pytest.mark.parametrize("name", ["metadata", "options"])
def test_a_field_of_a_form_is_refused(tmp_path: Path, name: str) -> None:
    async def steps(site: Site) -> None:
        for deep in DEEP[:-2]:
            fields: list[Part] = [("file", b"%PDF 1", "a.pdf"), (name, f'{{"a":{deep}}}')]
            head, body = form(fields)
            reply = await site.ask("POST", "/v1/jobs", headers=head, body=body)
            assert (reply.status, reply.code) == (422, "bad_option"), reply.body

    play(Desk(tmp_path), steps)


@pytest.mark.parametrize("deep", DEEP, ids=len)
@pytest.mark.parametrize("body", ['{"logId":%s,"pages":[]}', '{"pages":[{"prunedResult":%s}]}'])
def test_pages_to_restructure_are_refused(body: str, deep: str) -> None:
    with pytest.raises(PagetideError):
        results_of(restructure_request((body % deep).encode(), lambda _: None))


class Listing:
    """A container with one blob."""

    def __init__(self, blob: bytes) -> None:
        self._blob = blob

    def read(self, name: str) -> bytes:
        return self._blob


@pytest.mark.parametrize("line", [f'{{"a":{DEEP[-1]}}}'.encode(), b'{"file":"\xff"}'])
def test_a_list_of_files_is_refused(line: bytes) -> None:
    source = FileListSource(container_url="", file_list="")
    with pytest.raises(BadInput, match="list of files"):
        list(_every_name(Listing(line), source))  # type: ignore[arg-type]
