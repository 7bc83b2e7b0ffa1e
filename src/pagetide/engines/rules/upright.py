"""A page's picture set upright, and the way back."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from pagetide.geometry import Box, Point, box_of, polygon_of

# Over a page's width this comes to less than a line's thickness: not worth 7 ms.
_LEAST_ANGLE = 0.0015


@dataclass(frozen=True)
class Upright:
    """The turn that sets a picture's text level, and the way back.

    Attributes:
        scale: Of the upright picture to the page's own.
    """

    scale: float
    _angle: float
    _offset: Point
    _size: tuple[int, int]

    @classmethod
    def of(cls, width: int, height: int, angle: float, scale: float) -> Upright:
        """The turn for a page.

        Args:
            width: In pixels.
            height: Likewise.
            angle: How far its text runs askew: radians clockwise.
            scale: Of the upright picture to the page's own.
        """
        width, height = int(width * scale), int(height * scale)
        if abs(angle) < _LEAST_ANGLE:
            return cls(scale, 0.0, (0.0, 0.0), (width, height))
        cos, sin = math.cos(angle), math.sin(angle)
        corners = [(0.0, 0.0), (width, 0.0), (0.0, height), (width, height)]
        left, top, right, bottom = box_of(
            [(x * cos + y * sin, y * cos - x * sin) for x, y in corners]
        )
        size = (math.ceil(right - left), math.ceil(bottom - top))
        return cls(scale, angle, (left, top), size)

    def set(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """A page's picture upright and to scale; what the turn bares is as the edge.

        Args:
            image: Height × width, of the page's own size.
        """
        if self.scale != 1:
            image = _scaled(image, self.scale)
        if not self._angle:
            return image
        cos, sin = math.cos(self._angle), math.sin(self._angle)
        left, top = self._offset
        matrix = np.array([[cos, sin, -left], [-sin, cos, -top]])
        turned = cv2.warpAffine(image, matrix, self._size, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(turned, np.uint8)

    def back(self, point: Point) -> Point:
        """A point of the upright picture, in the page's own pixels."""
        x, y = point[0] + self._offset[0], point[1] + self._offset[1]
        if self._angle:
            cos, sin = math.cos(self._angle), math.sin(self._angle)
            x, y = x * cos - y * sin, x * sin + y * cos
        return (round(x / self.scale, 2), round(y / self.scale, 2))

    def box_back(self, box: Box) -> Box:
        """The upright box around a box of the upright picture, in the page's own pixels."""
        return box_of([self.back(point) for point in polygon_of(box)])

    def length_back(self, length: float) -> float:
        """A length of the upright picture, in the page's own pixels."""
        return round(length / self.scale, 2)


def _scaled(image: NDArray[np.uint8], scale: float) -> NDArray[np.uint8]:
    size = (max(1, int(image.shape[1] * scale)), max(1, int(image.shape[0] * scale)))
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, size, interpolation=how), np.uint8)
