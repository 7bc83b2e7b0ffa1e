"""What an input is, told from its first bytes and never from its name.

Source: the signatures in each format's own specification (ISO 32000-2 §7.5.2, RFC 2083
§3.1, ITU-T T.81 annex B, TIFF 6.0 §2, ITU-T T.800 annex I, RFC 9649 §2.5, GIF89a §17).
"""

from __future__ import annotations

from enum import StrEnum

HEAD_BYTES = 1024
"""How many of the first bytes `sniff` looks at; a PDF's header may stand anywhere in them."""

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


def sniff(head: bytes) -> MediaType | None:
    """The type of the input that begins with these bytes, or None when it is not known.

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
    if b"%PDF-" in head[:HEAD_BYTES]:
        return MediaType.PDF
    return None


def _is_bmp(head: bytes) -> bool:
    # "BM" alone also begins plain text, so the header behind it must make sense.
    if head[:2] != b"BM" or len(head) < 30:
        return False
    header_bytes = int.from_bytes(head[14:18], "little")
    at = 22 if header_bytes == 12 else 26
    planes = int.from_bytes(head[at : at + 2], "little")
    bits = int.from_bytes(head[at + 2 : at + 4], "little")
    return 12 <= header_bytes <= 124 and (planes, bits) in _PLANES_AND_BITS
