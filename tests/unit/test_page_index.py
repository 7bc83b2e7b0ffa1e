"""The document page by page: the same bytes as in one, and every page in its place."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Document, ModelInfo, Notice, Page
from pagetide.server.jobs.page_index import PageIndex, PageWriter
from tests.documents import document_of, line, page_of

TEXTS = st.text(max_size=30) | st.sampled_from(['"pages":[]', '\\"pages\\":[]', "\n", "}]"])
NUMBERS = st.lists(st.integers(1, 10_000), unique=True, max_size=8).map(sorted)


def empty(name: str = "scan.pdf", notice: str = "", part: str = "") -> Document:
    """A document without pages whose words could be taken for its structure."""
    return msgspec.structs.replace(
        document_of(name=name),
        model=ModelInfo(
            name=part, engine=name, version="1", runtime="x", language="en", parts={part: name}
        ),
        warnings=(Notice(code="w", message=notice),) if notice else (),
    )


def written(head: Document, pages: list[Page]) -> tuple[bytes, PageIndex, int]:
    writer = PageWriter(head)
    parts = writer.write((page.number, msgspec.json.encode(page)) for page in pages)
    return b"".join(parts), writer.index, writer.bytes


@given(NUMBERS, TEXTS, TEXTS, TEXTS)
def test_it_is_the_document_that_would_be_written_whole(
    numbers: list[int], name: str, notice: str, text: str
) -> None:
    head = empty(name, notice, text)
    pages = [page_of([line(text, (0, 0, 9, 9))], number=n) for n in numbers]
    content, _, size = written(head, pages)
    whole = msgspec.structs.replace(head, pages=tuple(pages))
    assert content == whole.to_json().encode() + b"\n"
    assert size == len(content)


@given(NUMBERS, TEXTS, st.integers(1, 10_000))
def test_every_page_is_in_its_place(numbers: list[int], text: str, other: int) -> None:
    pages = [page_of([line(text, (0, 0, n, 9))], number=n) for n in numbers]
    content, index, _ = written(empty(), pages)
    again = PageIndex.decode(index.encode())
    assert again == index
    for page in pages:
        place = again.place(page.number)
        assert place is not None
        assert content[slice(*place)] == msgspec.json.encode(page)
    assert (again.place(other) is None) == (other not in numbers)


@given(NUMBERS)
def test_places_are_in_order_and_apart(numbers: list[int]) -> None:
    content, index, _ = written(empty(), [page_of([], number=n) for n in numbers])
    ends = [0]
    for _, start, end in index.places:
        assert ends[-1] < start < end < len(content)
        ends.append(end)


def test_pages_are_taken_one_at_a_time() -> None:
    taken = []

    def pages() -> object:
        for number in (1, 2, 3):
            taken.append(number)
            yield number, b"{}"

    parts = PageWriter(empty()).write(pages())  # type: ignore[arg-type]
    assert (next(parts), taken) == (PageWriter(empty())._head, [])
    assert (next(parts), taken) == (b"{}", [1])


@pytest.mark.parametrize("blob", [b"", b"{}", b"[[1,2]]", b'[["1",2,3]]'])
def test_a_damaged_index_is_no_index(blob: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        PageIndex.decode(blob)
