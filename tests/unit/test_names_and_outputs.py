"""Names that are no UTF-8 or too long, and outputs that take no more, end in one sentence."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from pagetide import Document, read
from pagetide.cli.ending import emit
from pagetide.cli.reading.sources import find
from pagetide.errors import CannotWrite, NotFound

TABLE = Path(__file__).parents[2] / "samples" / "table.png"


def test_a_name_that_is_no_utf_8_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"bad\xff.png")
    path.write_bytes(TABLE.read_bytes())
    document = read(path, model="fake")
    assert document.source.name == "bad\N{REPLACEMENT CHARACTER}.png"
    assert Document.from_json(document.to_json()) == document


def test_a_name_that_is_too_long_does_not_exist() -> None:
    long = "a" * 300 + ".pdf"
    assert [each.name for each in find([long, str(TABLE)], lambda: b"").found] == [
        long,
        str(TABLE),
    ]
    with pytest.raises(NotFound, match=r"does not exist\.$"):
        read(long, model="fake")


def test_a_full_output_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, _: memoryview) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        def fileno(self) -> int:
            return spare

    spare = os.open(os.devnull, os.O_WRONLY)
    monkeypatch.setattr(sys, "stdout", type("Out", (), {"buffer": Full()})())
    with pytest.raises(CannotWrite, match=r"^The standard output cannot be written: No space"):
        emit(b"text")
    os.close(spare)
