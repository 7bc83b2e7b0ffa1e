"""Long texts of JSON bodies: on disk, and what they were."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from pagetide.errors import BadInput, TooLarge
from pagetide.server.api.bodies import long_texts
from pagetide.server.api.bodies.long_texts import LongTexts
from pagetide.server.api.bodies.uploads import prepare, upload
from pagetide.settings import Settings

MOST = 1 << 20


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    made = Settings(data_dir=str(tmp_path_factory.mktemp("data")))
    prepare(made)
    return made


@pytest.fixture(autouse=True)
def nothing_left(settings: Settings) -> Iterator[None]:
    yield
    assert list((Path(settings.data_dir) / "uploads").iterdir()) == []


def request(parts: list[bytes]) -> Request:
    left = list(parts)

    async def receive() -> dict[str, Any]:
        body = left.pop(0) if left else b""
        return {"type": "http.request", "body": body, "more_body": bool(left)}

    return Request({"type": "http", "headers": []}, receive)


def read(settings: Settings, parts: list[bytes]) -> tuple[Any, list[bytes]]:
    """The JSON, and each of its texts whole."""

    async def reading() -> tuple[Any, list[bytes]]:
        async with upload(settings, long_texts.in_base64(MOST)) as spill:
            texts = LongTexts(spill)
            value = await texts.read(request(parts), MOST)
            found = [b"".join(texts.pieces(text)) for text in strings(value)]
            return value, found

    return asyncio.run(reading())


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for one in value.values() for text in strings(one)]
    return [text for one in value for text in strings(one)] if isinstance(value, list) else []


def in_parts(body: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted(cut % (len(body) + 1) for cut in cuts), len(body)]
    return [body[a:b] for a, b in pairwise(places)]


VALUES = st.recursive(
    st.none() | st.integers(0, 9) | st.text(max_size=6) | st.text('ab/+\\"', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(VALUES, st.lists(st.integers(0, 10**6), max_size=4), st.booleans())
def test_json_with_short_texts_is_what_was_sent(
    settings: Settings, value: Any, cuts: list[int], ascii_only: bool
) -> None:
    body = json.dumps(value, ensure_ascii=ascii_only).encode()
    assert read(settings, in_parts(body, cuts))[0] == value


@given(st.integers(0, 9), st.lists(st.integers(0, 10**6), max_size=4), st.booleans())
def test_long_texts_are_what_was_sent(
    settings: Settings, extra: int, cuts: list[int], escaped: bool
) -> None:
    long = base64.b64encode((b"\xfb\xef\xbe" + bytes(15)) * 5000).decode() + "a" * extra
    body = json.dumps({"a": [{"b": long, "c": "short"}], "d": long[::-1]})
    if escaped:
        body = body.replace("/", "\\/").replace("+", "\\u002b")
    value, texts = read(settings, in_parts(body.encode(), cuts))
    assert texts == [long.encode(), b"short", long[::-1].encode()]
    assert len(json.dumps(value)) < 1000


LETTERS = st.text(st.sampled_from('ab+/"\\\n\u00e9\u4e2d\U0001f600'), max_size=40)


@given(LETTERS, st.booleans(), st.integers(1, 9), st.lists(st.integers(0, 300), max_size=3))
def test_pieces_end_between_letters(
    settings: Settings, text: str, ascii_only: bool, size: int, cuts: list[int]
) -> None:
    body = json.dumps([text], ensure_ascii=ascii_only).replace("/", "\\/").encode()

    async def reading() -> list[bytes]:
        async with upload(settings, MOST) as spill:
            texts = LongTexts(spill)
            [mark] = strings(await texts.read(request(in_parts(body, cuts)), MOST))
            return list(texts.pieces(mark, size))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_texts, "LONG", 0)
        pieces = asyncio.run(reading())
    assert "".join(piece.decode() for piece in pieces) == text


@pytest.mark.parametrize(
    "text",
    [b"\\ud83d", b"\\ud83d\\n", b"\\udc00", b"\\x", b"a\nb", b"\xff"],
)
def test_a_long_text_that_is_not_json_is_refused(settings: Settings, text: bytes) -> None:
    body = b'["' + b"a" * (long_texts.LONG + 1) + text + b'"]'
    with pytest.raises(BadInput):
        read(settings, [body])


def test_a_body_that_is_no_json_is_refused(settings: Settings) -> None:
    for body in (b"", b"{", b'{"a": "', b'{"a": "\xff"}', b"[" * 100_000):
        with pytest.raises(BadInput):
            read(settings, [body])


def test_a_body_has_a_bound(settings: Settings) -> None:
    with pytest.raises(TooLarge):
        read(settings, [b'"' + b"a" * (2 * MOST)] * 2)
    with pytest.raises(BadInput):
        read(settings, [b"[" + b"1," * (long_texts.MOST_REST_BYTES // 2)])


def test_a_mark_that_somebody_made_up_is_only_text(settings: Settings) -> None:
    _, texts = read(settings, [b'["long-0000000000000000-0"]'])
    assert texts == [b"long-0000000000000000-0"]


def test_nothing_goes_to_disk_for_short_texts(settings: Settings) -> None:
    async def reading() -> int:
        async with upload(settings, MOST) as taken, taken.beside(MOST) as spill:
            await LongTexts(spill).read(request([b'["short"]']), MOST)
            return len(list((Path(settings.data_dir) / "uploads").iterdir()))

    assert asyncio.run(reading()) == 1  # the document's own


def test_escapes_cost_no_step_each(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or a body of nothing but escapes keeps the event loop busy."""
    steps: list[int] = []
    kept = LongTexts._keep

    def counted(texts: LongTexts, part: bytes) -> None:
        steps.append(len(part))
        kept(texts, part)

    monkeypatch.setattr(LongTexts, "_keep", counted)
    text = b"\\/" * (MOST // 2)
    _, (found,) = read(settings, in_parts(b'["' + text + b'"]', list(range(1, MOST, 65_537))))
    assert found == b"/" * (MOST // 2)
    assert len(steps) < 40


def test_a_mark_is_too_long_for_a_text_with_a_bound(settings: Settings) -> None:
    value, _ = read(settings, [b'["' + b"a" * (long_texts.LONG + 1) + b'"]'])
    assert len(value[0]) > 255
