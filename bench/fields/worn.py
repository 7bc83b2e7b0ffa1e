"""Paper from a till, a fax and a scanner: faded, dotted, skewed, grainy."""

from __future__ import annotations

import io
import random

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

Grey = NDArray[np.float32]
Turn = NDArray[np.float64]  # two rows of three: from the clean picture to the worn one
_WHITE = 255.0


def worn(clean: Image.Image, chance: random.Random, *, fax: bool) -> tuple[Image.Image, Turn]:
    """A worn picture, and the mapping of positions from the clean one.

    Args:
        clean: Grey, dark on light.
        chance: Decides how badly; one in four is as good as clean.
        fax: Whether it was faxed: all black and white, and speckled.
    """
    pixels = np.asarray(clean, np.float32)
    noise = np.random.default_rng(chance.randrange(2**32))
    if chance.random() < 0.25:
        return clean, np.eye(2, 3)
    pixels = _dotted(pixels, chance) if not fax and chance.random() < 0.2 else pixels
    pixels = _faded(pixels, chance) if not fax else pixels
    pixels, turn = _askew(pixels, chance)
    pixels = cv2.GaussianBlur(pixels, (0, 0), chance.uniform(0.3, 0.8)).astype(np.float32)
    pixels += noise.normal(0, chance.uniform(2, 12), pixels.shape).astype(np.float32)
    if fax:
        pixels = np.where(pixels > chance.uniform(120, 180), _WHITE, 0).astype(np.float32)
        pixels[noise.random(pixels.shape) < chance.uniform(0, 0.0015)] = 0
    grey = np.clip(pixels, 0, _WHITE).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(grey).save(buffer, "JPEG", quality=chance.randint(45, 90))
    return Image.open(buffer), turn


def _dotted(pixels: Grey, chance: random.Random) -> Grey:
    """Letters of pins: every few pixels a gap."""
    step = chance.choice((3, 4))
    gaps = np.ones(pixels.shape, np.float32)
    gaps[::step] = gaps[:, ::step] = 0.35
    return _WHITE - (_WHITE - pixels) * gaps


def _faded(pixels: Grey, chance: random.Random) -> Grey:
    """Ink that is paler towards one end, and in bands down the paper."""
    height, width = pixels.shape
    down = np.linspace(0, 1, height)[:, None]
    across = np.linspace(0, 1, width)[None, :]
    waves = 0.12 * np.sin(across * chance.uniform(3, 14) + chance.uniform(0, 6))
    ink = chance.uniform(0.5, 1) - chance.uniform(0, 0.25) * down + waves
    return (_WHITE - (_WHITE - pixels) * np.clip(ink, 0.32, 1)).astype(np.float32)


def _askew(pixels: Grey, chance: random.Random) -> tuple[Grey, Turn]:
    height, width = pixels.shape
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), chance.uniform(-1.5, 1.5), 1.0)
    turned = cv2.warpAffine(pixels, turn, (width, height), borderValue=_WHITE)
    return turned.astype(np.float32), turn
