"""What `ports.Place` promises, of a folder, a bucket and a container."""

from __future__ import annotations

import errno
import io
import os
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest

from pagetide.errors import BadOption, BlobMissing, CannotWrite, NotFound, StoreFailed
from pagetide.server.blobs.places import Folder, open_place
from pagetide.server.ports import Place
from pagetide.server.wiring import open_place as wired
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

    def test_a_link_put_in_the_place_of_a_file_is_not_followed(self, tmp_path: Path) -> None:
        inside, secret = tmp_path / "in", tmp_path / "secret"
        for folder in (inside / "sub", secret):
            folder.mkdir(parents=True)
            (folder / "a.pdf").write_bytes(b"%PDF" if folder != secret else b"keys")
        place = Folder(inside)
        (found,) = stamps(place)
        shutil.rmtree(inside / "sub")
        (inside / "sub").symlink_to(secret)
        for read in (place.read, lambda name: place.copy(name, io.BytesIO())):
            with pytest.raises(BlobMissing):
                read(found)
        (inside / "sub").unlink()
        (inside / "sub").mkdir()
        (inside / "sub" / "a.pdf").symlink_to(secret / "a.pdf")
        with pytest.raises(BlobMissing):
            place.copy(found, io.BytesIO())
        (inside / "sub" / "a.pdf").unlink()
        os.mkfifo(inside / "sub" / "a.pdf")
        with pytest.raises(BlobMissing):
            place.copy(found, io.BytesIO())  # and does not wait for who writes there

    def test_what_lies_too_deep_is_told_once_and_hides_nothing(self, tmp_path: Path) -> None:
        deep = tmp_path
        for _ in range(150):
            deep /= "d"
        deep.mkdir(parents=True)
        (tmp_path / "a.pdf").write_bytes(b"x")
        place = Folder(tmp_path)
        (found,) = set(stamps(place)) - {"a.pdf"}
        assert found.count("/") == 100
        with pytest.raises(StoreFailed, match="Is a directory"):
            place.copy(found, io.BytesIO())

    def test_a_folder_that_cannot_be_listed_does_not_hide_the_others(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("shut", "open"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "a.pdf").write_bytes(b"x")
        scandir = os.scandir

        def listed(path: Path) -> object:  # whom root's rights do not help
            if path.name == "shut":
                raise PermissionError(errno.EACCES, "Permission denied")
            return scandir(path)

        monkeypatch.setattr(os, "scandir", listed)
        place = Folder(tmp_path)
        assert set(stamps(place)) == {"open/a.pdf", "shut"}
        with pytest.raises(StoreFailed, match="shut cannot be reached"):
            place.copy("shut", io.BytesIO())

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
        with pytest.raises(NotFound, match="no longer exists"):
            list(made.files())


@pytest.mark.parametrize(
    "where",
    [
        "ftp://host/in",
        "FTP://host/in",
        "file://host/in",
        "http://host",
        "s3://b/in?key=x",
        "memory://",
    ],
)
def test_another_url_is_refused(where: str) -> None:
    with pytest.raises(BadOption):
        open_place(where)


def test_an_empty_object_that_stands_for_a_folder_is_left_alone(s3_url: str) -> None:
    place, client = open_place(s3_url), boto(s3_url)
    for key in ("some/prefix/", "some/prefix/sub/"):
        client.put_object(Bucket=urlsplit(s3_url).netloc, Key=key)
    place.put("sub/a.pdf", b"x")
    assert set(stamps(place)) == {"sub/a.pdf"}


def test_an_object_whose_name_is_no_path_is_told(s3_url: str) -> None:
    client = boto(s3_url)
    client.put_object(
        Bucket=urlsplit(s3_url).netloc, Key="some/prefix/../../etc/a.pdf", Body=b"x"
    )
    with pytest.raises(StoreFailed, match="rename or remove it"):
        stamps(open_place(s3_url))


def boto(url: str) -> Any:
    (endpoint,) = parse_qs(urlsplit(url).query)["endpoint"]
    return boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")


def test_a_bucket_that_is_not_there_is_told(s3_url: str) -> None:
    with pytest.raises(StoreFailed, match="no bucket"):
        list(open_place(s3_url.replace("uploads-", "other-")).files())
