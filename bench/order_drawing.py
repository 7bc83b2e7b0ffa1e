"""The pages of `bench.order_layouts` as files, so that they are read end to end."""

from __future__ import annotations

import functools
import io
import math

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from bench.order_pages import OrderPage
from pagetide.geometry import Box

DPI = 144


def picture(page: OrderPage) -> bytes:
    """The page as a PNG, in the one font that the imaging library itself includes."""
    image = Image.new("L", (round(page.width), round(page.height)), 255)
    draw = ImageDraw.Draw(image)
    for part in page.parts:
        if part.picture:
            image.paste(_plot(part.picture), (round(part.picture[0]), round(part.picture[1])))
        for start, end in part.rules:
            draw.line((start, end), fill=0, width=2)
        for piece in part.pieces:
            for word, (x0, y0, x1, _) in zip(piece.words, piece.boxes, strict=True):
                font = _font(round(part.size))
                # Words keep their places; if the font is wider than expected, they get smaller.
                if draw.textlength(word, font) > x1 - x0:
                    font = _font(round(part.size * (x1 - x0) / draw.textlength(word, font)))
                draw.text((x0, y0 + part.size * 0.8), word, fill=0, font=font, anchor="ls")
    turned = image.rotate(-page.skew, Image.Resampling.BICUBIC, fillcolor=255)
    file = io.BytesIO()
    turned.save(file, "PNG", dpi=(DPI, DPI))
    return file.getvalue()


def pdf(page: OrderPage) -> bytes:
    """The page as a PDF of one page, its blocks drawn in no order."""
    scale = 72 / DPI
    writer = PdfWriter()
    sheet = writer.add_blank_page(page.width * scale, page.height * scale)
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    fonts = DictionaryObject({NameObject("/F1"): writer._add_object(font)})
    sheet[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    content = DecodedStreamObject()
    content.set_data("\n".join(_operators(page, scale)).encode("ascii"))
    sheet[NameObject("/Contents")] = writer._add_object(content)
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def _operators(page: OrderPage, scale: float) -> list[str]:
    sin, cos = math.sin(math.radians(-page.skew)), math.cos(math.radians(-page.skew))
    written = []
    for rule in page.seen.rules:
        ends = [(x * scale, (page.height - y) * scale) for x, y in (rule.start, rule.end)]
        (x0, y0), (x1, y1) = ends
        written.append(f"1 w {x0:.2f} {y0:.2f} m {x1:.2f} {y1:.2f} l S")
    for line in page.drawn():
        for word in line.words:
            (x0, y0), (x1, y1), _, (x3, y3) = word.polygon
            size = math.dist((x0, y0), (x3, y3))
            x, y = x0 + (x3 - x0) * 0.8, y0 + (y3 - y0) * 0.8
            natural = _font(100).getlength(word.text) / 100 * size
            wide = 100 * math.dist((x0, y0), (x1, y1)) / natural
            text = word.text.translate({ord("("): r"\(", ord(")"): r"\)"})
            written.append(
                f"BT /F1 {size * scale:.3f} Tf {min(wide, 105):.1f} Tz "
                f"{cos:.5f} {sin:.5f} {-sin:.5f} {cos:.5f} "
                f"{x * scale:.2f} {(page.height - y) * scale:.2f} Tm ({text}) Tj ET"
            )
    return written


def _plot(box: Box) -> Image.Image:
    """A frame with a curve: what a figure looks like to a layout model."""
    width, height = round(box[2] - box[0]), round(box[3] - box[1])
    image = Image.new("L", (width, height), 255)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width - 1, height - 1), outline=0, width=2)
    x = np.linspace(0, width, 200)
    y = height / 2 + height / 3 * np.sin(x / width * 12)
    draw.line(list(zip(x, y, strict=True)), fill=90, width=3)
    return image


@functools.cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    loaded = ImageFont.load_default(size)
    assert isinstance(loaded, ImageFont.FreeTypeFont)
    return loaded
