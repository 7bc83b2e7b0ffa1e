"""Whether a host is this computer."""

from __future__ import annotations

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """Whether a host is this computer: `localhost`, or an address of its loopback."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
