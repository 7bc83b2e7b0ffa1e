"""`pagetide keys`: what it prints, and what the store keeps."""

from __future__ import annotations

import base64
import json
import time
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from pagetide.cli import program
from pagetide.server.jobs.keys import ApiKey, key_id
from pagetide.server.service import key_use
from pagetide.server.wiring import open_store
from pagetide.settings import Settings


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGETIDE_DATA_DIR", str(tmp_path / "data"))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, ["keys", *arguments])


def kept() -> tuple[ApiKey, ...]:
    store = open_store(Settings.from_environment())
    try:
        return store.keys()
    finally:
        store.close()


def test_a_key_is_printed_once_and_only_its_hash_is_kept() -> None:
    result = run(
        "create", "web shop", "--max-active", "5", "--max-pages", "100", "--weight", "3"
    )
    key = result.stdout.strip()
    (only,) = kept()
    assert result.exit_code == 0
    assert only.opens(key, time.time())
    assert key_id(key) == only.id
    limits = (only.max_active, only.max_bytes, only.max_pages, only.weight)
    assert (only.name, *limits) == ("web shop", 5, None, 100, 3)
    assert key not in repr(only)
    assert only.id in result.stderr
    assert key not in result.stderr
    assert key not in run("list").stdout


LIMITS = {"--active-pages": "50", "--pages-per-day": "900", "--requests-per-second": "7"}


def limits_of(key: ApiKey) -> tuple[int | None, ...]:
    return key.active_pages, key.pages_per_day, key.requests_per_second


def test_a_key_has_limits_that_can_be_changed_and_taken_away() -> None:
    run("create", "a", "--max-pages", "9", *(text for pair in LIMITS.items() for text in pair))
    (made,) = kept()
    assert limits_of(made) == (50, 900, 7)
    assert run("limit", made.id, "--pages-per-day", "100", "--active-pages", "0").exit_code == 0
    (changed,) = kept()
    assert limits_of(changed) == (None, 100, 7)
    assert changed == replace(made, active_pages=None, pages_per_day=100)
    (told,) = listed()
    assert [told[name] for name in ("pages_per_day", "requests_per_second")] == [100, 7]
    assert "active_pages" not in told


def test_a_change_of_nothing_or_of_no_key_is_refused() -> None:
    run("create", "a")
    (only,) = kept()
    assert run("limit", only.id).exit_code == 64
    assert run("limit", "nowhere1", "--max-pages", "5").exit_code == 66
    for wrong in ("--weight=101", "--active-pages=-1", "--requests-per-second=many"):
        assert run("limit", only.id, wrong).exit_code == 64
    assert run("create", "b", "--active-pages=0").exit_code == 64
    assert kept() == (only,)


def test_two_keys_are_different() -> None:
    assert run("create", "a").stdout != run("create", "a").stdout
    assert len(kept()) == 2


def test_keys_are_listed_with_their_limits_and_without_their_hashes() -> None:
    run("create", "first", "--max-bytes", "1000")
    run("create", "second")
    first, second = map(json.loads, run("list").stdout.splitlines())
    assert (first["name"], first["max_bytes"], first["revoked_at"]) == ("first", 1000, None)
    assert (second["name"], "max_bytes" in second) == ("second", False)
    assert all(one.sha256 not in run("list").stdout for one in kept())


def test_no_keys_are_no_lines() -> None:
    assert (run("list").exit_code, run("list").stdout) == (0, "")


def test_a_revoked_key_opens_nothing_and_is_still_listed() -> None:
    key = run("create", "a").stdout.strip()
    (only,) = kept()
    assert run("revoke", only.id).exit_code == 0
    (revoked,) = kept()
    assert not revoked.opens(key, time.time())
    assert json.loads(run("list").stdout)["revoked_at"]
    assert run("revoke", only.id).exit_code == 0  # twice is once
    assert kept() == (revoked,)


def test_a_key_that_is_not_there_cannot_be_revoked() -> None:
    result = run("revoke", "nowhere1")
    assert (result.exit_code, result.stdout) == (66, "")
    assert "pagetide keys list" in result.stderr


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "\x1b[31m"])
def test_a_name_that_cannot_be_shown_is_refused(name: str) -> None:
    assert run("create", name).exit_code == 64
    assert kept() == ()


