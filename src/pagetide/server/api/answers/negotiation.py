"""Content negotiation between two forms of an answer (RFC 9110, 12.4 and 12.5)."""

from __future__ import annotations

import re

_WEIGHT = re.compile(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?", re.ASCII)


def prefers_gzip(accept_encoding: str) -> bool:
    """Whether an answer is rather packed than plain, by the header `Accept-Encoding`."""
    weights = _weights(accept_encoding)
    packed = weights.get("gzip", weights.get("*", 0.0))
    return packed > 0 and packed >= weights.get("identity", 0.0)


def prefers_jpeg(accept: str) -> bool:
    """Whether a picture is rather a JPEG than a PNG, by the header `Accept`.

    JPEG is asked for by its name; whoever takes anything gets the exact pixels.
    """
    weights = _weights(accept)
    exact = next(
        (weights[kind] for kind in ("image/png", "image/*", "*/*") if kind in weights), 0
    )
    soft = weights.get("image/jpeg", 0.0)
    return soft > 0 and soft >= exact


def _weights(header: str) -> dict[str, float]:
    """The listed values, in lower case, with their weights from 0 to 1.

    One that cannot be read counts as 0: nobody is sent what they may have refused.
    """
    return dict(_weighed(item) for item in header.lower().split(",") if item.strip())


def _weighed(item: str) -> tuple[str, float]:
    name, *parameters = (re.sub(r"\s", "", part) for part in item.split(";"))
    weight = next((each[2:] for each in parameters if each.startswith("q=")), "1")
    return name, float(weight) if _WEIGHT.fullmatch(weight) else 0.0
