"""Which addresses are dialled, however they are written."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.errors import AddressRefused, DownloadFailed
from pagetide.net.addresses import is_public, resolve, vet_url, vetted_addresses

REFUSED = """
    0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254
    168.63.129.16 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.192
    192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1
    239.255.255.255 240.0.0.1 255.255.255.255
    :: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:7f00:1
    64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::7f00:1 100::1 2001::1 2001:0:4136:e378::1
    2001:2::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:808:808::1 3fff::1 5f00::1 fc00::1
    fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 ff0e::1
"""
PUBLIC = """
    1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.216.34 100.63.255.255 100.128.0.0
    126.255.255.255 128.0.0.0 168.63.129.15 168.63.129.17 172.15.255.255 172.32.0.0
    192.167.255.255 192.169.0.0 223.255.255.255
    2000::1 2001:200::1 2001:4860:4860::8888 2606:4700:4700::1111 2a00:1450:4001::200e
    3ffe::1
"""
STRANGE = """
    2130706433 0x7f000001 0x7f.1 0x7F.0.0.1 0177.0.0.1 017700000001 127.1 127.0.1 0 0x
    0x0 00 127.0.0.01 08.8.8.8 256.256.256.256 1.2.3.4.5 134744072 8.8.2056 127.0.0.1..
"""


@pytest.mark.parametrize("address", REFUSED.split())
def test_what_is_not_public_is_refused(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC.split())
def test_what_is_public_is_not_refused(address: str) -> None:
    assert is_public(address)


@given(st.ip_addresses(v=4))
def test_python_knows_no_other_private_ipv4(address: IPv4Address) -> None:
    if not address.is_global or address.is_multicast or address.is_reserved:
        assert not is_public(str(address))


@given(st.ip_addresses(v=6))
def test_python_knows_no_other_private_ipv6(address: IPv6Address) -> None:
    if not address.is_global or address.is_multicast or address.is_site_local:
        assert not is_public(str(address))


@given(st.ip_addresses(v=4), st.integers(0, 2**64 - 1))
def test_ipv4_inside_ipv6_is_refused(inner: IPv4Address, rest: int) -> None:
    number = int(inner)
    forms = [
        number,  # compatible
        0xFFFF << 32 | number,  # mapped
        0x64FF9B << 96 | number,  # NAT64
        0x64FF9B0001 << 80 | number,  # NAT64, local
        0x2002 << 112 | number << 80 | rest,  # 6to4
        0x20010000 << 96 | rest << 32 | number ^ 0xFFFFFFFF,  # Teredo
    ]
    assert not [form for form in forms if is_public(str(IPv6Address(form)))]


@pytest.mark.parametrize("address", REFUSED.split())
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_url_with_such_an_address_is_refused(address: str, scheme: str) -> None:
    host = f"[{address}]" if ":" in address else address
    with pytest.raises(AddressRefused):
        vet_url(f"{scheme}://{host}/x")
    with pytest.raises(AddressRefused):
        vet_url(f"{scheme}://{host}:8080")


@pytest.mark.parametrize("host", STRANGE.split())
def test_an_address_in_a_strange_form_is_refused(host: str) -> None:
    with pytest.raises(AddressRefused):
        vet_url(f"http://{host}/")
    with pytest.raises(AddressRefused):
        vetted_addresses(host, 80, (), lambda *_: ["8.8.8.8"])


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "//example.com/x",
        "ftp://example.com",
        "file:///etc/passwd",
        "gopher://example.com",
        "unix:/run/docker.sock",
        "http://",
        "http:///x",
        "http://:80/",
        "http://[::1",
        "http://example.com:99999/",
        "http://example.com:x/",
        "http://user@example.com/",
        "http://user:secret@example.com/",
        "http://@example.com/",
        "http://localhost/",
        "http://LOCALHOST:80/",
        "http://localhost./",
        "http://a.localhost/",
    ],
)
def test_a_url_that_leads_nowhere_good_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused) as raised:
        vet_url(url)
    assert "secret" not in raised.value.message


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com",
        "https://example.com:8443/a?b=c#d",
        "HTTPS://Example.COM./",
        "http://8.8.8.8/",
        "http://[2606:4700:4700::1111]:80/",
        "http://localhost.example.com/",
        "http://1password.com/",
        "http://bücher.example/",
        "http://x.0xyz/",
    ],
)
def test_a_url_that_may_lead_outside_is_not_refused(url: str) -> None:
    vet_url(url)


def test_a_named_host_may_have_any_address() -> None:
    vet_url("http://127.0.0.1:9/", {"127.0.0.1"})
    vet_url("http://LocalHost/", {"localhost"})
    assert vetted_addresses("Intern", 80, {"intern"}, lambda *_: ["10.0.0.1"]) == ["10.0.0.1"]
    with pytest.raises(AddressRefused):
        vet_url("http://127.0.0.1/", {"localhost"})
    with pytest.raises(AddressRefused):
        vetted_addresses("sub.intern", 80, {"intern"}, lambda *_: ["10.0.0.1"])


def test_one_address_that_is_refused_is_enough() -> None:
    asked: list[tuple[str, int]] = []

    def both(host: str, port: int) -> Sequence[str]:
        asked.append((host, port))
        return ["93.184.216.34", "10.0.0.1"]

    with pytest.raises(AddressRefused):
        vetted_addresses("example.com", 80, (), both)
    assert asked == [("example.com", 80)]


def test_a_host_without_an_address_is_said_so() -> None:
    with pytest.raises(DownloadFailed, match="unknown"):
        vetted_addresses("example.com", 80, (), lambda *_: [])


def test_the_system_is_asked() -> None:
    found = resolve("localhost", 80)
    assert found and all(ip_address(address).is_loopback for address in found)
    assert resolve("127.1", 80) == ("127.0.0.1",)
    assert resolve("a" * 64 + ".example", 80) == ()


@pytest.mark.parametrize(
    ("number", "found"), [(socket.EAI_NONAME, ()), (socket.EAI_AGAIN, None)]
)
def test_a_name_that_is_not_known_is_told_from_no_answer(
    monkeypatch: pytest.MonkeyPatch, number: int, found: Sequence[str] | None
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise socket.gaierror(number, "text of the library")

    monkeypatch.setattr(socket, "getaddrinfo", failing)
    if found is not None:
        assert resolve("example.com", 80) == found
    else:
        with pytest.raises(DownloadFailed, match="resolved") as raised:
            resolve("example.com", 80)
        assert "library" not in raised.value.message
