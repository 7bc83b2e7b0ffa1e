"""An upload has every byte that came, however few a write takes; a full disk is said."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from pagetide.errors import DiskFull
from pagetide.server.api.bodies import uploads
from pagetide.settings import Settings

SENT = bytes(range(256)) * 2000
PART = 65_536


class Short(io.FileIO):
    """A file of which each write takes a part, up to a size."""

    room = 1 << 40

    def write(self, data: Any) -> int:
        if self.tell() >= self.room:
            raise OSError(errno.ENOSPC, "full")
        return super().write(memoryview(data)[: min(PART, self.room - self.tell())])


class Deaf(Short):
    """One that takes nothing, without a word."""

    def write(self, data: Any) -> int:
        return 0


class Forgetful(Short):
    """One that says it took more than it has."""

    def write(self, data: Any) -> int:
        super().write(data)
        return len(data)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    made = Settings(data_dir=str(tmp_path))
    uploads.prepare(made)
    return made


def _writing(monkeypatch: pytest.MonkeyPatch, kind: type[Short]) -> None:
    created: Callable[[Path], Any] = uploads._created

    def opened(path: Path) -> Any:
        created(path).close()
        return kind(os.open(path, os.O_WRONLY), "wb")

    monkeypatch.setattr(uploads, "_created", opened)


async def _taken(settings: Settings) -> bytes:
    async with uploads.upload(settings, 1 << 30) as upload:
        for start in range(0, len(SENT), 100_000):
            await upload.take(SENT[start : start + 100_000])
        await upload.ease(all_of_it=True)
        return upload.path.read_bytes()


def test_every_byte_is_there(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    _writing(monkeypatch, Short)
    assert anyio.run(_taken, settings) == SENT


@pytest.mark.parametrize("kind", [Deaf, Forgetful])
def test_what_was_not_written_is_no_upload(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, kind: type[Short]
) -> None:
    _writing(monkeypatch, kind)
    with pytest.raises(DiskFull):
        anyio.run(_taken, settings)
    assert list(uploads.folder(settings).iterdir()) == []


def test_a_disk_that_fills_is_said_and_nothing_is_left(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    _writing(monkeypatch, Short)
    monkeypatch.setattr(Short, "room", 200_000)
    with pytest.raises(DiskFull):
        anyio.run(_taken, settings)
    assert list(uploads.folder(settings).iterdir()) == []
