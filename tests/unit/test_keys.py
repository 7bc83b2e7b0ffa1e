from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from pagetide.server.jobs.keys import SCOPES, ApiKey, key_id, new_key, rotated

SECRET = "s-_" * 14


def test_a_key_opens_what_is_kept_of_it() -> None:
    key, kept = new_key("ci", key_id="a1b2c3d4", secret=SECRET, now=5.0, max_active=3)
    assert key == f"pt_a1b2c3d4_{SECRET}"
    assert key_id(key) == kept.id == "a1b2c3d4"
    assert kept.opens(key, 6.0)
    assert (kept.name, kept.created_at, kept.max_active, kept.max_bytes) == ("ci", 5.0, 3, None)


def test_another_key_does_not_open_it() -> None:
    key, kept = new_key("ci", key_id="a1b2c3d4", secret=SECRET, now=5.0)
    for other in ("", key[:-1], key + "x", key.upper(), f"pt_a1b2c3d5_{SECRET}", kept.sha256):
        assert not kept.opens(other, 6.0)


def test_a_revoked_key_opens_nothing() -> None:
    key, kept = new_key("ci", key_id="a1b2c3d4", secret=SECRET, now=5.0)
    assert not replace(kept, revoked_at=6.0).opens(key, 7.0)


def test_an_expired_key_opens_nothing() -> None:
    key, kept = new_key("ci", key_id="a1b2c3d4", secret=SECRET, now=5.0, expires_at=8.0)
    assert [kept.opens(key, now) for now in (5.0, 7.9, 8.0, 9.0)] == [True, True, False, False]


def test_a_new_key_may_read_and_submit_unless_told_otherwise() -> None:
    _, kept = new_key("ci", key_id="a1b2c3d4", secret=SECRET, now=5.0)
    assert kept.may == ("read", "submit")
    _, kept = new_key(
        "ci", key_id="a1b2c3d4", secret=SECRET, now=5.0, scopes=["scale", "read", "scale"]
    )
    assert kept.may == ("read", "scale")


def test_a_key_kept_before_there_were_scopes_may_do_all_and_opens_as_before() -> None:
    key, kept = new_key("ci", key_id="a1b2c3d4", secret=SECRET, now=5.0)
    old = {"id": kept.id, "name": "ci", "sha256": kept.sha256, "created_at": 5.0}
    read = msgspec.json.decode(msgspec.json.encode(old), type=ApiKey)
    assert (read.scopes, read.may) == (None, SCOPES)
    assert read.opens(key, 1e12)


def test_scopes_of_a_newer_program_are_kept() -> None:
    _, kept = new_key("ci", key_id="a1b2c3d4", secret=SECRET, now=5.0)
    newer = msgspec.json.encode(replace(kept, scopes=("read", "teleport")))
    assert msgspec.json.decode(newer, type=ApiKey).may == ("read", "teleport")


def test_a_rotated_key_has_a_new_secret_and_the_old_one_for_a_while() -> None:
    old, kept = new_key("ci", key_id="a1b2c3d4", secret=SECRET, now=5.0, max_active=3)
    new, kept = rotated(kept, secret="n" * 40, now=10.0, grace_s=60.0)
    assert (kept.id, kept.name, kept.max_active, kept.may) == (
        *("a1b2c3d4", "ci", 3),
        ("read", "submit"),
    )
    assert [kept.opens(new, now) for now in (10.0, 1e9)] == [True, True]
    assert [kept.opens(old, now) for now in (10.0, 69.9, 70.0)] == [True, True, False]
    newest, kept = rotated(kept, secret="m" * 40, now=20.0, grace_s=60.0)
    assert [kept.opens(key, 30.0) for key in (newest, new, old)] == [True, True, False]
    assert not replace(kept, revoked_at=31.0).opens(new, 32.0)


def test_the_key_is_not_kept() -> None:
    key, kept = new_key("ci", key_id="a1b2c3d4", secret=SECRET, now=5.0)
    assert SECRET not in repr(kept)
    assert SECRET.encode() not in msgspec.json.encode(kept)
    assert msgspec.json.decode(msgspec.json.encode(kept), type=ApiKey) == kept
    assert kept.opens(key, 6.0)


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
