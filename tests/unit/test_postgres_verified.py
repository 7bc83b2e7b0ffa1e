"""A PostgreSQL server is verified, unless it is here or the URL says otherwise."""

from __future__ import annotations

import ssl

import pytest

from pagetide.net.postgres import postgres_place


def _mode(host: str, options: str = "") -> tuple[ssl.VerifyMode, bool]:
    tls = postgres_place(f"postgresql://u:p@{host}/d{options}").tls
    assert tls
    return tls.verify_mode, tls.check_hostname


@pytest.mark.parametrize(
    "host", ["db.example.com", "10.0.0.7", "[fd00::7]", "localhost.example"]
)
def test_elsewhere_it_is_verified(host: str) -> None:
    assert _mode(host) == (ssl.CERT_REQUIRED, True)
    assert _mode(host, "?sslmode=require") == (ssl.CERT_NONE, False)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.0.1", "[::1]"])
def test_here_it_is_encrypted(host: str) -> None:
    assert _mode(host) == (ssl.CERT_NONE, False)
