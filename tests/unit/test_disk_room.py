"""The reserve of a disk, and the ballast that is thrown off to note what was erased."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from pagetide.errors import DiskFull
from pagetide.server.wiring import disk_room
from pagetide.settings import Settings
from pagetide.system.disk_room import BALLAST_BYTES, MB, DiskRoom


class Disk:
    """What a disk has left, but for what is in the folder; every call is counted."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.total, self.free = folder, 10_000 * MB, 1000 * MB

    def usage(self, _: Path) -> SimpleNamespace:
        used = sum(path.stat().st_size for path in self.folder.iterdir())
        return SimpleNamespace(total=self.total, free=self.free - used)


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    made = Disk(tmp_path)
    monkeypatch.setattr("pagetide.system.disk_room.shutil.disk_usage", made.usage)
    return made


@pytest.fixture
def ballast(tmp_path: Path) -> Path:
    return tmp_path / "ballast"


def refused(room: DiskRoom) -> str:
    with pytest.raises(DiskFull) as refusal:
        room.check()
    return refusal.value.message


def test_below_the_reserve_nothing_is_taken_in(disk: Disk, tmp_path: Path) -> None:
    room = DiskRoom((tmp_path / "not" / "there",), 100)
    disk.free = 100 * MB
    room.check()
    disk.free -= 1
    assert "100 MB left, less than its reserve of 100 MB" in refused(room)
    DiskRoom((tmp_path,), 0).check()
    DiskRoom().check()


def test_the_reserve_of_a_small_disk_is_a_tenth_of_it(disk: Disk, tmp_path: Path) -> None:
    disk.total, disk.free = 200 * MB, 20 * MB
    room = DiskRoom((tmp_path,), 100)
    room.check()
    disk.free -= MB
    assert "19 MB left, less than its reserve of 20 MB" in refused(room)


def test_the_ballast_is_taken_on_once_there_is_room_for_it(disk: Disk, ballast: Path) -> None:
    room = DiskRoom((ballast.parent,), 100, ballast)
    disk.free = 100 * MB + BALLAST_BYTES - 1
    room.keep_ballast()
    assert not ballast.exists()
    disk.free += 1
    room.keep_ballast()
    assert ballast.stat().st_size == BALLAST_BYTES
    room.check()


def test_the_ballast_is_off_for_a_block_and_then_as_large_as_there_is_room(
    disk: Disk, ballast: Path
) -> None:
    room = DiskRoom((ballast.parent,), 100, ballast)
    room.keep_ballast()
    disk.free = BALLAST_BYTES
    with room.off_ballast():
        assert not ballast.exists()
        disk.free -= MB
    assert ballast.stat().st_size == BALLAST_BYTES - MB
    with pytest.raises(ZeroDivisionError), room.off_ballast():
        raise ZeroDivisionError
    assert ballast.stat().st_size == BALLAST_BYTES - MB
    room.keep_ballast()
    assert ballast.stat().st_size == BALLAST_BYTES - MB
    disk.free = 1000 * MB
    room.keep_ballast()
    assert ballast.stat().st_size == BALLAST_BYTES


def test_without_a_reserve_there_is_no_ballast(disk: Disk, ballast: Path) -> None:
    room = DiskRoom((ballast.parent,), 0, ballast)
    room.keep_ballast()
    with room.off_ballast():
        pass
    DiskRoom((ballast.parent,), 100).keep_ballast()
    assert list(ballast.parent.iterdir()) == [] or ballast.stat().st_size == 0


@pytest.mark.parametrize(
    ("given", "folders", "beside"),
    [
        ({}, ["home"], "home/pagetide.db-ballast"),
        ({"store": "sqlite:///{0}/s/a.db"}, ["home", "s"], "s/a.db-ballast"),
        ({"store": "postgresql://h/d", "blobs": "s3://b/p"}, ["home"], None),
        ({"store": "memory:", "blobs": "file://{0}/my%20b"}, ["home", "my b"], None),
        ({"store": "memory:", "results": "file:///{0}/r"}, ["home", "r"], None),
    ],
    ids=str,
)
def test_it_is_of_the_disks_that_the_settings_name(
    tmp_path: Path, given: dict[str, str], folders: list[str], beside: str | None
) -> None:
    told = {name: value.format(tmp_path) for name, value in given.items()}
    room = disk_room(Settings(data_dir=str(tmp_path / "home"), **told))  # type: ignore[arg-type]
    assert [Path("/", *each.parts[1:]) for each in room._folders] == [
        tmp_path / name for name in folders
    ]
    assert room._ballast == (tmp_path / beside if beside else None)
