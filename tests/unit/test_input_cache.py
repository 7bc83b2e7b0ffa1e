"""The documents that a worker has at hand: fetched once, kept no longer than they are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pagetide.errors import BlobMissing
from pagetide.server.worker.input_cache import MOST, Inputs


class Cloud:
    """Blobs that are fetched as temporary files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.fetched: list[str] = []
        self.gone: set[str] = set()

    @contextmanager
    def local(self, key: str) -> Iterator[Path]:
        if key in self.gone:
            raise BlobMissing
        self.fetched.append(key)
        path = self.folder / f"{len(self.fetched)}"
        path.write_text(key)
        yield path
        path.unlink(missing_ok=True)

    @property
    def here(self) -> set[str]:
        return {path.read_text() for path in self.folder.iterdir()}


@pytest.fixture
def cloud(tmp_path: Path) -> Cloud:
    return Cloud(tmp_path)


def inputs_of(cloud: Any) -> Inputs:
    return Inputs(cloud)


def test_a_document_of_many_tasks_is_fetched_once(cloud: Cloud) -> None:
    inputs = inputs_of(cloud)
    for _ in range(3):
        with inputs.local("a") as path, inputs.local("a") as same:
            assert path == same
            assert path.read_text() == "a"
    assert cloud.fetched == ["a"]
    inputs.clear()
    assert cloud.here == set()


def test_only_the_last_few_are_kept_and_none_that_is_read_goes(cloud: Cloud) -> None:
    inputs = inputs_of(cloud)
    with inputs.local("read") as path:
        for n in range(2 * MOST):
            with inputs.local(f"{n}"):
                pass
        inputs.clear()
        assert cloud.here == {"read"}
        assert path.read_text() == "read"
    inputs.clear()
    assert cloud.here == set()
    for n in range(2 * MOST):
        with inputs.local(f"{n}"):
            pass
    assert cloud.here == {f"{n}" for n in range(MOST, 2 * MOST)}


def test_one_that_is_gone_is_missing(cloud: Cloud) -> None:
    inputs = inputs_of(cloud)
    with inputs.local("a") as path:
        pass
    path.unlink()
    cloud.gone.add("a")
    with pytest.raises(BlobMissing), inputs.local("a"):
        pass
