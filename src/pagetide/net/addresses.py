"""Where this server goes when a user names a URL: to public addresses, and nowhere else.

What decides is the address that is dialled (`vetted_addresses`). `vet_url` only says no
early to what is known without asking anybody.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Collection, Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from pagetide.errors import AddressRefused, DownloadFailed

Resolve = Callable[[str, int], Sequence[str]]

_REFUSED_V4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this host
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by a provider's customers
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # Azure's host
            "169.254.0.0/16",  # link-local, with the clouds' metadata
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocols
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, broadcast
        ),
    )
)
# All of IPv6 that is public. Outside lie loopback, link-local and private addresses, and
# IPv4 in IPv6: mapped, compatible, and translated (64:ff9b::/96, 64:ff9b:1::/48).
_PUBLIC_V6 = IPv6Network("2000::/3")
_REFUSED_V6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocols, Teredo (IPv4 in IPv6) among them
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4: IPv4 in IPv6
            "3fff::/20",  # documentation
        ),
    )
)
# `2130706433`, `0x7f.1`, `0177.0.0.1`: what the C library takes for an address, too.
_LIKE_A_NUMBER = re.compile(r"(.*\.)?(\d+|0x[0-9a-f]*)\.?", re.IGNORECASE)


def is_public(address: str) -> bool:
    """Whether an address, of either kind, may be dialled without having been named."""
    ip = ip_address(address)
    if isinstance(ip, IPv4Address):
        return not _within(ip, _REFUSED_V4)
    return ip in _PUBLIC_V6 and not _within(ip, _REFUSED_V6)


def vet_url(url: str, allowed_hosts: Collection[str] = ()) -> None:
    """Refuse what no resolver need be asked about: schemes, passwords, literal addresses.

    Args:
        url: What a user sent.
        allowed_hosts: Hosts, in small letters, that may have any address.

    Raises:
        AddressRefused: This server does not go there.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise AddressRefused("The URL is not well formed.") from None
    if parts.scheme not in ("http", "https"):
        raise AddressRefused("The URL must start with http:// or https://.")
    if "@" in parts.netloc:
        raise AddressRefused("The URL must not contain a user name or password.")
    if not host:
        raise AddressRefused("The URL has no host.")
    if host not in allowed_hosts:
        _check_spelling(host)


def vetted_addresses(
    host: str, port: int, allowed_hosts: Collection[str], resolve: Resolve
) -> Sequence[str]:
    """A host's addresses, asked for once; all of them may be dialled.

    Raises:
        AddressRefused: One of them may not be dialled, nor was the host named in the settings.
        DownloadFailed: It has none.
    """
    named = host.lower() in allowed_hosts
    if not named:
        _check_spelling(host)
    addresses = resolve(host, port)
    if not addresses:
        raise DownloadFailed("The URL's host is unknown.")
    if not named and not all(map(is_public, addresses)):
        raise AddressRefused
    return addresses


def resolve(host: str, port: int) -> Sequence[str]:
    """A host's addresses, as the system knows them; none if it does not.

    Raises:
        DownloadFailed: The name cannot be looked up now.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        if error.errno == socket.EAI_AGAIN:
            raise DownloadFailed("The URL's host cannot be resolved now.") from None
        return ()
    except UnicodeError:  # a part of the name is empty or too long
        return ()
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


def _check_spelling(host: str) -> None:
    plain = host.lower().removesuffix(".")
    if plain == "localhost" or plain.endswith(".localhost"):
        raise AddressRefused
    try:
        ip_address(plain)
    except ValueError:
        if _LIKE_A_NUMBER.fullmatch(plain):
            raise AddressRefused("The URL's host is an address in an unusual form.") from None
        return
    if not is_public(plain):
        raise AddressRefused


def _within(
    ip: IPv4Address | IPv6Address, networks: Iterable[IPv4Network | IPv6Network]
) -> bool:
    return any(ip in network for network in networks)
