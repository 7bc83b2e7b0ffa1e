"""In-memory pictures, from Pillow and NumPy, as file bytes."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any

from pagetide.errors import Damaged

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image

_KEPT = {"1", "L", "LA", "P", "RGB", "RGBA", "I;16"}  # what PNG stores unchanged


def is_picture(source: object) -> bool:
    """Whether it is a Pillow image; whoever has one has loaded Pillow."""
    pillow = sys.modules.get("PIL.Image")
    return pillow is not None and isinstance(source, pillow.Image)


def is_array(source: object) -> bool:
    """Whether it is a NumPy array; whoever has one has loaded NumPy."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(source, numpy.ndarray)


def holds_pixels(array: NDArray[Any]) -> bool:
    """Whether an array is uint8 or bool, with the shape of a picture."""
    shape = array.shape
    has_shape = len(shape) == 2 or (len(shape) == 3 and shape[2] in (1, 3, 4))
    return has_shape and array.dtype.name in ("uint8", "bool")


def png_of(picture: Image) -> bytes:
    """A picture as PNG, upright, with its stated pixels per inch.

    Raises:
        Damaged: It has no pixels, or cannot be decoded.
    """
    from PIL import ImageOps

    if 0 in picture.size:
        raise Damaged("The picture has no pixels.")
    out, dpi = io.BytesIO(), picture.info.get("dpi")
    try:
        upright = ImageOps.exif_transpose(picture)
        kept = upright if upright.mode in _KEPT else upright.convert("RGB")
        kept.save(out, "PNG", compress_level=1, **({"dpi": dpi} if dpi else {}))
    except (OSError, SyntaxError, ValueError):
        raise Damaged("The picture cannot be decoded.") from None
    return out.getvalue()


def png_of_array(array: NDArray[Any]) -> bytes:
    """Pixels as PNG.

    Args:
        array: Height × width, or height × width × 1, 3 (red-green-blue) or 4 (and opacity).

    Raises:
        Damaged: It has no pixels.
    """
    from PIL import Image

    pixels = array.astype("uint8") * 255 if array.dtype.name == "bool" else array
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[..., 0]
    if not pixels.size:
        raise Damaged("The picture has no pixels.")
    return png_of(Image.fromarray(pixels))
