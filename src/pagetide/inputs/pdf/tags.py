"""The headings of a tagged PDF, in the child (ISO 32000-2 §14.8)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pypdfium2.raw as pdfium

from pagetide.inputs.pdf import calls
from pagetide.inputs.pdf.frame import PageFrame
from pagetide.inputs.text.lines import PlacedWord
from pagetide.layout import OutlineItem

_MOST_ELEMENTS = 20_000
_LONGEST = 200  # letters: a longer one is a paragraph, whatever its tag
_MOST_OF_PAGE = 0.5  # of the page's letters: if headings have more, the tags are useless
_TYPE_BYTES = 64
_HEADING = re.compile(r"H([1-6])?|Title")


def tagged_headings(
    page: Any,
    words: Sequence[PlacedWord],
    objects: Callable[[], Sequence[int]],
    frame: PageFrame,
) -> tuple[OutlineItem, ...]:
    """The page's headings by its tags, as items of an outline; empty without tags.

    Args:
        page: PDFium's handle.
        words: Of the page.
        objects: Gives for each word the address of the text object that it starts in; called if
            the tags contain a heading.
        frame: Of the page.
    """
    with _tree(page) as tree:
        named = list(_headings(tree)) if tree else []
    of_content = _by_content(words, objects()) if named else {}
    heads = [
        (level, within)
        for level, held in named
        if (within := [word for content in held for word in of_content.get(content, ())])
    ]
    letters = sum(len(word[0]) for _, within in heads for word in within)
    if letters > _MOST_OF_PAGE * sum(len(word[0]) for word in words):
        return ()
    items = (_item(level, within, frame) for level, within in heads)
    return tuple(item for item in items if len(item.title) <= _LONGEST)


def _by_content(
    words: Sequence[PlacedWord], objects: Sequence[int]
) -> Mapping[int, list[PlacedWord]]:
    """The words by the number of their marked content."""
    content = {each: calls.object_content(each) for each in set(objects)}
    found: dict[int, list[PlacedWord]] = {}
    for word, each in zip(words, objects, strict=True):
        found.setdefault(content[each], []).append(word)
    return found


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
    """The marked contents of an element and its descendants."""
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
    return calls.text_of(pdfium.FPDF_StructElement_GetType, element, most=_TYPE_BYTES)
