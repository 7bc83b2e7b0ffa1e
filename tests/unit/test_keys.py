from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from pagetide.keys import ApiKey, key_id, new_key

SECRET = "s-_" * 14


def test_a_key_opens_what_is_kept_of_it() -> None:
    key, kept = new_key("ci", key_id="a1b2c3d4", secret=SECRET, now=5.0, max_active=3)
    assert key == f"pt_a1b2c3d4_{SECRET}"
    assert key_id(key) == kept.id == "a1b2c3d4"
    assert kept.opens(key)
    assert (kept.name, kept.created_at, kept.max_active, kept.max_bytes) == ("ci", 5.0, 3, None)


def test_another_key_does_not_open_it() -> None:
    key, kept = new_key("ci", key_id="a1b2c3d4", secret=SECRET, now=5.0)
    for other in ("", key[:-1], key + "x", key.upper(), f"pt_a1b2c3d5_{SECRET}", kept.sha256):
        assert not kept.opens(other)


def test_a_revoked_key_opens_nothing() -> None:
    key, kept = new_key("ci", key_id="a1b2c3d4", secret=SECRET, now=5.0)
    assert not replace(kept, revoked_at=6.0).opens(key)


def test_the_key_is_not_kept() -> None:
    key, kept = new_key("ci", key_id="a1b2c3d4", secret=SECRET, now=5.0)
    assert SECRET not in repr(kept)
    assert SECRET.encode() not in msgspec.json.encode(kept)
    assert msgspec.json.decode(msgspec.json.encode(kept), type=ApiKey) == kept
    assert kept.opens(key)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pt_",
        "pt_a1b2c3d4",
        "pt_a1b2c3d4_",
        "pt_a1b2c3d4_short",
        f"pt_A1B2C3D4_{SECRET}",
        f"pt_a1b2c3d_{SECRET}",
        f"xx_a1b2c3d4_{SECRET}",
        f"pt_a1b2c3d4_{SECRET}\n",
        f"pt_a1b2c3d4_{SECRET} ",
        f"pt_a1b2c3d4_{'é' * 40}",
        f"pt_a1b2c3d4_{'s' * 65}",
    ],
)
def test_what_has_not_the_form_of_a_key_names_none(text: str) -> None:
    assert key_id(text) is None


@pytest.mark.parametrize(
    ("name", "secret"), [("A1B2C3D4", SECRET), ("a1b2c3d4", "short"), ("a1b2c3d4", "s/" * 20)]
)
def test_a_key_of_another_form_is_not_made(name: str, secret: str) -> None:
    with pytest.raises(ValueError, match="not of the form"):
        new_key("ci", key_id=name, secret=secret, now=5.0)
