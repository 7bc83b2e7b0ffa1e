"""The headings that a tagged PDF names, in the child (ISO 32000-2 §14.8)."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pypdfium2.raw as pdfium

from pagetide.inputs import calls
from pagetide.inputs.frame import PageFrame
from pagetide.inputs.text_lines import PlacedWord
from pagetide.layout import OutlineItem

_MOST_ELEMENTS = 20_000
_LONGEST = 200  # letters: a longer one is a paragraph, whatever its tag
_MOST_OF_PAGE = 0.5  # of the page's letters: where headings have more, the tags are no use
_TYPE_BYTES = 64
_HEADING = re.compile(r"H([1-6])?|Title")


def tagged_headings(
    page: Any, words: Sequence[PlacedWord], contents: Sequence[int], frame: PageFrame
) -> tuple[OutlineItem, ...]:
    """The page's headings by its tags, as items of an outline; none where it has no tags.

    Args:
        page: PDFium's handle.
        words: Of the page.
        contents: For each word, the number of the marked content it stands in, or -1.
        frame: Of the page.
    """
    of_content: dict[int, list[PlacedWord]] = {}
    for word, content in zip(words, contents, strict=True):
        of_content.setdefault(content, []).append(word)
    with _tree(page) as tree:
        found = [
            (level, [word for content in held for word in of_content.get(content, ())])
            for level, held in _headings(tree)
        ]
    heads = [(level, within) for level, within in found if within]
    letters = sum(len(word[0]) for _, within in heads for word in within)
    if letters > _MOST_OF_PAGE * sum(len(word[0]) for word in words):
        return ()
    items = (_item(level, within, frame) for level, within in heads)
    return tuple(item for item in items if len(item.title) <= _LONGEST)


def has_tags(page: Any) -> bool:
    """Whether a page's parts are tagged."""
    with _tree(page) as tree:
        return bool(tree) and pdfium.FPDF_StructTree_CountChildren(tree) > 0


@contextmanager
def _tree(page: Any) -> Iterator[Any]:
    tree = pdfium.FPDF_StructTree_GetForPage(page)
    try:
        yield tree
    finally:
        if tree:
            pdfium.FPDF_StructTree_Close(tree)


def _item(level: int, words: Sequence[PlacedWord], frame: PageFrame) -> OutlineItem:
    title = "".join(" " * bool(joint) + text for text, _, joint, _ in words)
    _, box, _, angle = words[0]
    top = frame.polygon(box)[0][1] if not angle else None
    return OutlineItem(title=" ".join(title.split()), level=level, top=top)


def _headings(tree: Any) -> Iterator[tuple[int, list[int]]]:
    """Level and marked contents of each heading, in the tree's order."""
    roots = range(pdfium.FPDF_StructTree_CountChildren(tree))
    stack = [pdfium.FPDF_StructTree_GetChildAtIndex(tree, at) for at in reversed(roots)]
    seen: set[int] = set()
    while stack and len(seen) < _MOST_ELEMENTS:
        element = stack.pop()
        if not element or calls.address_of(element) in seen:
            continue
        seen.add(calls.address_of(element))
        if heading := _HEADING.fullmatch(_type(element)):
            level = 0 if heading[0] == "Title" else int(heading[1] or 1)
            yield level, _contents(element, seen)
        else:
            stack += reversed(_children(element))


def _contents(element: Any, seen: set[int]) -> list[int]:
    """The marked contents of an element and of what is in it."""
    found: list[int] = []
    stack = [element]
    while stack and len(seen) < _MOST_ELEMENTS:
        one = stack.pop()
        seen.add(calls.address_of(one))
        held = range(pdfium.FPDF_StructElement_CountChildren(one))
        found += (pdfium.FPDF_StructElement_GetChildMarkedContentID(one, at) for at in held)
        stack += (each for each in _children(one) if calls.address_of(each) not in seen)
    return [content for content in found if content >= 0]


def _children(element: Any) -> list[Any]:
    held = range(pdfium.FPDF_StructElement_CountChildren(element))
    children = (pdfium.FPDF_StructElement_GetChildAtIndex(element, at) for at in held)
    return [child for child in children if child]


def _type(element: Any) -> str:
    buffer = ctypes.create_string_buffer(_TYPE_BYTES)
    size = pdfium.FPDF_StructElement_GetType(element, buffer, _TYPE_BYTES)
    return (
        buffer.raw[: size - 2].decode("utf-16-le", "replace") if 2 < size <= _TYPE_BYTES else ""
    )


def contents_of(objects: Sequence[int]) -> list[int]:
    """For each text object, by address, the number of its marked content, or -1."""
    known: Mapping[int, int] = {each: calls.object_content(each) for each in set(objects)}
    return [known[each] for each in objects]
