"""Changes parts of a line's text and keeps its styles in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from pagetide.document import Line, TextStyle


class Edit(NamedTuple):
    """A part of a text, and its replacement."""

    start: int
    end: int
    text: str


def edited(line: Line, edits: Sequence[Edit]) -> Line:
    """The line with other text, stripped, and the remaining styles moved with it.

    Args:
        line: Its words and polygon stay unchanged.
        edits: Disjoint, in order.
    """
    text, styles = line.text, line.styles
    for edit in reversed(edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
        styles = _moved(styles, edit)
    bare = text.strip()
    lead = Edit(0, len(text) - len(text.lstrip()), "")
    return replace(line, text=bare, styles=_moved(styles, lead) if lead.end else styles)


def _moved(styles: Sequence[TextStyle], edit: Edit) -> tuple[TextStyle, ...]:
    """Styles at their positions after an edit; one that it cuts is left out."""
    by = len(edit.text) - (edit.end - edit.start)
    return tuple(
        replace(style, start=style.start + by, end=style.end + by)
        if style.start >= edit.end
        else style
        for style in styles
        if style.start >= edit.end or style.end <= edit.start
    )
