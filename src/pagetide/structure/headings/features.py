"""Features of headings: of a block relative to its page.

They are named, and each is 0–1 or a number of a few units; their weights are in `weights.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median, median_low

from pagetide.document import BlockKind
from pagetide.geometry import Box
from pagetide.structure.draft import Draft
from pagetide.structure.figures.caption_names import CAPTION
from pagetide.structure.rows import has_word, is_styled, is_sum

Features = Mapping[str, float]

PAGE_EDGE = 0.08  # of the page's height
MOST_ROOM = 4.0  # line heights: values are capped here
LEVEL = 0.6  # line heights: of two left edges that are one
FAR = 3.0  # line heights

_COUNT = re.compile(r"(\d{1,2}[.)]?|\(\d{1,2}\)|§\s?\d{1,3}\.?)\s+(?=[^\W\d_])")
_DEEP_COUNT = re.compile(r"\d{1,2}(\.\d{1,3})+\.?\s+(?=[^\W\d_])")
_LETTER = re.compile(r"([A-Z]|[IVXL]{1,6})[.)]\s+(?=[^\W\d_])")
_PART = re.compile(
    r"(chapter|section|part|article|clause|appendix|annex|step|kapitel|abschnitt|artikel|anhang"
    r"|chapitre|annexe|artículo|capítulo)\b\s*[\dIVXA-Z]|第.{1,3}[章条节]",
    re.IGNORECASE,
)
CLOSING = "\"'”’»“‘"  # after the end of a sentence; the last two in German
_ADDRESS = re.compile(r"@|www\.|https?:")
_KINDS: Mapping[BlockKind, str] = {
    "text": "text",
    "list": "list",
    "reference": "list",
    "heading": "heading",
    "title": "heading",
    "table": "table",
    "figure": "figure",
    "chart": "figure",
}


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """What is usual on a page.

    Attributes:
        drafts: Its blocks, named by rules.
        box: Around the page, upright.
        height: The typical height of a row; `letter`, the typical width of a letter.
        bold: The share of rows in bold type, 0–1.
        modelled: Whether a layout model was used.
    """

    drafts: Sequence[Draft]
    box: Box
    height: float
    letter: float
    bold: float
    modelled: bool

    @classmethod
    def of(cls, drafts: Sequence[Draft], box: Box) -> Sheet:
        """The sheet made of drafts with at least one row of text."""
        rows = [row for draft in drafts for row in draft.rows if draft.kind != "table"]
        every = [row for draft in drafts for row in draft.rows]
        return cls(
            drafts=drafts,
            box=box,
            height=max(median_low(row.height for row in rows), 1e-3),
            letter=max(median_low(row.letter_width for row in rows), 1e-3),
            bold=sum(row.bold for row in every) / len(every),
            modelled=any(draft.confidence is not None for draft in drafts),
        )


def features_of(draft: Draft, sheet: Sheet, seen: BlockKind | None) -> Features:
    """The features of a draft that has rows.

    Args:
        draft: As named by rules.
        sheet: The page.
        seen: The layout model's kind; None without a model.
    """
    found = {"one": 1.0} | _type(draft, sheet) | _words(draft) | _places(draft, sheet)
    rule = f"rule_{_KINDS.get(draft.kind, 'other')}"
    found |= {rule: 1.0}
    if sheet.modelled:
        sure = draft.confidence or 0.5
        found |= {"modelled": 1.0, "model_heading": sure * (seen in ("heading", "title"))}
        found |= {f"modelled_{rule}": 1.0}
        found |= {
            f"modelled_{name}": found[name] for name in ("bold", "size", "letter", "larger")
        }
    numbered = max(found[name] for name in ("count", "deep_count", "letter_mark", "part"))
    return found | {
        "numbered_bold": numbered * found["bold"],
        "numbered_size": numbered * found["larger"],
        "sentence_light": found["ends_sentence"] * (1 - found["bold"]),
        "bold_touching": found["bold_rare"] * found["touching"],
    }


def _type(draft: Draft, sheet: Sheet) -> dict[str, float]:
    """The size and weight of its type."""
    rows, letters = draft.rows, [letter for letter in draft.text if letter.isalpha()]
    size = _log(draft.line_height / sheet.height)
    letter = _log(median(row.letter_width for row in rows) / sheet.letter)
    bold = sum(row.bold for row in rows) / len(rows)
    return {
        "size": size,
        "letter": letter,
        "larger": min(max(size - 0.18, 0.0), max(letter - 0.1, 0.0)),
        "tall": max(size - 0.18, 0.0),
        "wide": max(letter - 0.1, 0.0),
        "small": max(-size - 0.05, 0.0),
        "bold": bold,
        "bold_rare": bold * (1 - sheet.bold),
        "capitals": float(
            len(letters) > 3 and sum(map(str.isupper, letters)) > 0.9 * len(letters)
        ),
        "italic": float(len(rows) == 1 and is_styled(rows[0].lines[-1], "italic")),
    }


def _words(draft: Draft) -> dict[str, float]:
    """Its wording and length."""
    text = draft.text.strip().replace("\t", " ")
    digits, words = sum(map(str.isdigit, text)), text.split()
    last = text.rstrip(CLOSING)[-1:]
    length = math.log(1 + len(text))
    return {
        "count": float(bool(_COUNT.match(text))),
        "deep_count": float(bool(_DEEP_COUNT.match(text))),
        "letter_mark": float(bool(_LETTER.match(text))),
        "part": float(bool(_PART.match(text))),
        "two_rows": float(len(draft.rows) == 2),
        "more_rows": float(len(draft.rows) > 2),
        "length": length,
        "long": max(length - 4, 0.0),
        "ends_sentence": float(last in (".", "。", "!")),
        "ends_colon": float(last in (":", "：")),
        "ends_comma": float(last in (",", ";", "，", "、", "；")),
        "asks": float(last in ("?", "？")),
        "begins_small": float(text[:1].islower()),
        "digits": digits / max(len(text), 1),
        "many_digits": float(digits >= 5),
        "sum": float(is_sum(text)),
        "pieces": float("\t" in draft.text),
        "caption": float(bool(CAPTION.match(text))),
        "word": float(has_word(text)),
        "address": float(bool(_ADDRESS.search(text))),
        "initials": float(
            len(words) > 1 and all(word[:1].isupper() for word in words if len(word) > 3)
        ),
    }


def _places(draft: Draft, sheet: Sheet) -> dict[str, float]:
    """Its position on the page, relative to what is above and below."""
    (left, top, right, bottom), page, height = draft.box, sheet.box, draft.line_height or 1.0
    above, below = _neighbours(draft, sheet.drafts)
    over = (top - above.box[3]) / height if above else MOST_ROOM
    under = (below.box[1] - bottom) / height if below else MOST_ROOM
    depth = ((top + bottom) / 2 - page[1]) / max(page[3] - page[1], 1.0)
    found = {
        "above": min(max(over, 0.0), MOST_ROOM),
        "below": min(max(under, 0.0), MOST_ROOM),
        "nearer": min(max(over - under, -FAR), FAR),
        "touching": float(under < 0.7),
        "far_below": float(under > FAR),
        "lone": float(over > 1 and under > 1),
        "width": min((right - left) / max(page[2] - page[0], 1.0), 1.0),
        "at_top": float(depth < PAGE_EDGE),
        "at_bottom": float(depth > 1 - PAGE_EDGE),
        f"above_{_name(above)}": 1.0,
        f"below_{_name(below)}": 1.0,
    }
    return found | (_over(draft, below, over - under) if below else {})


def _over(draft: Draft, below: Draft, nearer: float) -> dict[str, float]:
    """Its relation to what is below it."""
    (left, _, right, _), height = draft.box, draft.line_height or 1.0
    prose = float(below.kind in ("text", "list") and len(below.rows) >= 2)
    middles = abs(left + right - below.box[0] - below.box[2]) / 2
    return {
        "over_wider": min((below.box[2] - below.box[0]) / max(right - left, 1.0), MOST_ROOM),
        "over_level": float(abs(below.box[0] - left) < LEVEL * height),
        "over_centred": float(middles < LEVEL * height),
        "over_prose": prose,
        "over_prose_near": prose * min(max(nearer, 0.0), 2.0) * (len(draft.text) < 60),
        "over_bold": float(bool(below.rows) and below.rows[0].bold),
        "over_size": _log(below.line_height / height) if below.rows else 0.0,
    }


def _neighbours(draft: Draft, drafts: Sequence[Draft]) -> tuple[Draft | None, Draft | None]:
    """The nearest drafts above and below that share its columns."""
    left, top, right, bottom = draft.box
    near = draft.line_height / 2
    beside = [d for d in drafts if d is not draft and _shares(d.box, left, right)]
    above = [d for d in beside if d.box[3] <= top + near]
    below = [d for d in beside if d.box[1] >= bottom - near]
    return (
        max(above, key=lambda d: d.box[3], default=None),
        min(below, key=lambda d: d.box[1], default=None),
    )


def _shares(box: Box, left: float, right: float) -> bool:
    return min(right, box[2]) > max(left, box[0])


def _name(draft: Draft | None) -> str:
    return "none" if draft is None else _KINDS.get(draft.kind, "other")


def _log(ratio: float) -> float:
    return min(max(math.log(max(ratio, 0.1)), -0.7), 1.2)
