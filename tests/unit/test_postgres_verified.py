"""A PostgreSQL server is verified, unless it is here or the URL says otherwise."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from pagetide.errors import BadOption
from pagetide.net.postgres import postgres_place


def _mode(host: str, options: str = "") -> tuple[str, bool]:
    """How it is encrypted, and whether there are certificates to verify it against."""
    place = postgres_place(f"postgresql://u:p@{host}/d{options}")
    return place.mode, Path(place.roots).is_file()


@pytest.mark.parametrize(
    "host", ["db.example.com", "10.0.0.7", "[fd00::7]", "localhost.example"]
)
def test_elsewhere_it_is_verified(host: str) -> None:
    assert _mode(host) == ("verify-full", True)
    assert _mode(host, "?sslmode=require") == ("require", False)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.0.1", "[::1]"])
def test_here_it_is_encrypted(host: str) -> None:
    assert _mode(host) == ("require", False)


def test_a_system_without_certificates_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    none = ssl.get_default_verify_paths()._replace(cafile="", capath=str(tmp_path))
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: none)
    with pytest.raises(BadOption, match="no file of trusted certificates"):
        postgres_place("postgresql://u:p@db.example.com/d")
