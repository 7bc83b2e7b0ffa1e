"""Bar codes and QR codes on a page's picture, read by zxing-cpp."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pagetide.document import Barcode
from pagetide.errors import RuntimeUnavailable, installing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PACKAGE = "zxingcpp"


def vet() -> None:
    """See whether bar codes can be read here.

    Raises:
        RuntimeUnavailable: zxing-cpp is not installed.
    """
    _zxing()


def barcodes_on(pixels: NDArray[np.uint8]) -> tuple[Barcode, ...]:
    """The codes on a picture whose check digits are right, from the top down.

    Args:
        pixels: As `engine.PageImage` has them; polygons are in its pixels.

    Raises:
        RuntimeUnavailable: zxing-cpp is not installed.
    """
    zxing = _zxing()
    found = zxing.read_barcodes(pixels, text_mode=zxing.TextMode.Plain)
    return tuple(sorted(map(_barcode, found), key=lambda code: (code.polygon[0][1], code.kind)))


def _barcode(code: Any) -> Barcode:
    at = code.position
    corners = (at.top_left, at.top_right, at.bottom_right, at.bottom_left)
    return Barcode(
        kind=str(code.format).lower().replace(" ", "_").replace("-", "_"),
        text=code.text,
        content=code.bytes,
        polygon=tuple((float(corner.x), float(corner.y)) for corner in corners),
    )


def _zxing() -> Any:
    try:
        return import_module(PACKAGE)
    except ImportError:
        message = f"Bar codes need zxing-cpp: {installing('barcodes')}."
        raise RuntimeUnavailable(message) from None
