"""`pagetide keys`: what it prints, and what the store keeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pagetide.cli import program
from pagetide.keys import ApiKey, key_id
from pagetide.settings import Settings
from pagetide.webhook import secret_from_text
from pagetide.wiring import open_store


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
    result = run("create", "web shop", "--max-active", "5", "--max-pages", "100")
    key = result.stdout.strip()
    (only,) = kept()
    assert result.exit_code == 0
    assert only.opens(key)
    assert key_id(key) == only.id
    assert (only.name, only.max_active, only.max_bytes, only.max_pages) == (
        *("web shop", 5, None, 100),
    )
    assert key not in repr(only)
    assert only.id in result.stderr
    assert key not in result.stderr
    assert key not in run("list").stdout


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
    assert not revoked.opens(key)
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
    assert secret_from_text(second.strip())
    assert run("webhook-secret", "nowhere1").exit_code == 66
