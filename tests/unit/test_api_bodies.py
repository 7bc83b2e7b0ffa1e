"""Bodies that anybody may send: read whole, cut anywhere, or refused in an orderly way."""

from __future__ import annotations

import asyncio
import base64
import json
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from pagetide.errors import BadOption, PagetideError, TooLarge
from pagetide.server.api.bodies import form_body, json_body
from pagetide.server.api.bodies.job_form import JobForm, checked
from pagetide.server.api.bodies.uploads import Body, prepare, upload
from pagetide.settings import Settings
from tests.unit.api_fake import form

MOST = 100_000


@dataclass
class Sent:
    """As much of a request as a body's reader looks at."""

    headers: dict[str, str]
    parts: list[bytes]

    async def stream(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            yield part


def read(kind: Any, headers: dict[str, str], parts: list[bytes]) -> tuple[Body, bytes]:
    """What a body holds, and the document in it."""

    async def steps(settings: Settings) -> tuple[Body, bytes]:
        async with upload(settings, MOST) as taken:
            body = await kind.read(cast(Request, Sent(headers, parts)), taken, MOST)
            return body, taken.path.read_bytes()

    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=folder)
        prepare(settings)
        found = asyncio.run(steps(settings))
        assert list((Path(folder) / "uploads").iterdir()) == []
        return found


def cut(body: bytes, places: list[int]) -> list[bytes]:
    """The body in parts."""
    ends = [0, *sorted(place % (len(body) + 1) for place in places), len(body)]
    return [body[a:b] for a, b in pairwise(ends)]


PLACES = st.lists(st.integers(0, 10_000), max_size=8)
DOCUMENTS = st.binary(max_size=3000)


@given(document=DOCUMENTS, places=PLACES, value=st.text(max_size=20))
def test_a_form_holds_what_was_sent(document: bytes, places: list[int], value: str) -> None:
    text = value.encode("utf-8", "replace").decode()
    headers, body = form([("pages", text), ("file", document, "a.pdf"), ("pages", "2")])
    found, taken = read(form_body, headers, cut(body, places))
    assert (taken, found.document, found.name) == (document, True, "a.pdf")
    assert found.fields == {"pages": [text, "2"]}


@given(
    document=DOCUMENTS,
    places=PLACES,
    rest=st.dictionaries(
        st.text(max_size=5).filter(lambda key: key not in ("file", "name")),
        st.recursive(
            st.none() | st.text(max_size=9) | st.integers(0, 9),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.sampled_from(["file", "a"]), inner, max_size=2)
            ),
            max_leaves=5,
        ),
        max_size=4,
    ),
    first=st.booleans(),
    escaped=st.booleans(),
)
def test_json_holds_what_was_sent(
    document: bytes, places: list[int], rest: dict[str, Any], first: bool, escaped: bool
) -> None:
    given_file = {"file": base64.b64encode(document).decode()}
    body = json.dumps({**given_file, **rest} if first else {**rest, **given_file})
    if escaped:  # as PHP and .NET write it
        text = given_file["file"]
        body = body.replace(text, text.replace("/", "\\/").replace("+", "\\u002B"))
    found, taken = read(json_body, {}, cut(body.encode(), places))
    assert (taken, found.document) == (document, True)
    assert found.fields == rest


@given(
    kind=st.sampled_from([form_body, json_body]),
    noise=st.lists(st.tuples(st.integers(0, 10_000), st.binary(max_size=3)), max_size=6),
    places=PLACES,
)
def test_a_body_that_is_spoilt_is_read_or_refused(
    kind: Any, noise: list[tuple[int, bytes]], places: list[int]
) -> None:
    headers, body = form([("pages", "1"), ("file", b"%PDF", "a.pdf")])
    if kind is json_body:
        body = b'{"pages": "1", "file": "JVBERg==", "metadata": {"a": "b"}}'
    for place, bytes_ in noise:
        at = place % (len(body) + 1)
        body = body[:at] + bytes_ + body[at + len(bytes_) :]
    try:
        read(kind, headers, cut(body, places))
    except PagetideError as error:
        assert error.http_status in {413, 422}


@pytest.mark.parametrize("kind", [form_body, json_body])
def test_a_document_may_have_just_as_many_bytes(kind: Any) -> None:
    for size in (MOST, MOST + 1):
        headers, body = form([("file", bytes(size), "a.pdf")])
        if kind is json_body:
            body = json.dumps({"file": base64.b64encode(bytes(size)).decode()}).encode()
        parts = cut(body, list(range(0, len(body), 1000)))
        if size == MOST:
            assert read(kind, headers, parts)[1] == bytes(size)
        else:
            with pytest.raises(TooLarge):
                read(kind, headers, parts)


@pytest.mark.parametrize(
    "options",
    [{f"o{n}": 1 for n in range(10_000)}, {"layout": "x" * 100_000}, {"x" * 5_000: True}],
)
def test_a_models_options_have_a_bound(options: dict[str, object]) -> None:
    with pytest.raises(BadOption, match="`options` may have"):
        checked(JobForm, {"options": options}, texts=False)
