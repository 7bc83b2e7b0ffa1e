"""Maps a PDF page from its own space (points, y up) to pixels as displayed."""

from __future__ import annotations

from dataclasses import dataclass

from pagetide.geometry import Box, Polygon, polygon_of


@dataclass(frozen=True, kw_only=True, slots=True)
class PageFrame:
    """The visible part of a page, and its transformation.

    Attributes:
        left: Of the visible part (CropBox within MediaBox), in the page's own space; likewise
            `bottom`, `right` and `top`.
        rotation: The /Rotate that is applied: 0, 90, 180 or 270 degrees clockwise.
        width_pt: Points, as displayed; the same for `height_pt`.
        width: Pixels, as displayed; the same for `height`.
    """

    left: float
    bottom: float
    right: float
    top: float
    rotation: int
    width_pt: float
    height_pt: float
    width: int
    height: int

    def matrix(self) -> tuple[float, float, float, float, float, float]:
        """`(a, b, c, d, e, f)`: a point is at pixel `(ax + cy + e, bx + dy + f)`."""
        sx, sy = self.width / self.width_pt, self.height / self.height_pt
        if self.rotation == 90:
            return (0.0, sy, sx, 0.0, -self.bottom * sx, -self.left * sy)
        if self.rotation == 180:
            return (-sx, 0.0, 0.0, sy, self.right * sx, -self.bottom * sy)
        if self.rotation == 270:
            return (0.0, -sy, -sx, 0.0, self.top * sx, self.right * sy)
        return (sx, 0.0, 0.0, -sy, -self.left * sx, self.top * sy)

    def polygon(self, box: Box) -> Polygon:
        """An upright box of the page's own space, in pixels, clockwise from the top left."""
        a, b, c, d, e, f = self.matrix()
        left, right = sorted((a * box[0] + c * box[1] + e, a * box[2] + c * box[3] + e))
        top, bottom = sorted((b * box[0] + d * box[1] + f, b * box[2] + d * box[3] + f))
        return polygon_of((round(left, 2), round(top, 2), round(right, 2), round(bottom, 2)))

    @property
    def box(self) -> Box:
        """The visible part, in the page's own space."""
        return (self.left, self.bottom, self.right, self.top)
