"""A chart as a PNG."""

from __future__ import annotations

from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from pagetide.server.scaling.simulate.reports.chart import Chart, Label, Path

SCALE = 2  # pixels of the picture for one of the chart, so that lines are smooth
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def png(chart: Chart) -> bytes:
    """The picture, twice the chart's size."""
    image = Image.new("RGB", (chart.width * SCALE, chart.height * SCALE), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(12 * SCALE)
    for shape in chart.shapes:
        if isinstance(shape, Path):
            _path(draw, shape)
        else:
            _label(draw, shape, font)
    written = BytesIO()
    image.save(written, "PNG", optimize=True)
    return written.getvalue()


def _path(draw: ImageDraw.ImageDraw, path: Path) -> None:
    points = [(x * SCALE, y * SCALE) for x, y in path.points]
    if len(points) > 1:
        draw.line(points, fill=path.colour, width=round(path.width * SCALE))


def _label(
    draw: ImageDraw.ImageDraw,
    label: Label,
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
) -> None:
    place = (label.x * SCALE, label.y * SCALE)
    draw.text(place, label.text, fill=label.colour, font=font, anchor=_ANCHORS[label.anchor])
