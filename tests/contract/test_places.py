"""What `ports.Place` promises, of a folder, a bucket and a container."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from pagetide.blobs.places import Folder, open_place
from pagetide.errors import BadOption, BlobMissing, CannotWrite, NotFound, StoreFailed
from pagetide.ports import Place
from pagetide.wiring import open_place as wired
from tests.parts.clouds import az_url as az_url
from tests.parts.clouds import s3_url as s3_url

NAMES = ("a.pdf", "sub/Größe 1 [2] 100%.pdf", "sub/deep/#3.tif")


@pytest.fixture
def folder_url(tmp_path: Path) -> str:
    return str(tmp_path / "a folder")


@pytest.fixture(params=["folder_url", "s3_url", "az_url"])
def place(request: pytest.FixtureRequest) -> Place:
    return wired(request.getfixturevalue(request.param), make=True)


def stamps(place: Place) -> dict[str, str]:
    return {file.name: file.stamp for file in place.files()}


def test_files_come_back_under_the_names_that_people_give(place: Place) -> None:
    assert stamps(place) == {}
    for name in NAMES:
        place.put(name, name.encode())
    found = stamps(place)
    assert set(found) == set(NAMES)
    for name in NAMES:
        into = io.BytesIO()
        assert place.copy(name, into) == found[name]
        assert into.getvalue() == place.read(name) == name.encode()


def test_a_file_is_put_from_a_file(place: Place, tmp_path: Path) -> None:
    content = bytes(range(256)) * 4096 * 11
    (tmp_path / "large").write_bytes(content)
    place.put("large.pdf", tmp_path / "large")
    assert place.read("large.pdf") == content


def test_what_is_changed_has_another_stamp(place: Place) -> None:
    place.put("a.pdf", b"one")
    before = stamps(place)
    assert stamps(place) == before
    place.put("a.pdf", b"other")
    assert stamps(place) != before


def test_what_is_missing_is_said_to_be(place: Place) -> None:
    with pytest.raises(BlobMissing):
        place.read("a.pdf")
    with pytest.raises(BlobMissing):
        place.copy("a.pdf", io.BytesIO())
    place.remove("a.pdf")
    place.put("a.pdf", b"x")
    place.remove("a.pdf")
    assert stamps(place) == {}


class TestFolder:
    def test_what_changes_while_it_is_copied_has_no_files_stamp(self, tmp_path: Path) -> None:
        (tmp_path / "a.pdf").write_bytes(b"one")

        class Slow(io.BytesIO):
            def write(self, chunk: object) -> int:
                (tmp_path / "a.pdf").write_bytes(b"longer")
                return 0

        place = Folder(tmp_path)
        assert place.grows
        assert place.copy("a.pdf", Slow()) not in stamps(place).values()

    def test_symbolic_links_are_left_alone(self, tmp_path: Path) -> None:
        inside, outside = tmp_path / "in", tmp_path / "secret"
        inside.mkdir()
        outside.mkdir()
        (outside / "key.pdf").write_bytes(b"x")
        (inside / "file.pdf").symlink_to(outside / "key.pdf")
        (inside / "folder").symlink_to(outside)
        assert stamps(Folder(inside)) == {}

    def test_nothing_unfinished_is_left_where_a_file_cannot_be_put(
        self, tmp_path: Path
    ) -> None:
        (tmp_path / "a.pdf").mkdir()
        with pytest.raises(CannotWrite):
            Folder(tmp_path).put("a.pdf", b"x")
        assert [path.name for path in tmp_path.iterdir()] == ["a.pdf"]

    def test_a_folder_that_is_not_there_or_goes_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(NotFound, match="There is no folder"):
            open_place(str(tmp_path / "no"))
        made = open_place(f"file://{tmp_path}/a%20b", make=True)
        (tmp_path / "a b").rmdir()
        with pytest.raises(NotFound, match="any more"):
            list(made.files())


@pytest.mark.parametrize(
    "where", ["ftp://host/in", "file://host/in", "http://host", "s3://b/in?key=x", "memory://"]
)
def test_another_url_is_refused(where: str) -> None:
    with pytest.raises(BadOption):
        open_place(where)


def test_a_bucket_that_is_not_there_is_told(s3_url: str) -> None:
    with pytest.raises(StoreFailed, match="no bucket"):
        list(open_place(s3_url.replace("uploads-", "other-")).files())
