"""A chart as one HTML file: an SVG and its style, and nothing from anywhere else."""

from __future__ import annotations

from html import escape

from pagetide.server.scaling.simulate.reports.chart import Chart, Label, Path


def html(chart: Chart, notes: list[str]) -> str:
    """The page, with the notes as text below the chart."""
    title = escape(chart.title)
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n'
        "<style>body{font:14px sans-serif;margin:2em}svg{max-width:100%;height:auto}"
        "pre{line-height:1.4}</style>\n"
        f"<h1>{title}</h1>\n{svg(chart)}\n<pre>{escape(chr(10).join(notes))}</pre>\n</html>\n"
    )


def svg(chart: Chart) -> str:
    """The picture alone."""
    shapes = "\n".join(
        _path(shape) if isinstance(shape, Path) else _label(shape) for shape in chart.shapes
    )
    size = f'width="{chart.width}" height="{chart.height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}'
        f' viewBox="0 0 {chart.width} {chart.height}" font-family="sans-serif" font-size="12">'
        f"<title>{escape(chart.title)}</title>"
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n{shapes}\n</svg>'
    )


def _path(path: Path) -> str:
    points = " ".join(f"{x:g},{y:g}" for x, y in path.points)
    return (
        f'<polyline points="{points}" fill="none" stroke="{path.colour}"'
        f' stroke-width="{path.width:g}"/>'
    )


def _label(label: Label) -> str:
    return (
        f'<text x="{label.x:g}" y="{label.y:g}" fill="{label.colour}"'
        f' text-anchor="{label.anchor}">{escape(label.text)}</text>'
    )
