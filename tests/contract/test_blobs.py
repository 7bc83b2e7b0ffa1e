"""What `ports.Blobs` promises, of every place that blobs are kept."""

from __future__ import annotations

import base64
import errno
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import httpx
import obstore
import pytest
from obstore.exceptions import GenericError

from pagetide.errors import BadOption, BlobMissing, DiskFull, StoreFailed
from pagetide.server.blobs import ObjectBlobs, open_blobs
from pagetide.server.ports import Blobs
from tests.parts.clouds import az_url as az_url
from tests.parts.clouds import gs_url as gs_url
from tests.parts.clouds import s3_url as s3_url

# Each place by the fixtures that give the URL of its uploads and that of its results.
PLACES = {
    "file": ("folder_url",),
    "memory": ("memory_url",),
    "s3": ("s3_url",),
    "az": ("az_url",),
    "gs": ("gs_url",),
    "s3 and az": ("s3_url", "az_url"),
    "file and memory": ("folder_url", "memory_url"),
}
LINKLESS = ("file", "memory", "file and memory")  # the API signs links to what is there
MIB = 1 << 20


@pytest.fixture
def folder_url(tmp_path: Path) -> str:
    return f"file://{tmp_path}/a%20folder"


@pytest.fixture
def memory_url() -> str:
    return "memory:"


@pytest.fixture(params=PLACES)
def blobs(request: pytest.FixtureRequest) -> Blobs:
    return open_blobs(*map(request.getfixturevalue, PLACES[request.param]))


@pytest.fixture
def folder(tmp_path: Path) -> Blobs:
    return ObjectBlobs.in_folder(tmp_path / "blobs")


def keys(blobs: Blobs, prefix: str) -> set[str]:
    return {blob.key for blob in blobs.under(prefix)}


def test_bytes_come_back(blobs: Blobs) -> None:
    put = blobs.put("jobs/1/input", b"some bytes")
    assert blobs.get("jobs/1/input") == b"some bytes"
    assert (put.key, put.bytes) == ("jobs/1/input", 10)
    assert blobs.find("jobs/1/input") == put
    assert abs(put.modified - time.time()) < 60


def test_a_later_put_takes_the_place_of_an_earlier_one(blobs: Blobs) -> None:
    before = blobs.put("jobs/1/input", b"first")
    after = blobs.put("jobs/1/input", b"second one", durable=True)
    assert blobs.get("jobs/1/input") == b"second one"
    assert before.etag and before.etag != after.etag


@pytest.mark.parametrize("sizes", [[], [0], [1, 0, 2], [3 * MIB] * 6])
def test_chunks_are_put_together(blobs: Blobs, sizes: list[int]) -> None:
    chunks = [bytes([number]) * size for number, size in enumerate(sizes)]
    assert blobs.put("jobs/1/raw", iter(chunks)).bytes == sum(sizes)
    assert blobs.get("jobs/1/raw") == b"".join(chunks)


@pytest.mark.parametrize("error", [KeyError("mine"), OSError("mine"), BlobMissing("mine")])
@pytest.mark.parametrize("size", [10, 11 * MIB])
def test_what_ends_the_chunks_leaves_the_earlier_blob(
    blobs: Blobs, error: Exception, size: int
) -> None:
    def broken() -> Iterator[bytes]:
        yield b"x" * size
        raise error

    blobs.put("jobs/1/raw", b"whole")
    with pytest.raises(type(error), match="mine") as raised:
        blobs.put("jobs/1/raw", broken())
    assert raised.value is error
    with pytest.raises(type(error), match="mine"):
        blobs.put("jobs/1/new", broken())
    assert blobs.get("jobs/1/raw") == b"whole"
    assert keys(blobs, "jobs/") == {"jobs/1/raw"}


def test_a_blob_is_not_there_before_it_is_whole(blobs: Blobs) -> None:
    def watched() -> Iterator[bytes]:
        for _ in range(4):
            yield b"x" * (3 * MIB)
            assert blobs.find("jobs/1/raw") is None
            assert keys(blobs, "jobs/") == set()

    blobs.put("jobs/1/raw", watched())
    assert keys(blobs, "jobs/") == {"jobs/1/raw"}


def test_chunks_may_be_made_of_other_blobs(blobs: Blobs) -> None:
    blobs.put("jobs/1/one", b"a" * 8 * MIB)

    def twice() -> Iterator[bytes]:
        yield from blobs.stream("jobs/1/one")
        yield blobs.get("jobs/1/one")

    assert blobs.put("jobs/1/two", twice()).bytes == 16 * MIB


def test_a_file_is_kept(blobs: Blobs, tmp_path: Path) -> None:
    path = tmp_path / "upload"
    path.write_bytes(b"%PDF" * 100_000)
    os.utime(path, (1000, 1000))
    put = blobs.put_file("jobs/1/input", path)
    assert blobs.get("jobs/1/input") == b"%PDF" * 100_000
    assert put.bytes == 400_000
    assert abs(put.modified - time.time()) < 60


