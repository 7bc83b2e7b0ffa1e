"""The result of a PDF page's own text in each mode, in the child: lines or a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pagetide.document import Line, Notice, TextLayerDecision, TextLayerMode
from pagetide.geometry import Box, area, center, contains
from pagetide.inputs.pdf.frame import PageFrame
from pagetide.inputs.pdf.marks import PageMarks
from pagetide.inputs.pdf.selection import Placed, with_marks
from pagetide.inputs.pdf.tags import tagged_headings
from pagetide.inputs.pdf.trust import TextFacts, judge
from pagetide.inputs.text.fonts.inked import heavy_fonts
from pagetide.inputs.text.layer import PageText
from pagetide.inputs.text.lines import PlacedWord, kept, lines_of, shown
from pagetide.layout import OutlineItem

_MOST_PIXELS, _MOST_PATHS = 20_000_000, 10_000  # of a page drawn to measure type weight
_NOT_REQUESTED = TextLayerDecision(
    used=False, reason="not_requested", detail="The page's own text was not requested."
)
_UNREAD_PICTURE = Notice(
    code="pictures_not_read",
    message=(
        "A picture on this page was not searched for text, because the page's own"
        " text was used. With text_layer=never the page is read as shown."
    ),
)


@dataclass(frozen=True, kw_only=True)
class OwnText:
    """The outcome.

    Attributes:
        lines: Empty unless the decision is to use them.
        headings: Those from the page's tags.
        needs_picture: Whether the page must be rendered and read.
        is_drawn: Whether it was drawn, small, to measure the weight of its type.
    """

    decision: TextLayerDecision
    lines: tuple[Line, ...] = ()
    headings: tuple[OutlineItem, ...] = ()
    warnings: tuple[Notice, ...] = ()
    needs_picture: bool = True
    is_drawn: bool = False


def own_text(
    page: Any,
    frame: PageFrame,
    marks: PageMarks,
    mode: TextLayerMode,
    selection: Sequence[Placed],
    tree: Any,
) -> OwnText:
    """Use a loaded page's own text, or give the reason why not.

    Args:
        page: PDFium's handle.
        frame: Of the page.
        marks: Of the page.
        mode: `auto` uses trusted text, and only the visible part; `only` uses all text on the
            page, with a warning where `auto` would not; `never`, none.
        selection: The page's check boxes and radio buttons, which become words.
        tree: The page whose tags count: a copy has none.
    """
    if mode == "never":
        return OwnText(decision=_NOT_REQUESTED)
    text = PageText(page)
    try:
        words = text.words()
        on_page = shown(words, frame.box)
        invisible = text.invisible() if marks.invisible_texts else [False] * len(words)
        visible = kept(
            words, [on and not no for on, no in zip(on_page, invisible, strict=True)]
        )
        unmapped = text.unmapped_share()
        nameless = text.nameless(words) if _is_soon_drawn(marks) else []
        inked = heavy_fonts(page, frame, nameless)
        bold, styles = text.bold(words, inked), text.styles(words, inked)
        headings = tagged_headings(tree, words, text.objects, frame)
    finally:
        text.close()
    marked = with_marks(visible, selection)
    decision = judge(
        TextFacts(
            text=" ".join([word[0] for word in marked]),
            words=len(words),
            clipped=on_page.count(False),
            invisible=invisible.count(True),
            hidden=len(words) * marks.hidden_texts // max(1, marks.texts),
            text_share=_share(visible, frame.box) if marks.image_share else 1.0,
            image_share=marks.image_share,
            unmapped_share=unmapped,
            paths=marks.paths,
            is_blank=marks.is_blank,
        )
    )
    if mode == "only":
        all_words = with_marks(kept(words, on_page), selection)
        return _requested(decision, lines_of(all_words, frame.matrix(), bold, styles))
    if not decision.used:
        return OwnText(decision=decision)
    return OwnText(
        decision=decision,
        lines=lines_of(marked, frame.matrix(), bold, styles),
        headings=headings,
        warnings=_unread_pictures(marks.pictures, visible),
        needs_picture=False,
        is_drawn=bool(nameless),
    )


def _is_soon_drawn(marks: PageMarks) -> bool:
    """Whether drawing the page takes little time and little memory."""
    return marks.most_pixels <= _MOST_PIXELS and marks.paths <= _MOST_PATHS


def _unread_pictures(
    pictures: Sequence[Box], words: Sequence[PlacedWord]
) -> tuple[Notice, ...]:
    """Notices about pictures without a word on them: they may show text not in the layer."""
    middles = [center(box) for _, box, _, _ in words] if pictures else []
    if all(any(contains(box, point) for point in middles) for box in pictures):
        return ()
    return (_UNREAD_PICTURE,)


def _requested(doubt: TextLayerDecision, lines: tuple[Line, ...]) -> OwnText:
    decision = TextLayerDecision(
        used=True, reason="requested", detail="Only the page's own text was requested."
    )
    warnings: tuple[Notice, ...] = ()
    if not doubt.used:
        warnings = (Notice(code=f"text_layer_{doubt.reason}", message=doubt.detail),)
    return OwnText(decision=decision, lines=lines, warnings=warnings, needs_picture=False)


def _share(words: Sequence[PlacedWord], page: Box) -> float:
    return sum([area(box) for _, box, _, _ in words]) / max(area(page), 1e-6)
