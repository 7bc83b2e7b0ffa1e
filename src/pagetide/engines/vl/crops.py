"""Pictures of areas, as they are sent to the model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from pagetide.engines.vl.tasks import Task
from pagetide.geometry import Polygon, box_of
from pagetide.layout import Area

Pixels = NDArray[np.uint8]

PATCH = 28  # the model sees squares of so many pixels
INK = 40  # of 255: how much darker than the paper a letter is at least
MARGIN = 4  # pixels left around a formula
JPEG_QUALITY = 95


@dataclass(frozen=True, kw_only=True)
class Crop:
    """A part of a page.

    Attributes:
        pixels: Height × width × 3, blue-green-red; white outside the area's polygon.
        left: Where it lies on the page, in its pixels; `top` likewise.
    """

    pixels: Pixels
    left: int
    top: int


def crop_of(page: Pixels, area: Area) -> Crop:
    """An area's part of its page; of a formula, without the white around it."""
    height, width = page.shape[:2]
    x0, y0, x1, y1 = box_of(area.polygon)
    left, top = max(math.floor(x0), 0), max(math.floor(y0), 0)
    right, bottom = min(math.ceil(x1), width), min(math.ceil(y1), height)
    pixels = page[top:bottom, left:right]
    if not _is_upright(area.polygon):
        pixels = _masked(pixels, area.polygon, left, top)
    crop = Crop(pixels=pixels, left=left, top=top)
    return _trimmed(crop) if area.kind == "formula" else crop


def has_ink(pixels: Pixels) -> bool:
    """Whether something is drawn: at least 1 in 5,000 pixels is darker than the paper."""
    return bool(np.count_nonzero(ink(pixels)) * 5_000 >= pixels.shape[0] * pixels.shape[1])


def ink(pixels: Pixels) -> NDArray[np.bool_]:
    """Which pixels are darker than the paper, which is what most of them are."""
    grey: Pixels = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    paper = int(np.median(grey[::2, ::2]))
    dark: NDArray[np.bool_] = grey < paper - INK
    return dark


def stacked(parts: list[Crop]) -> Pixels:
    """Crops one below the other on white, each at the left edge."""
    width = max(part.pixels.shape[1] for part in parts)
    height = sum(part.pixels.shape[0] for part in parts)
    page = np.full((height, width, 3), 255, np.uint8)
    top = 0
    for part in parts:
        bottom = top + part.pixels.shape[0]
        page[top:bottom, : part.pixels.shape[1]] = part.pixels
        top = bottom
    return page


def resized(pixels: Pixels, task: Task) -> Pixels:
    """The picture within the task's pixels, its sides multiples of `PATCH`.

    Only for servers that do not do it. Where the picture fits, each side goes to the nearest
    multiple; else both are scaled alike first.

    Source: the rounding is that of the model's published preprocessing ("smart resize").
    """
    height, width = pixels.shape[:2]
    scale = 1.0
    if height * width > task.max_pixels:
        scale = math.sqrt(task.max_pixels / (height * width))
    elif height * width < task.min_pixels:
        scale = math.sqrt(task.min_pixels / (height * width))
    turn = math.floor if scale < 1 else math.ceil if scale > 1 else round
    across = max(turn(width * scale / PATCH), 1) * PATCH
    down = max(turn(height * scale / PATCH), 1) * PATCH
    if (down, across) == (height, width):
        return pixels
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    result: Pixels = cv2.resize(pixels, (across, down), interpolation=method)
    return result


def encoded(pixels: Pixels, picture: Literal["jpeg", "png"]) -> bytes:
    """The picture as a file."""
    options = {
        "jpeg": [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY],
        "png": [cv2.IMWRITE_PNG_COMPRESSION, 1],
    }
    _, data = cv2.imencode(f".{picture}", np.ascontiguousarray(pixels), options[picture])
    return data.tobytes()


def _is_upright(polygon: Polygon) -> bool:
    x0, y0, x1, y1 = box_of(polygon)
    return len(polygon) == 4 and all(
        min(x - x0, x1 - x) < 1 and min(y - y0, y1 - y) < 1 for x, y in polygon
    )


def _masked(pixels: Pixels, polygon: Polygon, left: int, top: int) -> Pixels:
    mask = np.zeros(pixels.shape[:2], np.uint8)
    points = np.array([(x - left, y - top) for x, y in polygon])
    cv2.fillPoly(mask, [points.round().astype(np.int32)], 255)
    result = pixels.copy()
    result[mask == 0] = 255
    return result


def _trimmed(crop: Crop) -> Crop:
    rows, columns = (np.flatnonzero(ink(crop.pixels).any(axis)) for axis in (1, 0))
    if not len(rows):
        return crop
    y0, x0 = max(int(rows[0]) - MARGIN, 0), max(int(columns[0]) - MARGIN, 0)
    pixels = crop.pixels[y0 : int(rows[-1]) + 1 + MARGIN, x0 : int(columns[-1]) + 1 + MARGIN]
    return Crop(pixels=pixels, left=crop.left + x0, top=crop.top + y0)
