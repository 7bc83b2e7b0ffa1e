"""Lines out of the JSON of PaddleOCR's text pipeline (`ocr/result.py` of paddlex 3.7)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import east_asian_width

from pagetide.document import Line, Word
from pagetide.geometry import Polygon, direction, part_of
from pagetide.layout.words import spaced_words

Json = Mapping[str, Any]

# A crop this much taller than wide is turned before it is read (`get_rotate_crop_image`).
STANDING = 1.5
_FORMULA_MARKS = (("$$", "$$"), (r"\[", r"\]"), (r"\(", r"\)"), ("$", "$"))
_LEVEL = math.radians(5)  # word boxes stand upright: they say little of a line askew


@dataclass(frozen=True, kw_only=True)
class OcrLines:
    """What was read.

    Attributes:
        lines: In the pipeline's order, with polygons in the picture it read.
        below_confidence: Found, but left out: their confidence is too low.
    """

    lines: list[Line]
    below_confidence: int


def lines_of(
    ocr: Json, width: float, height: float, min_confidence: float, formulas: Sequence[Json] = ()
) -> OcrLines:
    """The lines of a result.

    PaddleX leaves out of `rec_*` what it read below its own threshold, while `dt_polys` keeps
    the place: those are counted. A text that is empty is no line.

    Args:
        ocr: The result of the text pipeline.
        width: Of the picture it read, in pixels; the same for `height`.
        height: As said.
        min_confidence: Lines with less are left out and counted.
        formulas: `formula_res_list`: PaddleX puts each among the lines, with a confidence of 1
            that nobody measured.
    """
    polygons = [polygon(points, width, height) for points in ocr["rec_polys"]]
    texts, scores = ocr["rec_texts"], ocr["rec_scores"]
    over = _upside_down(ocr)
    latex = {_box_key(formula["dt_polys"]) for formula in formulas}
    lines, below = [], max(0, len(ocr["dt_polys"]) - len(texts))
    for i, (text, score, place) in enumerate(zip(texts, scores, polygons, strict=True)):
        if _box_key(ocr["rec_boxes"][i]) in latex and text:
            lines.append(_formula_line(text, place))
        elif score < min_confidence or (not text.strip() and score <= 0):
            below += 1
        elif text.strip():
            turned = read_from(place, upside_down=_key(ocr["rec_polys"][i]) in over)
            lines.append(_line(text, turned, float(score), _words_of(ocr, i)))
    return OcrLines(lines=lines, below_confidence=below)


def polygon(points: Sequence[Sequence[float]], width: float, height: float) -> Polygon:
    """Points of a result as a polygon on a picture of this size."""
    return tuple(
        (min(max(float(x), 0.0), float(width)), min(max(float(y), 0.0), float(height)))
        for x, y in points
    )


def read_from(place: Polygon, *, upside_down: bool) -> Polygon:
    """A polygon that begins where its text does.

    PaddleX's begin at the top left of the page. A standing crop is turned a quarter to the
    left, so what it reads runs down; one that was found upside down begins at the other end.
    """
    if len(place) != 4:
        return place
    first = 1 if _stands(place) else 0
    first += 2 if upside_down else 0
    return place[first % 4 :] + place[: first % 4]


def _stands(place: Polygon) -> bool:
    a, b, c, d = place
    across = max(math.dist(a, b), math.dist(c, d))
    return max(math.dist(a, d), math.dist(b, c)) >= STANDING * max(across, 1.0)


def _upside_down(ocr: Json) -> set[Polygon]:
    """The places whose text was turned by half before it was read, by `dt_polys`."""
    angles = ocr.get("textline_orientation_angles") or ()
    places = ocr["dt_polys"]
    return {_key(place) for place, angle in zip(places, angles, strict=False) if angle == 1}


def _key(points: Sequence[Sequence[float]]) -> Polygon:
    return tuple((float(x), float(y)) for x, y in points)


def _box_key(box: Sequence[float]) -> tuple[int, ...]:
    return tuple(int(number) for number in box)


def _words_of(ocr: Json, place: int) -> list[tuple[str, Sequence[float]]]:
    """The words of a line with their boxes, where the pipeline gives them for all lines."""
    texts, boxes = ocr.get("text_word") or (), ocr.get("text_word_boxes") or ()
    if len(texts) != len(ocr["rec_texts"]) or len(boxes) != len(texts):
        return []
    if len(texts[place]) != len(boxes[place]):
        return []
    return list(zip(texts[place], boxes[place], strict=True))


def bare_formula(text: str) -> str:
    """LaTeX without the marks around it."""
    text = text.strip()
    for opening, closing in _FORMULA_MARKS:
        marks = len(opening) + len(closing)
        if len(text) > marks and text.startswith(opening) and text.endswith(closing):
            return text[len(opening) : -len(closing)].strip()
    return text


def _formula_line(text: str, place: Polygon) -> Line:
    return Line(text=f"${bare_formula(text)}$", polygon=place)


def _line(
    text: str, place: Polygon, confidence: float, words: Sequence[tuple[str, Sequence[float]]]
) -> Line:
    bare = Line(text=text, polygon=place, confidence=min(max(confidence, 0.0), 1.0))
    found = _words(bare, words) or tuple(word for word, _ in spaced_words(bare))
    return Line(text=text, polygon=place, confidence=bare.confidence, words=found)


def _words(line: Line, pieces: Sequence[tuple[str, Sequence[float]]]) -> tuple[Word, ...]:
    """The words where the pipeline saw them; none where its pieces do not make up the line."""
    texts = [(text.strip(), box) for text, box in pieces if text.strip()]
    if "".join(text for text, _ in texts) != "".join(line.text.split()):
        return ()
    if len(line.polygon) != 4 or abs(direction(line.polygon)) > _LEVEL:
        return ()
    left, right = line.polygon[0][0], line.polygon[1][0]
    length = max(right - left, 1.0)

    def share(x: float) -> float:
        return min(max((x - left) / length, 0.0), 1.0)

    return tuple(
        Word(
            text=text,
            polygon=part_of(line.polygon, share(start), share(end)),
            confidence=line.confidence,
        )
        for text, start, end in _joined(line.text, texts)
    )


def _joined(
    text: str, pieces: Sequence[tuple[str, Sequence[float]]]
) -> list[tuple[str, float, float]]:
    """Words with where they begin and end.

    PaddleX cuts a word at every mark (`fell` and `.`); what stands without a space between is
    one word again, but for characters of scripts that write no spaces.
    """
    words: list[tuple[str, float, float]] = []
    place = 0
    for piece, box in pieces:
        begins = text.find(piece, place)
        around = text[max(place - 1, 0) : place + 1]
        if words and begins == place and not any(map(_is_wide, around)):
            before, start, end = words.pop()
            words.append((before + piece, min(start, box[0]), max(end, box[2])))
        else:
            words.append((piece, box[0], box[2]))
        place = begins + len(piece) if begins >= 0 else place
    return words


def _is_wide(letter: str) -> bool:
    return east_asian_width(letter) in "WF"