def test_a_file_that_is_not_there_is_not_kept(blobs: Blobs, tmp_path: Path) -> None:
    with pytest.raises(StoreFailed):
        blobs.put_file("jobs/1/input", tmp_path / "nothing")
    assert blobs.find("jobs/1/input") is None


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, None, b"0123456789"),
        (3, None, b"3456789"),
        (3, 5, b"34"),
        (0, 1, b"0"),
        (8, 100, b"89"),
        (4, 4, b""),
        (10, None, b""),
        (50, 60, b""),
    ],
)
def test_a_part_is_streamed(blobs: Blobs, start: int, end: int | None, expected: bytes) -> None:
    blobs.put("jobs/1/input", b"0123456789")
    assert b"".join(blobs.stream("jobs/1/input", start, end)) == expected


def test_chunks_have_at_most_one_mebibyte(blobs: Blobs) -> None:
    content = bytes(range(256)) * 4096 * 5 + b"rest"
    blobs.put("jobs/1/input", content)
    for start in (0, 7):
        chunks = list(blobs.stream("jobs/1/input", start))
        assert b"".join(chunks) == content[start:]
        assert max(map(len, chunks)) <= MIB


def test_a_blob_is_lent_as_a_file(blobs: Blobs) -> None:
    blobs.put("jobs/1/input", b"x" * 3 * MIB)
    with blobs.local("jobs/1/input") as path:
        assert path.read_bytes() == b"x" * 3 * MIB
    assert blobs.get("jobs/1/input") == b"x" * 3 * MIB


def test_a_copy_is_a_blob_of_its_own(blobs: Blobs) -> None:
    first = blobs.put("jobs/1/input", b"same")
    blobs.copy("jobs/1/input", "jobs/2/input")
    copied = blobs.find("jobs/2/input")
    assert copied and copied.modified >= first.modified
    blobs.put("jobs/1/input", b"changed")
    blobs.delete("jobs/1/input")
    assert blobs.get("jobs/2/input") == b"same"


def test_an_upload_is_copied_to_a_result_and_back(blobs: Blobs) -> None:
    content = bytes(range(256)) * 4096 * 6 + b"rest"
    blobs.put("jobs/1/input", content)
    blobs.copy("jobs/1/input", "jobs/1/results/document.pdf")
    assert blobs.get("jobs/1/results/document.pdf") == content
    blobs.copy("jobs/1/results/document.pdf", "jobs/2/input")
    assert blobs.get("jobs/2/input") == content
    with pytest.raises(BlobMissing):
        blobs.copy("jobs/3/input", "jobs/1/results/document.pdf")
    assert blobs.get("jobs/1/results/document.pdf") == content


def test_what_is_missing_is_said_to_be(blobs: Blobs) -> None:
    blobs.put("jobs/1/input", b"")
    assert blobs.find("jobs/1/nothing") is None
    assert blobs.find("jobs/1") is None
    with pytest.raises(BlobMissing):
        blobs.get("jobs/1/nothing")
    with pytest.raises(BlobMissing):
        blobs.stream("jobs/1/nothing")
    with pytest.raises(BlobMissing):
        blobs.stream("jobs/1/nothing", 1, 2)
    with pytest.raises(BlobMissing), blobs.local("jobs/1/nothing"):
        pass
    with pytest.raises(BlobMissing):
        blobs.copy("jobs/1/nothing", "jobs/2/nothing")
    blobs.delete("jobs/1/nothing")
    assert keys(blobs, "jobs/") == {"jobs/1/input"}


def test_blobs_are_listed_by_whole_parts_of_their_keys(blobs: Blobs) -> None:
    for key in ("jobs/1/input", "jobs/1/pages/1-a.jsonl", "jobs/12/input", "other/1"):
        blobs.put(key, b"x")
    assert keys(blobs, "jobs/1/") == {"jobs/1/input", "jobs/1/pages/1-a.jsonl"}
    assert keys(blobs, "jobs/") == keys(blobs, "jobs/1/") | {"jobs/12/input"}
    assert keys(blobs, "nothing/") == set()


def test_all_under_a_prefix_is_removed(blobs: Blobs) -> None:
    for number in range(120):
        blobs.put(f"jobs/1/pages/{number}", b"x")
    blobs.put("jobs/1/input", b"x")
    blobs.put("jobs/12/input", b"x")
    assert blobs.delete_under("jobs/1/") == 121
    assert blobs.delete_under("jobs/1/") == 0
    assert keys(blobs, "jobs/") == {"jobs/12/input"}
    blobs.put("jobs/1/input", b"again")
    assert blobs.get("jobs/1/input") == b"again"