@pytest.mark.parametrize("limit", ["0", "-1", "many"])
def test_a_limit_is_a_whole_number(limit: str) -> None:
    assert run("create", "a", f"--max-active={limit}").exit_code == 64


def test_a_key_has_a_webhook_secret_that_can_be_rotated() -> None:
    run("create", "a")
    (only,) = kept()
    first = run("webhook-secret", only.id).stdout
    assert first == run("webhook-secret", only.id).stdout
    second = run("webhook-secret", only.id, "--rotate").stdout
    assert second == run("webhook-secret", only.id).stdout
    assert len({first, second, run("webhook-secret").stdout}) == 3
    assert 24 <= len(base64.b64decode(second.strip().removeprefix("whsec_"))) <= 64
    assert run("webhook-secret", "nowhere1").exit_code == 66


def listed() -> list[dict[str, object]]:
    return [json.loads(line) for line in run("list").stdout.splitlines()]


def keep(key: ApiKey) -> None:
    store = open_store(Settings.from_environment())
    try:
        store.put_key(key)
    finally:
        store.close()


def test_a_key_may_read_and_submit_or_what_is_said() -> None:
    assert "read, submit" in run("create", "a").stderr
    run("create", "b", "--scope", "operate")
    run("create", "c", "--scope", "scale", "--scope", "operate")
    assert [one["scopes"] for one in listed()] == [
        ["read", "submit"],
        ["operate"],
        ["operate", "scale"],
    ]
    assert run("create", "d", "--scope", "everything").exit_code == 64


def test_scopes_can_be_changed_and_old_keys_are_marked() -> None:
    run("create", "a")
    (only,) = kept()
    keep(replace(only, scopes=None))
    assert (listed()[0]["scopes"], listed()[0]["made_before_scopes"]) == (
        ["read", "submit", "operate", "scale"],
        True,
    )
    assert run("scope", only.id, "operate").exit_code == 0
    assert (listed()[0]["scopes"], listed()[0]["made_before_scopes"]) == (["operate"], False)
    assert run("scope", only.id).exit_code == 64
    assert run("scope", "nowhere1", "read").exit_code == 66


@pytest.mark.parametrize(
    ("text", "seconds"), [("90d", 90 * 86400), ("12h", 43200), ("30m", 1800), ("0s", 0)]
)
def test_a_key_can_expire(text: str, seconds: float) -> None:
    before = time.time()
    run("create", "a", "--expires", text)
    (only,) = kept()
    assert before + seconds <= (only.expires_at or 0) <= time.time() + seconds
    told = datetime.fromisoformat(str(listed()[0]["expires_at"])).timestamp()
    assert told == pytest.approx(only.expires_at, abs=1)


@pytest.mark.parametrize("text", ["90", "d", "-1d", "1.5h", "1y", "1d 2h"])
def test_an_expiry_is_a_span_of_time(text: str) -> None:
    assert run("create", "a", f"--expires={text}").exit_code == 64
    assert kept() == ()


def test_a_rotated_key_opens_with_both_secrets_until_the_grace_time_is_over() -> None:
    old = run("create", "a", "--scope", "read").stdout.strip()
    (first,) = kept()
    new = run("rotate", first.id, "--grace", "1h").stdout.strip()
    (only,) = kept()
    now = time.time()
    assert key_id(new) == key_id(old) == only.id
    assert only.opens(new, now)
    assert only.opens(old, now)
    assert not only.opens(old, now + 3601)
    assert only.may == ("read",)
    assert listed()[0]["old_secret_until"]
    run("rotate", first.id, "--grace", "0s")
    (only,) = kept()
    assert not only.opens(new, time.time())


def test_what_opens_nothing_is_not_rotated() -> None:
    run("create", "a")
    (only,) = kept()
    run("revoke", only.id)
    assert (run("rotate", only.id).exit_code, run("rotate", only.id).stdout) == (64, "")
    keep(replace(only, expires_at=1.0))
    assert run("rotate", only.id).exit_code == 64
    assert run("rotate", only.id, "--expires", "1d").exit_code == 0
    assert run("rotate", "nowhere1").exit_code == 66


def test_the_hour_of_the_last_use_is_listed() -> None:
    run("create", "a")
    (only,) = kept()
    assert listed()[0]["last_used_at"] is None
    store = open_store(Settings.from_environment())
    key_use.note(store, only.id, 7300.0)
    store.close()
    assert listed()[0]["last_used_at"] == "1970-01-01T02:00:00+00:00"
