"""The type of an input, determined from its first bytes and never from its name.

Source: the signatures in each format's own specification (ISO 32000-2 §7.5.2, RFC 2083 §3.1,
ITU-T T.81 annex B, TIFF 6.0 §2, ITU-T T.800 annex I, RFC 9649 §2.5, GIF89a §17, ISO/IEC
14496-12 §4.3 with ISO/IEC 23008-12 annex B and AV1 Image File Format §6).
"""

from __future__ import annotations

from enum import StrEnum
from importlib.util import find_spec

HEAD_BYTES = 1024
"""How many of the first bytes `sniff` examines; a PDF's header may be anywhere in them."""

_PLANES_AND_BITS = {(1, bits) for bits in (1, 2, 4, 8, 16, 24, 32)}


class MediaType(StrEnum):
    """The types that can be read, as media types."""

    PDF = "application/pdf"
    PNG = "image/png"
    JPEG = "image/jpeg"
    TIFF = "image/tiff"
    BMP = "image/bmp"
    WEBP = "image/webp"
    JPEG2000 = "image/jp2"
    GIF = "image/gif"
    AVIF = "image/avif"
    HEIC = "image/heic"


_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", MediaType.PNG),
    (b"\xff\xd8\xff", MediaType.JPEG),
    (b"II*\x00", MediaType.TIFF),
    (b"MM\x00*", MediaType.TIFF),
    (b"II+\x00", MediaType.TIFF),
    (b"MM\x00+", MediaType.TIFF),
    (b"\x00\x00\x00\x0cjP  \r\n\x87\n", MediaType.JPEG2000),
    (b"\xff\x4f\xff\x51", MediaType.JPEG2000),
    (b"GIF87a", MediaType.GIF),
    (b"GIF89a", MediaType.GIF),
)

_BRANDS = {
    b"avif": MediaType.AVIF,
    b"avis": MediaType.AVIF,
    **dict.fromkeys((b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"), MediaType.HEIC),
}


def readable() -> tuple[MediaType, ...]:
    """The types that can be read with what is installed, in order of their names."""
    without = () if find_spec("pi_heif") else (MediaType.HEIC,)
    return tuple(sorted(set(MediaType) - set(without)))


def sniff(head: bytes) -> MediaType | None:
    """The type of the input that starts with these bytes, or None if it is unknown.

    Args:
        head: The input's first `HEAD_BYTES` bytes, or all of a shorter input.
    """
    for signature, media_type in _SIGNATURES:
        if head.startswith(signature):
            return media_type
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return MediaType.WEBP
    if _is_bmp(head):
        return MediaType.BMP
    if head[4:8] == b"ftyp":
        return _by_brand(head)
    if b"%PDF-" in head[:HEAD_BYTES]:
        return MediaType.PDF
    return None


def _by_brand(head: bytes) -> MediaType | None:
    """The type of a file of boxes: its first known brand, of those in its first box."""
    end = min(int.from_bytes(head[:4]), len(head))
    brands = [head[8:12], *(head[at : at + 4] for at in range(16, end, 4))]
    return next((_BRANDS[brand] for brand in brands if brand in _BRANDS), None)


def _is_bmp(head: bytes) -> bool:
    # Plain text may also start with "BM", so the header after it must make sense.
    if head[:2] != b"BM" or len(head) < 30:
        return False
    header_bytes = int.from_bytes(head[14:18], "little")
    at = 22 if header_bytes == 12 else 26
    planes = int.from_bytes(head[at : at + 2], "little")
    bits = int.from_bytes(head[at + 2 : at + 4], "little")
    return 12 <= header_bytes <= 124 and (planes, bits) in _PLANES_AND_BITS
