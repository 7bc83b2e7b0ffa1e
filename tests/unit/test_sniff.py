"""An input's type is told from its bytes."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pagetide.inputs.sniff import HEAD_BYTES, MediaType, sniff
from pagetide.inputs.unread import unread


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("PNG", MediaType.PNG),
        ("JPEG", MediaType.JPEG),
        ("TIFF", MediaType.TIFF),
        ("BMP", MediaType.BMP),
        ("WEBP", MediaType.WEBP),
        ("JPEG2000", MediaType.JPEG2000),
        ("GIF", MediaType.GIF),
        ("AVIF", MediaType.AVIF),
        ("PDF", MediaType.PDF),
    ],
)
def test_every_type_is_known_by_what_pillow_writes(kind: str, expected: MediaType) -> None:
    written = io.BytesIO()
    Image.new("RGB", (4, 4), "white").save(written, kind)
    assert sniff(written.getvalue()[:HEAD_BYTES]) is expected


@pytest.mark.parametrize(
    ("brands", "expected"),
    [
        (b"heic\0\0\0\0mif1heic", MediaType.HEIC),
        (b"mif1\0\0\0\0mif1heic", MediaType.HEIC),
        (b"msf1\0\0\0\0hevc", MediaType.HEIC),
        (b"mif1\0\0\0\0miafavif", MediaType.AVIF),
        (b"isom\0\0\0\0isomiso2avc1mp41", None),
        (b"isomheic", None),  # a version is no brand
    ],
)
def test_a_file_of_boxes_is_told_by_its_brands(
    brands: bytes, expected: MediaType | None
) -> None:
    box = (8 + len(brands)).to_bytes(4) + b"ftyp" + brands
    assert sniff(box + b"heicavif") is expected, "what follows the first box does not count"


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"BM",
        b"BMW sells cars, and this is a letter about one of them.",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"RIFF\x00\x00\x00\x00WAVEfmt ",
        b"PK\x03\x04",
        b"%!PS-Adobe-3.0",
    ],
)
def test_other_things_are_not_taken_for_pictures(head: bytes) -> None:
    assert sniff(head) is None


def test_a_pdf_may_have_some_junk_before_its_header() -> None:
    assert sniff(b"junk\n" * 10 + b"%PDF-1.7") is MediaType.PDF


def test_a_pdf_header_too_far_in_is_not_one() -> None:
    assert sniff(b" " * HEAD_BYTES + b"%PDF-1.7") is None


@given(st.binary(max_size=64))
def test_any_bytes_give_a_type_or_none(head: bytes) -> None:
    assert sniff(head) in {*MediaType, None}


@pytest.mark.parametrize(
    ("head", "name", "kind"),
    [
        (b"PK\x03\x04", "Notes.DOCX", "a Word document"),
        (b"PK\x03\x04", "notes", "an archive or an Office document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "", "an Office document"),
        (b"a,b", "table.csv", "a text file"),
        (b"words", "scan.pdf", "neither a PDF nor a picture of a supported type"),
    ],
)
def test_what_is_not_read_is_told_with_what_is(head: bytes, name: str, kind: str) -> None:
    said = unread(head, name).message
    assert said.startswith(f"The input is {kind}; PDF, PNG, JPEG, TIFF, BMP, WebP, JPEG 2000, ")
    assert said.endswith(" are read.")