def test_one_blob_is_removed(blobs: Blobs) -> None:
    blobs.put("jobs/1/input", b"x")
    blobs.put("jobs/1/other", b"x")
    blobs.delete("jobs/1/input")
    assert keys(blobs, "jobs/") == {"jobs/1/other"}


@pytest.mark.parametrize(
    "key",
    [
        "",
        "/etc/passwd",
        "jobs/../../x",
        "..",
        ".",
        "jobs/./x",
        "jobs//x",
        "jobs/x/",
        "jobs/x#1",
        "jobs/a b",
        "jobs/x\n",
        "jobs/\0",
        "jobs\\x",
        "jobs/é",
    ],
)
def test_a_key_that_leads_elsewhere_is_refused(blobs: Blobs, tmp_path: Path, key: str) -> None:
    blobs.put("jobs/1/input", b"x")
    attempts: list[Callable[[], object]] = [
        lambda: blobs.put(key, b"x"),
        lambda: blobs.put_file(key, tmp_path),
        lambda: blobs.find(key),
        lambda: blobs.get(key),
        lambda: blobs.stream(key),
        lambda: blobs.local(key).__enter__(),
        lambda: blobs.copy(key, "jobs/2/input"),
        lambda: blobs.copy("jobs/1/input", key),
        lambda: blobs.delete(key),
        lambda: list(blobs.under(f"{key}/")),
        lambda: blobs.delete_under(f"{key}/"),
        lambda: blobs.link(key, expires_s=60, name="a", media_type="text/html"),
    ]
    for attempt in attempts:
        with pytest.raises(ValueError):
            attempt()


def test_a_prefix_ends_in_a_slash(blobs: Blobs) -> None:
    with pytest.raises(ValueError):
        blobs.delete_under("jobs/1")
    with pytest.raises(ValueError):
        list(blobs.under("jobs"))


def test_a_link_opens_its_blob_as_a_file_of_its_type(
    blobs: Blobs, request: pytest.FixtureRequest
) -> None:
    key = "jobs/1/results/document.html"
    blobs.put(key, iter([b"<script>", b"</script>"]))
    link = blobs.link(key, expires_s=600, name="scan.html", media_type="text/html")
    assert (link is None) == (request.node.callspec.params["blobs"] in LINKLESS)
    if link is not None:
        opened = httpx.get(link, timeout=60)
        assert (opened.status_code, opened.content) == (200, b"<script></script>")
        assert opened.headers["Content-Type"] == "text/html"
        assert opened.headers["Content-Disposition"].startswith("attachment;")


def test_a_form_puts_a_document_past_the_api(
    blobs: Blobs, request: pytest.FixtureRequest
) -> None:
    key = "jobs/up_1/input"
    form = blobs.post_form(key, expires_s=600, most_bytes=9)
    assert (form is not None) == request.node.callspec.params["blobs"].startswith("s3")
    if form is None:
        return
    files = {"file": b"some bytes"}
    sent = httpx.post(form.url, data=dict(form.fields), files=files, timeout=60)
    assert sent.is_success
    assert blobs.get(key) == b"some bytes"  # Moto heeds no policy; what S3 goes by is this
    policy = json.loads(base64.b64decode(form.fields["policy"]))
    until = datetime.fromisoformat(policy["expiration"]).timestamp()
    assert 0 < until - time.time() <= 600
    assert ["content-length-range", 1, 9] in policy["conditions"]
    keys_allowed = [one["key"] for one in policy["conditions"] if "key" in one]
    assert keys_allowed == [f"some/prefix/{key}"]
    signed = {name for one in policy["conditions"] for name in one if isinstance(one, dict)}
    assert signed >= form.fields.keys() - {"policy", "x-amz-signature"}


def test_no_link_says_another_type_than_it_serves(blobs: Blobs) -> None:
    for key, media_type in (("a/b.html", "text/plain"), ("jobs/1/input", "application/pdf")):
        blobs.put(key, b"x")
        assert blobs.link(key, expires_s=60, name="a", media_type=media_type) is None


