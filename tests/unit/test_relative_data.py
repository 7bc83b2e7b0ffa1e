"""A folder for a server's data may be named from where it is started."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from pagetide.server.wiring import open_blobs, open_store
from pagetide.settings import Settings


@pytest.mark.parametrize("name", ["here", "./here", "../here", "a/b"])
def test_store_and_blobs_are_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    start = tmp_path / "start"
    start.mkdir()
    monkeypatch.chdir(start)
    settings = Settings(data_dir=name)
    blobs = open_blobs(settings)
    blobs.put("jobs/a/input", b"x")
    with closing(open_store(settings)) as store:
        assert store.value("name", b"value") == b"value"
    folder = Path(os.path.normpath(start / name))
    assert (folder / "blobs" / "jobs" / "a" / "input").read_bytes() == b"x"
    assert (folder / "pagetide.db").exists()
