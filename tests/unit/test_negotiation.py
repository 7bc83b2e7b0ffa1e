"""Which form of an answer is sent, by what a client says it would rather have."""

from __future__ import annotations

import pytest

from pagetide.server.api.answers.negotiation import prefers_gzip, prefers_jpeg


@pytest.mark.parametrize(
    ("header", "packed"),
    [
        ("", False),
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("*", True),
        ("*;q=0", False),
        ("gzip;q=0, *", False),
        ("gzip; q=0.000", False),
        ("gzip;q=0.2, identity;q=0.8", False),
        ("identity;q=0.2, gzip;q=0.8", True),
        ("gzip;q=much", False),
        ("notgzip", False),
    ],
)
def test_an_answer_is_packed_where_that_is_preferred(header: str, packed: bool) -> None:
    assert prefers_gzip(header) is packed


@pytest.mark.parametrize(
    ("header", "jpeg"),
    [
        ("", False),
        ("*/*", False),
        ("image/jpeg", True),
        ("image/png, image/jpeg", True),
        ("image/png, image/jpeg;q=0.5", False),
        ("image/jpeg;q=0.9, image/png;q=0.8", True),
        ("image/jpeg;q=0.5, */*", False),
        ("image/jpeg, image/*;q=0.9", True),
        ("image/jpeg;q=0, */*;q=0", False),
        ("image/webp;q=0.9, image/jpeg;q=0.8", True),
        ("IMAGE/JPEG ; Q=0.3, text/html", True),
        ("image/jpeg;q=1.5", False),
    ],
)
def test_a_picture_is_a_jpeg_where_that_is_preferred(header: str, jpeg: bool) -> None:
    assert prefers_jpeg(header) is jpeg