def test_a_full_store_is_told_from_a_broken_one(
    blobs: Blobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(text: str) -> Callable[..., object]:
        def put(*_: object, **__: object) -> object:
            raise GenericError(text)

        return put

    full = "Generic LocalFileSystem error: No space left on device (os error 28)"
    monkeypatch.setattr(obstore, "put", failing(full))
    with pytest.raises(DiskFull):
        blobs.put("jobs/1/input", b"x")
    monkeypatch.setattr(obstore, "put", failing("SECRET (os error 5)"))
    with pytest.raises(StoreFailed, match="Input/output error") as raised:
        blobs.put("jobs/1/input", b"x")
    assert "SECRET" not in raised.value.message


@pytest.mark.parametrize("url", ["", "ftp://host/x", "file://host/folder", "file:x", "/folder"])
def test_other_places_are_not_known(url: str) -> None:
    with pytest.raises(BadOption, match="file:///FOLDER"):
        open_blobs(url)


# What a folder adds


def test_a_folder_is_its_users_alone(tmp_path: Path) -> None:
    open_blobs(f"file://{tmp_path}/deep/blobs")
    assert (tmp_path / "deep" / "blobs").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_cannot_be_made_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(b"")
    with pytest.raises(StoreFailed):
        open_blobs(f"file://{tmp_path}/taken")


def test_a_file_is_moved_not_copied(folder: Blobs, tmp_path: Path) -> None:
    path = tmp_path / "upload"
    path.write_bytes(b"x")
    before = path.stat().st_ino
    folder.put_file("jobs/1/input", path)
    assert not path.exists()
    with folder.local("jobs/1/input") as there:
        assert there.stat().st_ino == before


def test_a_file_from_another_file_system_is_kept(folder: Blobs) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as elsewhere:
        path = Path(elsewhere, "upload")
        path.write_bytes(b"x" * MIB)
        folder.put_file("jobs/1/input", path)
        assert not path.exists()
    assert folder.get("jobs/1/input") == b"x" * MIB
    assert keys(folder, "jobs/") == {"jobs/1/input"}


def keep_file(blobs: Blobs, path: Path) -> None:
    blobs.put_file("jobs/1/input", path)


def keep_bytes(blobs: Blobs, path: Path) -> None:
    blobs.put("jobs/1/input", path.read_bytes(), durable=True)


def keep_copy(blobs: Blobs, path: Path) -> None:
    blobs.put("jobs/2/input", path.read_bytes())
    blobs.copy("jobs/2/input", "jobs/1/input")


@pytest.mark.parametrize("keep", [keep_file, keep_bytes, keep_copy])
def test_what_must_outlive_a_power_cut_is_on_disk(
    folder: Blobs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    keep: Callable[[Blobs, Path], None],
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.fstat(file).st_ino))
    path = tmp_path / "upload"
    path.write_bytes(b"x")
    keep(folder, path)
    root = tmp_path / "blobs"
    way = [root, root / "jobs", root / "jobs/1", root / "jobs/1/input"]
    assert {place.stat().st_ino for place in way} <= set(synced)
    assert synced[-1] == root.stat().st_ino


def test_a_copy_that_finds_no_room_leaves_nothing(
    folder: Blobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    folder.put("jobs/1/input", b"x")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull):
        folder.copy("jobs/1/input", "jobs/2/input")
    assert [path for path in (tmp_path / "blobs/jobs/2").iterdir()] == []


def test_no_empty_folder_and_no_broken_upload_stays(folder: Blobs, tmp_path: Path) -> None:
    folder.put("jobs/1/pages/1", b"x")
    broken = tmp_path / "blobs/jobs/1/results/document.json#1"  # a writer was killed
    broken.parent.mkdir()
    broken.write_bytes(b"half")
    assert keys(folder, "jobs/") == {"jobs/1/pages/1"}
    assert folder.delete_under("jobs/1/") == 1
    assert list((tmp_path / "blobs").rglob("*")) == [tmp_path / "blobs/jobs"]


def test_a_blob_is_lent_in_place(folder: Blobs, tmp_path: Path) -> None:
    folder.put("jobs/1/input", b"x")
    with folder.local("jobs/1/input") as path:
        assert path == tmp_path / "blobs/jobs/1/input"


def test_a_folder_that_goes_while_it_is_made_is_made_again(
    folder: Blobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes, mkdir = ["1"], os.mkdir

    def vanishing(path: Path, mode: int = 0o777) -> None:
        if goes and path.name == goes[0]:
            goes.pop()
            raise FileExistsError(errno.EEXIST, "it was there")
        mkdir(path, mode)

    (tmp_path / "upload").write_bytes(b"file")
    (tmp_path / "blobs/jobs").mkdir()
    monkeypatch.setattr(os, "mkdir", vanishing)
    assert folder.put_file("jobs/1/input", tmp_path / "upload").bytes == 4
    assert goes == []


def test_putting_does_not_mind_what_is_erased_just_then(folder: Blobs, tmp_path: Path) -> None:
    rounds = 50
    puts_begun = threading.Semaphore(0)

    def erase() -> None:
        for _ in range(2 * rounds):
            puts_begun.acquire()
            folder.delete_under("jobs/1/")

    erasing = threading.Thread(target=erase, daemon=True)
    erasing.start()
    path = tmp_path / "upload"
    for number in range(rounds):
        path.write_bytes(b"file")
        puts_begun.release()
        assert folder.put("jobs/1/pages/1", b"page", durable=number % 2 == 0).bytes == 4
        puts_begun.release()
        assert folder.put_file("jobs/1/input", path).bytes == 4
    erasing.join()
