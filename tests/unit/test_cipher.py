"""Encryption of what must not lie in a store in clear."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from pagetide.errors import BadOption, SecretMissing, SecretWrong, StoreFailed
from pagetide.system.cipher import Cipher, secrets_of

OLD, NEW, OTHERS = "o" * 32, "n" * 32, "x" * 32
WORD = "Kennwort ÄÖ 4711"


def test_it_comes_back_and_is_not_to_be_seen() -> None:
    cipher = Cipher([NEW])
    hidden = cipher.encrypt(WORD, "a job")
    assert "Kennwort" not in hidden
    assert hidden != cipher.encrypt(WORD, "a job")  # the same twice tells nothing
    assert cipher.decrypt(hidden, "a job") == WORD


def test_another_secret_does_not_open_it() -> None:
    hidden = Cipher([NEW]).encrypt(WORD, "a job")
    with pytest.raises(SecretWrong):
        Cipher([OTHERS]).decrypt(hidden, "a job")


def test_moved_to_another_job_it_does_not_open() -> None:
    hidden = Cipher([NEW]).encrypt(WORD, "a job")
    with pytest.raises(SecretWrong):
        Cipher([NEW]).decrypt(hidden, "another job")


@pytest.mark.parametrize("at", range(5, 60, 9))
def test_changed_it_does_not_open(at: int) -> None:
    hidden = Cipher([NEW]).encrypt(WORD, "a job")
    other = "A" if hidden[at] != "A" else "B"
    with pytest.raises(SecretWrong):
        Cipher([NEW]).decrypt(hidden[:at] + other + hidden[at + 1 :], "a job")


@pytest.mark.parametrize("hidden", ["enc1:", "enc1:AAAA", "enc1:?", "enc1:ä", "enc1:AAA"])
def test_what_is_none_does_not_open(hidden: str) -> None:
    with pytest.raises(SecretWrong):
        Cipher([NEW]).decrypt(hidden, "a job")


def test_the_first_encrypts_and_all_decrypt() -> None:
    before = Cipher([OLD]).encrypt(WORD, "a job")
    both = Cipher([NEW, OLD])
    assert both.decrypt(before, "a job") == WORD
    assert Cipher([NEW]).decrypt(both.encrypt(WORD, "a job"), "a job") == WORD


def test_without_a_secret_nothing_is_kept() -> None:
    with pytest.raises(SecretMissing):
        Cipher().encrypt(WORD, "a job")
    with pytest.raises(SecretMissing):
        Cipher().decrypt(Cipher([NEW]).encrypt(WORD, "a job"), "a job")


def test_what_an_older_version_kept_in_clear_still_opens() -> None:
    assert Cipher().decrypt(WORD, "a job") == WORD


class TestFile:
    def test_is_made_when_needed_for_its_owner_alone(self, tmp_path: Path) -> None:
        file = tmp_path / "new" / "secret"
        cipher = Cipher(file=file)
        cipher.check()
        assert not cipher.made()
        assert not file.exists()
        hidden = cipher.encrypt(WORD, "a job")
        assert file.stat().st_mode & 0o777 == 0o600
        assert [each.name for each in file.parent.iterdir()] == ["secret"]
        assert Cipher(file=file).decrypt(hidden, "a job") == WORD
        assert cipher.made()

    def test_is_not_made_to_decrypt(self, tmp_path: Path) -> None:
        hidden = Cipher([NEW]).encrypt(WORD, "a job")
        with pytest.raises(SecretMissing):
            Cipher(file=tmp_path / "secret").decrypt(hidden, "a job")
        assert list(tmp_path.iterdir()) == []

    def test_is_one_however_many_make_it_at_once(self, tmp_path: Path) -> None:
        file, hidden = tmp_path / "secret", list[str]()
        many = [
            threading.Thread(target=lambda: hidden.append(Cipher(file=file).encrypt(WORD, "a")))
            for _ in range(8)
        ]
        for each in many:
            each.start()
        for each in many:
            each.join()
        one = Cipher(file=file)
        assert [one.decrypt(each, "a") for each in hidden] == [WORD] * 8
        assert [each.name for each in tmp_path.iterdir()] == ["secret"]

    def test_still_decrypts_once_a_secret_is_set(self, tmp_path: Path) -> None:
        file = tmp_path / "secret"
        hidden = Cipher(file=file).encrypt(WORD, "a job")
        both = Cipher([NEW], file)
        assert both.decrypt(hidden, "a job") == WORD
        assert Cipher([NEW]).decrypt(both.encrypt(WORD, "a job"), "a job") == WORD

    def test_is_not_made_where_a_secret_is_set(self, tmp_path: Path) -> None:
        Cipher([NEW], tmp_path / "secret").encrypt(WORD, "a job")
        assert list(tmp_path.iterdir()) == []

    def test_that_holds_none_is_told_of(self, tmp_path: Path) -> None:
        file = tmp_path / "secret"
        file.write_text("short\n")
        with pytest.raises(SecretMissing, match="secret in the data folder contains no secret"):
            Cipher(file=file).encrypt(WORD, "a job")

    def test_that_cannot_be_read_is_told_of(self, tmp_path: Path) -> None:
        (tmp_path / "secret").mkdir()
        with pytest.raises(StoreFailed, match="permissions"):
            Cipher(file=tmp_path / "secret").encrypt(WORD, "a job")


def test_a_setting_holds_one_or_several() -> None:
    assert secrets_of("") == ()
    assert secrets_of(f" {NEW}\n{OLD}\n") == (NEW, OLD)
    with pytest.raises(BadOption, match="32 characters"):
        secrets_of(f"{NEW} {OLD[:31]}")
