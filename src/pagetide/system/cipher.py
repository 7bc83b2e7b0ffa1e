"""Encryption of what must not lie in a store in clear: passwords, and signatures of URLs.

The secret stands outside the store, so that who has the store, or a copy of it, has neither.
AES-256-GCM, with a key that HKDF makes of the secret:

    enc1:BASE64URL(12 random bytes, what was encrypted, 16 bytes that nobody else can make)
"""

from __future__ import annotations

import base64
import binascii
import errno
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pagetide.errors import (
    BadOption,
    DiskFull,
    PagetideError,
    SecretMissing,
    SecretWrong,
    StoreFailed,
)
from pagetide.system.part_file import sync

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

LEAST = 32  # characters of a secret: what is shorter could be guessed
_MARK = "enc1:"
_NONCE = 12


def secrets_of(text: str) -> tuple[str, ...]:
    """The secrets that a setting names, the newest first, split by white space.

    Raises:
        BadOption: One is so short that it could be guessed.
    """
    found = tuple(text.split())
    if any(len(each) < LEAST for each in found):
        raise BadOption(
            f"PAGETIDE_SECRET must have at least {LEAST} characters and no white"
            " space, such as the output of `openssl rand -hex 32`."
        )
    return found


class Cipher:
    """Encrypts texts, each bound to what it is about; any number of threads may use it.

    Args:
        given: Secrets: the first encrypts, all decrypt.
        file: Where there is a secret of this machine's own, which decrypts, too, and encrypts
            where none is given: it is made when it is first needed. None means nowhere.
    """

    def __init__(self, given: Sequence[str] = (), file: Path | None = None) -> None:
        self._given, self._file = tuple(given), file
        self._own = ""

    @property
    def given(self) -> int:
        """How many secrets it was given."""
        return len(self._given)

    def check(self) -> None:
        """Check that there is a secret, or can be one.

        Raises:
            SecretMissing: There is none.
        """
        if not self._given and not self._file:
            raise SecretMissing

    def made(self) -> bool:
        """Whether the file is there, and holds a secret.

        Raises:
            SecretMissing: It holds none that is long enough.
            StoreFailed: It cannot be read.
        """
        return self._file is not None and own_secret(self._file, make=False) != ""

    def encrypt(self, text: str, about: str) -> str:
        """A text that nobody can read or change who has not the secret.

        Args:
            text: What is to be hidden.
            about: What it belongs to: with anything else it cannot be decrypted.

        Raises:
            SecretMissing: There is no secret.
            StoreFailed: The file cannot be made or read.
            DiskFull: There is no room for it.
        """
        self.check()
        nonce = secrets.token_bytes(_NONCE)
        hidden = _aead(self._secrets(make=True)[0]).encrypt(
            nonce, text.encode(), about.encode()
        )
        return _MARK + base64.urlsafe_b64encode(nonce + hidden).decode()

    def decrypt(self, text: str, about: str) -> str:
        """The text that was encrypted; one that never was, by an older version, as it is.

        Raises:
            SecretMissing: There is no secret.
            SecretWrong: It was encrypted with another one, or about something else, or changed.
            StoreFailed: The file cannot be read.
        """
        from cryptography.exceptions import InvalidTag

        if not text.startswith(_MARK):
            return text
        known = self._secrets()
        if not known:
            raise SecretMissing
        try:
            hidden = base64.b64decode(text.removeprefix(_MARK), b"-_", validate=True)
        except (binascii.Error, ValueError):
            raise SecretWrong from None
        for secret in known:
            try:
                nonce, rest = hidden[:_NONCE], hidden[_NONCE:]
                return _aead(secret).decrypt(nonce, rest, about.encode()).decode()
            except (InvalidTag, ValueError):  # the latter of what is cut short
                continue
        raise SecretWrong

    def _secrets(self, *, make: bool = False) -> tuple[str, ...]:
        """All there are; the machine's own is made where it is asked for and no other is."""
        if self._file and not self._own:
            self._own = own_secret(self._file, make=make and not self._given)
        return (*self._given, self._own) if self._own else self._given


def own_secret(file: Path, *, make: bool) -> str:
    """The secret that a file holds; empty where there is none and none is to be made.

    Raises:
        SecretMissing: The file holds none that is long enough.
        StoreFailed: It cannot be made or read.
        DiskFull: There is no room for it.
    """
    try:
        if make and not file.exists():
            _make(file)
        found = file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        raise _unusable(file, error) from None
    if len(found) < LEAST:
        raise SecretMissing(f"The file {file.name} in the data folder contains no secret.")
    return found


def _make(file: Path) -> None:
    """Make the file, for its owner's eyes alone; one that another process makes first stays."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    whole = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    opened = os.open(whole, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(opened, "w") as new:
        try:
            new.write(secrets.token_hex(32) + "\n")
            new.flush()
            os.fsync(new.fileno())
            os.link(whole, file)
        except FileExistsError:
            pass
        finally:
            whole.unlink()
    sync(file.parent)  # before anything that was encrypted with it is kept


def _unusable(file: Path, error: Exception) -> PagetideError:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"There is no space for the file {file.name} in the data folder.")
    return StoreFailed(
        f"The file {file.name} in the data folder cannot be created or read; check"
        " its permissions."
    )


def _aead(secret: str) -> AESGCM:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    key = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"pagetide enc1")
    return AESGCM(key.derive(secret.encode()))
