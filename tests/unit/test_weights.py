"""The models' files: pulled from a folder, a mirror or a hub, kept whole, checked, found."""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.engines.models import Weights, fetching
from pagetide.engines.models.hub import HubSource
from pagetide.engines.models.manifest import MANIFEST, Manifest, ModelFile, decode, encode
from pagetide.engines.models.models_folder import ModelsFolder
from pagetide.engines.models.registry import Registry, registry
from pagetide.engines.models.sources import BrokenOff, Content, Unreachable
from pagetide.errors import (
    BadOption,
    CannotWrite,
    DiskFull,
    ModelNotPinned,
    ModelUnavailable,
    PagetideError,
)
from pagetide.settings import Settings
from tests.loopback import Answering, Loopback, answering, loopback, redirecting
from tests.waiting import until

NETWORK = bytes(range(256)) * 5000
WORDS = b"Global:\n  model_name: tide\n"
PIN = hashlib.sha256(NETWORK).hexdigest()
COMMIT = "0123456789abcdef0123456789abcdef01234567"
PINNED_AT = "/models/owner/repo/resolve/v1/onnx/tide.onnx"
FLOATING = "/owner/loose"
LISTED = f"/api/models{FLOATING}/revision/main"
LISTED_THEN = f"/api/models{FLOATING}/revision/{COMMIT}"


def known(sha256: str = PIN, size: int | None = None) -> Registry:
    """`tide` is pinned, `loose` is not, `whole` is all that its repository has."""
    pinned = {"path": "inference.onnx", "at": "onnx/tide.onnx", "sha256": sha256}
    return Registry.of(
        {
            "groups": {"both": ["tide", "loose"]},
            "model": [
                {
                    "name": "tide",
                    "purpose": "recognition",
                    "source": "modelscope:owner/repo",
                    "revision": "v1",
                    "files": [{**pinned, "size": size} if size else pinned],
                },
                {
                    "name": "loose",
                    "purpose": "layout",
                    "source": "huggingface:owner/loose",
                    "files": [{"path": "inference.onnx"}, {"path": "inference.yml"}],
                },
                {
                    "name": "whole",
                    "purpose": "charts",
                    "source": "huggingface:owner/loose",
                    "files": [],
                },
            ],
        }
    )


@dataclass
class Place:
    """A machine with its folder of models, and what it was told."""

    root: Path
    settings: Settings
    hub: HubSource
    registry: Registry
    lines: list[str] = field(default_factory=list)

    @property
    def weights(self) -> Weights:
        return Weights(self.settings, known=self.registry, hub=self.hub)

    def pull(self, name: str, **how: Any) -> Path:
        """What a test pulls it trusts, unless it says otherwise."""
        return self.weights.pull(name, self.lines.append, **{"trust": True, **how})

    def told(self, part: str) -> bool:
        return any(part in line for line in self.lines)


def ranged(body: bytes, breaks: list[int] | None = None) -> Answering:
    """Gives parts where asked to; breaks off after so many bytes, each number once."""
    left = breaks if breaks is not None else []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked = handler.headers.get("Range", "")
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        if start >= len(body) > 0:
            handler.send_response(416)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        handler.send_response(206 if asked else 200)
        if asked:
            handler.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        handler.send_header("Content-Length", str(len(body) - start))
        handler.end_headers()
        end = start + left.pop(0) if left else len(body)
        handler.wfile.write(body[start:end])
        if end < len(body):
            handler.wfile.flush()
            handler.close_connection = True

    return answer


def listing(**sizes: object) -> bytes:
    """What the hub says that the loose model's repository holds."""
    large = {"sha256": PIN, "size": len(NETWORK)} | sizes
    siblings = [
        {"rfilename": "inference.onnx", "size": 1, "lfs": large},
        {"rfilename": "inference.yml", "size": len(WORDS)},
        {"rfilename": "README.md", "size": 3},
    ]
    return msgspec.json.encode({"sha": COMMIT, "siblings": siblings})


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as state:
        state.answers[PINNED_AT] = ranged(NETWORK)
        state.answers[LISTED] = state.answers[LISTED_THEN] = answering(listing())
        state.answers[f"{FLOATING}/resolve/{COMMIT}/inference.onnx"] = ranged(NETWORK)
        state.answers[f"{FLOATING}/resolve/{COMMIT}/inference.yml"] = ranged(WORDS)
        yield state


@pytest.fixture
def place(tmp_path: Path, server: Loopback) -> Place:
    root = tmp_path / "models"
    here = f"http://127.0.0.1:{server.port}"
    hub = HubSource({"modelscope": f"{here}/models", "huggingface": here})
    return Place(root, Settings(models_dir=str(root)), hub, known())


def elsewhere(place: Place, **settings: Any) -> Place:
    """Another machine with the same hub, as these settings say."""
    root = place.root.with_name("elsewhere")
    return Place(
        root, replace(Settings(models_dir=str(root)), **settings), place.hub, place.registry
    )


def asked(server: Loopback, path: str = PINNED_AT) -> list[str | None]:
    """The ranges that a file was asked for."""
    return [one.headers.get("Range") for one in server.received if one.path == path]


class TestPull:
    def test_a_pinned_model_comes_from_the_hub_with_its_manifest(self, place: Place) -> None:
        folder = place.pull("tide")
        assert folder == place.root / "tide"
        assert sorted(path.name for path in folder.iterdir()) == ["inference.onnx", MANIFEST]
        assert (folder / "inference.onnx").read_bytes() == NETWORK
        manifest = decode((folder / MANIFEST).read_bytes(), "tide", "here")
        assert (manifest.revision, manifest.pinned) == ("v1", True)
        assert manifest.files == (
            ModelFile(path="inference.onnx", size=len(NETWORK), sha256=PIN),
        )
        assert not place.told("not pinned")
        assert place.weights.path("tide") == folder
        found = place.weights.need("tide")
        assert found.network == folder / "inference.onnx" and not found.bundled

    def test_what_is_here_is_not_fetched_again(self, place: Place, server: Loopback) -> None:
        place.pull("tide")
        place.pull("tide")
        assert len(asked(server)) == 1 and place.told("already here")
        place.pull("tide", again=True)
        assert len(asked(server)) == 2

    def test_what_is_not_pinned_says_so_and_is_recorded(self, place: Place) -> None:
        folder = place.pull("loose")
        assert place.told(f"not pinned: the hashes of the files (revision {COMMIT})")
        manifest = decode((folder / MANIFEST).read_bytes(), "loose", "here")
        assert (manifest.revision, manifest.pinned) == (COMMIT, False)
        assert manifest.sha256("inference.yml") == hashlib.sha256(WORDS).hexdigest()
        assert (folder / "inference.yml").read_bytes() == WORDS

    def test_what_is_not_pinned_needs_trust_the_first_time(self, place: Place) -> None:
        with pytest.raises(ModelNotPinned, match="--trust-first-use"):
            place.pull("loose", trust=False)
        assert place.weights.find("loose") is None
        assert list((place.root / ".part" / "loose").iterdir()) == []
        assert [one.trusted for one in place.weights.list() if one.name == "loose"] == [False]
        place.pull("loose")
        place.pull("loose", again=True, trust=False)  # it is on record now
        assert [one.trusted for one in place.weights.list() if one.name == "loose"] == [True]
        place.pull("tide", trust=False)
        assert [one.trusted for one in place.weights.list() if one.name == "tide"] == [False]

    def test_trust_is_given_once(self, place: Place, server: Loopback) -> None:
        """Another file than the one on record is refused, whatever is said."""
        place.pull("loose")
        (place.root / "loose" / "inference.yml").unlink()
        server.answers[f"{FLOATING}/resolve/{COMMIT}/inference.yml"] = ranged(WORDS.upper())
        for trust in (False, True):
            with pytest.raises(ModelUnavailable, match="is wrong: its SHA-256"):
                place.pull("loose", again=True, trust=trust)

    def test_a_model_without_a_list_is_all_that_its_repository_has(
        self, place: Place, tmp_path: Path
    ) -> None:
        folder = place.pull("whole")
        names = {"inference.onnx", "inference.yml", MANIFEST}
        assert {path.name for path in folder.iterdir()} == names
        bare = tmp_path / "bare" / "whole"
        bare.mkdir(parents=True)
        (bare / "model.safetensors").write_bytes(WORDS)
        other = elsewhere(place, models_mirror=f"file://{bare.parent}", offline=True)
        with pytest.raises(ModelUnavailable, match="does not have it"):
            other.pull("whole")
        other.pull("whole", folder=bare.parent)
        assert set(other.weights.need("whole").files) == {"model.safetensors"}

    def test_what_was_recorded_is_checked_from_then_on(
        self, place: Place, server: Loopback
    ) -> None:
        place.pull("loose")
        server.answers[LISTED] = answering(status=500)  # the newest is not asked for
        changed = WORDS.upper()
        server.answers[f"{FLOATING}/resolve/{COMMIT}/inference.yml"] = ranged(changed)
        with pytest.raises(ModelUnavailable, match="is wrong: its SHA-256"):
            place.pull("loose", again=True)
        assert (place.weights.path("loose") / "inference.yml").read_bytes() == WORDS

    def test_a_download_that_breaks_off_goes_on_where_it_was(
        self, place: Place, server: Loopback
    ) -> None:
        server.answers[PINNED_AT] = ranged(NETWORK, breaks=[300_000, 5, 400_000])
        place.pull("tide")
        assert asked(server) == [None, "bytes=300000-", "bytes=300005-", "bytes=700005-"]

    def test_a_pull_that_was_given_up_goes_on_at_the_next(
        self, place: Place, server: Loopback
    ) -> None:
        server.answers[PINNED_AT] = ranged(NETWORK, breaks=[300_000, *[0] * fetching.TRIES])
        with pytest.raises(ModelUnavailable, match=r"stopped after 300000"):
            place.pull("tide")
        with pytest.raises(ModelUnavailable, match="pagetide models pull tide"):
            place.weights.path("tide")
        server.received.clear()
        server.answers[PINNED_AT] = ranged(NETWORK)
        place.pull("tide")
        assert asked(server) == ["bytes=300000-"]

    def test_a_server_that_knows_no_ranges_starts_over(
        self, place: Place, server: Loopback
    ) -> None:
        part = place.root / ".part" / "tide"
        server.answers[PINNED_AT] = ranged(NETWORK, breaks=[300_000, *[0] * fetching.TRIES])
        with pytest.raises(ModelUnavailable):
            place.pull("tide")
        assert (part / "inference.onnx").stat().st_size == 300_000
        server.answers[PINNED_AT] = answering(NETWORK)
        place.pull("tide")
        assert not part.exists()

    @pytest.mark.parametrize("left", [b"x" * 1000, NETWORK + b"more", NETWORK])
    def test_what_lies_there_of_something_else_is_fetched_anew(
        self, place: Place, server: Loopback, left: bytes
    ) -> None:
        server.answers[PINNED_AT] = ranged(NETWORK, breaks=[10, *[0] * fetching.TRIES])
        with pytest.raises(ModelUnavailable):
            place.pull("tide")
        (place.root / ".part" / "tide" / "inference.onnx").write_bytes(left)
        server.answers[PINNED_AT] = ranged(NETWORK)
        place.pull("tide")
        assert place.weights.verify("tide") == ()

    def test_a_wrong_hash_is_refused_and_nothing_is_kept(
        self, place: Place, server: Loopback
    ) -> None:
        server.answers[PINNED_AT] = ranged(NETWORK[::-1])
        with pytest.raises(ModelUnavailable, match="its SHA-256 is"):
            place.pull("tide")
        assert place.weights.find("tide") is None
        assert not (place.root / ".part" / "tide" / "inference.onnx").exists()

    @pytest.mark.parametrize("told", [len(NETWORK) - 1, len(NETWORK) + 1])
    def test_a_hub_that_lies_about_a_size_is_refused(
        self, place: Place, server: Loopback, told: int
    ) -> None:
        server.answers[LISTED] = answering(listing(size=told))
        with pytest.raises(ModelUnavailable, match=r"sends more than|stopped after"):
            place.pull("loose")
        assert place.weights.find("loose") is None

    @pytest.mark.parametrize(
        "large", [{"size": -5}, {"size": 10**13}, {"sha256": "zz"}, {"sha256": "../../x"}]
    )
    def test_a_listing_with_what_cannot_be_is_refused(
        self, place: Place, server: Loopback, large: dict[str, object]
    ) -> None:
        server.answers[LISTED] = answering(listing(**large))
        with pytest.raises(ModelUnavailable, match="is refused"):
            place.pull("loose")

    def test_a_content_length_that_is_too_long_is_a_break(
        self, place: Place, server: Loopback
    ) -> None:
        server.answers[PINNED_AT] = answering(
            NETWORK, headers={"Connection": "close", "Content-Length": str(len(NETWORK) + 9)}
        )
        with pytest.raises(ModelUnavailable, match="stopped after"):
            place.pull("tide")

    @pytest.mark.parametrize(
        ("answer", "why"),
        [
            (answering(status=404), "does not give tide: onnx/tide.onnx: status 404"),
            (answering(status=503), "answers with status 503"),
            (answering(NETWORK, 206), "partial answer, but does not say which"),
            (
                answering(NETWORK, 206, {"Content-Range": "bytes 7-9/10"}),
                "omits a part of inference.onnx",
            ),
        ],
    )
    def test_a_hub_that_does_not_give_it_is_said(
        self, place: Place, server: Loopback, answer: Answering, why: str
    ) -> None:
        server.answers[PINNED_AT] = answer
        with pytest.raises(ModelUnavailable, match=why):
            place.pull("tide")

    def test_a_redirect_is_followed(self, place: Place, server: Loopback) -> None:
        server.answers[PINNED_AT] = redirecting("/elsewhere")
        server.answers["/elsewhere"] = ranged(NETWORK)
        place.pull("tide")
        assert place.weights.verify("tide") == ()

    @pytest.mark.parametrize(
        "body", [b"<html>", b"{}", msgspec.json.encode({"sha": "../..", "siblings": []})]
    )
    def test_a_listing_that_is_none_is_refused(
        self, place: Place, server: Loopback, body: bytes
    ) -> None:
        server.answers[LISTED] = answering(body)
        with pytest.raises(ModelUnavailable, match=r"cannot be read|no commit|has no"):
            place.pull("loose")

    def test_a_hub_that_is_not_there_is_said(self, place: Place) -> None:
        place.hub = HubSource({"modelscope": "http://127.0.0.1:1", "huggingface": ""})
        with pytest.raises(ModelUnavailable, match=r"127.0.0.1 cannot be reached"):
            place.pull("tide")

    def test_an_unknown_model_is_told_with_near_ones(self, place: Place) -> None:
        with pytest.raises(ModelUnavailable, match="did you mean tide"):
            place.pull("tyde")

    @pytest.mark.parametrize("name", ["", "../tide", "/etc", "a/b", ".part", "tide\n", "ä"])
    def test_a_name_that_is_none_is_refused(self, place: Place, name: str) -> None:
        with pytest.raises(ModelUnavailable, match="There is no model"):
            place.pull(name)
        assert not place.root.exists()

    def test_what_a_package_carries_can_be_had_without_it(
        self, place: Place, tmp_path: Path
    ) -> None:
        carried = replace_source(place.registry, "tide", "package:no_such_package")
        place.registry = carried
        with pytest.raises(ModelUnavailable, match="the package no_such_package"):
            place.weights.path("tide")
        with pytest.raises(ModelUnavailable, match="the hub does not have it"):
            place.pull("tide")
        (tmp_path / "inference.onnx").write_bytes(NETWORK)
        place.pull("tide", folder=tmp_path)
        assert place.weights.verify("tide") == ()


class TestTogether:
    def test_two_pulls_at_once_fetch_it_once(self, place: Place, server: Loopback) -> None:
        entered, go_on = threading.Event(), threading.Event()
        plain = ranged(NETWORK)

        def slow(handler: BaseHTTPRequestHandler) -> None:
            entered.set()
            go_on.wait(60)
            plain(handler)

        server.answers[PINNED_AT] = slow
        first = threading.Thread(target=place.pull, args=("tide",))
        first.start()
        assert entered.wait(60)
        second = threading.Thread(target=place.pull, args=("tide",))
        second.start()
        until(lambda: place.told("another process is fetching it"))
        go_on.set()
        first.join()
        second.join()
        assert len(asked(server)) == 1 and place.told("fetched by the other process")

    def test_a_full_disk_is_one_clear_error(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(ModelsFolder, "install", full)
        with pytest.raises(DiskFull, match="no space for the model"):
            place.pull("tide")
        assert place.weights.find("tide") is None

    def test_a_file_where_the_folder_should_be_is_said(self, place: Place) -> None:
        place.root.write_text("")
        with pytest.raises(CannotWrite, match="cannot be written"):
            place.pull("tide")

    def test_models_that_are_kept_nowhere_are_said(self) -> None:
        weights = Weights(Settings(cache_dir="off"), known=known())
        with pytest.raises(BadOption, match="PAGETIDE_MODELS_DIR"):
            weights.pull("tide", print)
        assert weights.find("tide") is None


class TestMirror:
    def test_what_came_from_the_hub_can_be_written_back_and_had_offline(
        self, place: Place, tmp_path: Path
    ) -> None:
        mirror = f"file://{tmp_path / 'mirror'}"
        place.settings = replace(place.settings, models_mirror=mirror, models_write_back=True)
        for name in ("tide", "loose"):
            place.pull(name)
        assert place.told("cannot be used: there is no such folder")
        assert place.told("written to the mirror")
        other = elsewhere(place, models_mirror=mirror, offline=True)
        other.hub = HubSource({})
        for name in ("tide", "loose"):
            other.pull(name, trust=False)  # the mirror has the hashes that came first
            assert other.weights.verify(name) == ()
        theirs = decode((other.root / "loose" / MANIFEST).read_bytes(), "loose", "there")
        assert theirs.revision == COMMIT

    def test_the_folder_of_models_is_itself_a_mirror(self, place: Place) -> None:
        place.pull("loose")
        other = elsewhere(place, models_mirror=f"file://{place.root}", offline=True)
        assert other.pull("loose") == other.root / "loose"

    def test_a_mirror_without_manifests_will_do_for_known_models(
        self, place: Place, tmp_path: Path
    ) -> None:
        kept = tmp_path / "mirror" / "loose"
        kept.mkdir(parents=True)
        (kept / "inference.onnx").write_bytes(NETWORK)
        (kept / "inference.yml").write_bytes(WORDS)
        other = elsewhere(place, models_mirror=f"file://{kept.parent}", offline=True)
        with pytest.raises(ModelNotPinned):
            other.pull("loose", trust=False)
        other.pull("loose")
        assert other.told("not pinned") and other.weights.verify("loose") == ()

    def test_a_model_of_ones_own_comes_by_its_manifest(
        self, place: Place, tmp_path: Path
    ) -> None:
        put(tmp_path / "mirror" / "mine", Manifest(name="mine", files=(file_of(NETWORK),)))
        other = elsewhere(place, models_mirror=f"file://{tmp_path / 'mirror'}", offline=True)
        other.pull("mine")
        assert [one.state for one in other.weights.list() if one.name == "mine"] == [
            "installed"
        ]

    def test_a_mirror_with_another_file_than_is_pinned_is_refused(
        self, place: Place, tmp_path: Path
    ) -> None:
        put(tmp_path / "mirror" / "tide", Manifest(name="tide", files=(file_of(b"evil"),)))
        other = elsewhere(place, models_mirror=f"file://{tmp_path / 'mirror'}")
        with pytest.raises(ModelUnavailable, match="instead of the known one"):
            other.pull("tide")

    def test_a_mirror_whose_file_is_not_its_manifests_is_refused(
        self, place: Place, tmp_path: Path
    ) -> None:
        folder = tmp_path / "mirror" / "mine"
        put(folder, Manifest(name="mine", files=(file_of(NETWORK),)))
        (folder / "inference.onnx").write_bytes(NETWORK[::-1])
        other = elsewhere(place, models_mirror=f"file://{folder.parent}")
        with pytest.raises(ModelUnavailable, match="is wrong: its SHA-256"):
            other.pull("mine")

    def test_a_mirror_that_cannot_be_asked_is_said_and_the_hub_is_asked(
        self, place: Place, tmp_path: Path
    ) -> None:
        place.settings = replace(place.settings, models_mirror=f"file://{tmp_path / 'none'}")
        place.pull("tide")
        assert place.told("cannot be used") and place.told("from the hub")

    def test_a_mirror_of_an_unknown_kind_is_refused(self, place: Place) -> None:
        place.settings = replace(place.settings, models_mirror="ftp://somewhere/models")
        with pytest.raises(BadOption, match="PAGETIDE_MODELS_MIRROR"):
            place.pull("tide")

    def test_a_mirror_that_takes_nothing_is_said_and_the_model_stays(
        self, place: Place, tmp_path: Path
    ) -> None:
        (tmp_path / "file").write_text("")
        place.settings = replace(
            place.settings, models_mirror=f"file://{tmp_path / 'file' / 'mirror'}"
        )
        with pytest.raises(CannotWrite, match="tide is installed, but"):
            place.pull("tide", write_back=True)
        assert place.weights.find("tide")


class Bucket(BaseHTTPRequestHandler):
    """As much of S3 as a mirror needs: objects are put, and given whole or from a byte on."""

    objects: ClassVar[dict[str, bytes]] = {}

    def do_PUT(self) -> None:
        self.objects[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(200, b"")

    def do_GET(self) -> None:
        found = self.objects.get(self.path)
        if found is None:
            self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
            return
        asked = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
        start = int(asked[0])
        whole = start == 0 and "Range" not in self.headers
        self.answer(200 if whole else 206, found[start:], start, len(found))

    do_HEAD = do_GET

    def answer(self, status: int, body: bytes, start: int = 0, size: int = 0) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", "Sat, 21 Nov 2026 12:00:00 GMT")
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bytes]]:
    """What lies in a bucket that s3:// leads to."""
    Bucket.objects.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Bucket) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.01,))
        serving.start()
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_address[1]}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "harbour",
            "AWS_SECRET_ACCESS_KEY": "tide",
            "AWS_REGION": "eu-west-1",
        }.items():
            monkeypatch.setenv(name, value)
        yield Bucket.objects
        server.shutdown()
        serving.join()


def test_a_bucket_is_a_mirror(place: Place, bucket: dict[str, bytes]) -> None:
    place.settings = replace(place.settings, models_mirror="s3://shelf/all/models")
    place.pull("loose", write_back=True)
    assert set(bucket) == {
        f"/shelf/all/models/loose/{name}"
        for name in ("inference.onnx", "inference.yml", MANIFEST)
    }
    other = elsewhere(place, models_mirror="s3://shelf/all/models", offline=True)
    other.pull("loose")
    assert other.weights.verify("loose") == ()
    with pytest.raises(ModelUnavailable, match="s3://shelf/all/models does not have it"):
        other.pull("tide")
    assert "harbour" not in "".join(place.lines + other.lines)


def test_a_bucket_that_refuses_is_said(
    place: Place, bucket: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Bucket, "do_HEAD", lambda self: self.answer(403, b""))
    other = elsewhere(place, models_mirror="s3://shelf/models", offline=True)
    with pytest.raises(ModelUnavailable, match="the mirror s3://shelf/models"):
        other.pull("tide")
    assert other.told("cannot be used")


class TestFolder:
    @pytest.mark.parametrize("where", ["", "tide"])
    @pytest.mark.parametrize("called", ["inference.onnx", "tide.onnx"])
    def test_a_file_that_the_user_has_is_taken(
        self, place: Place, tmp_path: Path, where: str, called: str
    ) -> None:
        given = tmp_path / "given"
        (given / where).mkdir(parents=True)
        (given / where / called).write_bytes(NETWORK)
        other = elsewhere(place, offline=True)
        other.pull("tide", folder=given)
        assert other.weights.verify("tide") == ()

    def test_a_model_of_ones_own_needs_no_manifest(self, place: Place, tmp_path: Path) -> None:
        given = tmp_path / "given" / "mine"
        given.mkdir(parents=True)
        (given / "inference.onnx").write_bytes(NETWORK)
        (given / "inference.yml").write_bytes(WORDS)
        with pytest.raises(ModelNotPinned, match="no hash of its inference"):
            place.pull("mine", folder=given.parent, trust=False)
        place.pull("mine", folder=given.parent)
        other = elsewhere(place)
        other.pull("mine", folder=given)
        again = elsewhere(place, models_dir=str(tmp_path / "third"))
        again.pull("mine", folder=place.root / "mine", trust=False)  # it has a manifest
        assert again.weights.verify("mine") == other.weights.verify("mine") == ()
        assert place.told("not pinned")
        assert set(place.weights.need("mine").files) == {"inference.onnx", "inference.yml"}

    def test_a_wrong_file_is_refused(self, place: Place, tmp_path: Path) -> None:
        (tmp_path / "inference.onnx").write_bytes(b"not it")
        with pytest.raises(ModelUnavailable, match="is wrong: its SHA-256"):
            place.pull("tide", folder=tmp_path)

    def test_a_folder_without_it_passes_on_to_the_hub(
        self, place: Place, tmp_path: Path
    ) -> None:
        place.pull("tide", folder=tmp_path)
        assert place.told("from the hub")


class TestOffline:
    def test_with_nothing_local_it_is_one_clear_error(
        self, place: Place, server: Loopback
    ) -> None:
        other = elsewhere(place, offline=True)
        with pytest.raises(ModelUnavailable) as caught:
            other.pull("tide")
        assert caught.value.message == (
            "tide was not pulled: PAGETIDE_OFFLINE forbids access to the hub."
        )
        with pytest.raises(ModelUnavailable, match="run `pagetide models pull tide`"):
            other.weights.path("tide")
        assert server.received == []


class TestVerify:
    def test_a_changed_file_is_found(self, place: Place) -> None:
        folder = place.pull("tide")
        (folder / "inference.onnx").write_bytes(NETWORK[::-1])
        (fault,) = place.weights.verify("tide")
        assert fault.endswith(f"not {PIN}")

    def test_a_manifest_that_was_changed_too_does_not_hide_it(self, place: Place) -> None:
        folder = place.pull("tide")
        put(folder, Manifest(name="tide", files=(file_of(b"evil"),)))
        assert place.weights.verify("tide")[0].endswith("does not match its manifest")
        put(folder, Manifest(name="tide", files=(file_of(NETWORK[::-1]),)), NETWORK[::-1])
        assert place.weights.verify("tide")[0].endswith(f"not {PIN}")

    def test_a_model_that_is_not_here_is_said(self, place: Place) -> None:
        with pytest.raises(ModelUnavailable, match="pagetide models pull"):
            place.weights.verify("tide")

    def test_the_bundled_models_are_as_the_registry_says(self) -> None:
        weights = Weights(Settings(cache_dir="off"))
        bundled = [one.name for one in weights.list() if one.state == "bundled"]
        assert {"PP-OCRv6_small_det", "PP-OCRv6_small_rec", "layout_cdla"} <= set(bundled)
        for name in bundled:
            assert weights.verify(name) == ()
            assert weights.path(name).suffix == ".onnx"


class TestWhole:
    def test_a_half_copied_folder_does_not_count(self, place: Place) -> None:
        folder = place.pull("loose")
        os.truncate(folder / "inference.onnx", 100)
        assert place.weights.find("loose") is None
        (folder / "inference.onnx").unlink()
        assert place.weights.find("loose") is None

    def test_a_folder_without_a_manifest_does_not_count(self, place: Place) -> None:
        folder = place.pull("tide")
        (folder / MANIFEST).unlink()
        with pytest.raises(ModelUnavailable, match="is not installed"):
            place.weights.path("tide")
        place.pull("tide")
        assert place.weights.find("tide")

    def test_a_damaged_manifest_is_said_and_pulled_anew(self, place: Place) -> None:
        (place.pull("tide") / MANIFEST).write_text("{")
        with pytest.raises(ModelUnavailable, match="manifest of tide"):
            place.weights.path("tide")
        states = {one.name: one.state for one in place.weights.list()}
        assert states == {"tide": "damaged", "loose": "missing", "whole": "missing"}
        place.pull("tide")
        assert place.weights.verify("tide") == ()

    @pytest.mark.parametrize(
        "path",
        ["../x", "/etc/passwd", "a/../../x", "a//b", "", ".hidden", "a\\b", "x" * 300, "a\0"],
    )
    def test_a_path_that_leaves_the_folder_is_refused(self, path: str, place: Place) -> None:
        content = encode(Manifest(name="evil", files=(ModelFile(path=path),)))
        with pytest.raises(ModelUnavailable, match="is not a path"):
            decode(content, "evil", "there")

    @pytest.mark.parametrize(
        "files",
        [
            (),
            tuple(ModelFile(path=f"f{i}") for i in range(300)),
            (ModelFile(path="a"), ModelFile(path="A")),
            (ModelFile(path="a", size=-1),),
            (ModelFile(path="a", size=10**13),),
            (ModelFile(path="a", sha256="zz"),),
            (ModelFile(path="a", at="../../a"),),
            (ModelFile(path=MANIFEST),),
        ],
    )
    def test_a_hostile_manifest_is_refused(self, files: tuple[ModelFile, ...]) -> None:
        with pytest.raises(ModelUnavailable, match="is refused"):
            decode(encode(Manifest(name="evil", files=files)), "evil", "there")

    def test_a_manifest_of_another_model_is_refused(self) -> None:
        content = encode(Manifest(name="one", files=(file_of(b""),)))
        with pytest.raises(ModelUnavailable, match="for another model"):
            decode(content, "other", "there")

    @given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
    def test_any_bytes_are_a_manifest_or_an_error_of_ours(self, content: bytes) -> None:
        try:
            decode(content, "tide", "there")
        except PagetideError as error:
            assert error.message.endswith(".")


@dataclass
class Faltering:
    """A source that breaks off as it is told, and begins again where it likes."""

    body: bytes
    breaks: list[int]
    backs: list[int]
    name: str = "a poor line"
    own: bool = False

    def offer(self, name: str, known: object) -> None:
        return None

    def open(self, offer: Manifest, file: ModelFile, start: int) -> Content:
        begins = max(0, start - (self.backs.pop() if self.backs else 0))
        return Content(begins, self.chunks(begins))

    def chunks(self, begins: int) -> Iterator[bytes]:
        end = begins + self.breaks.pop() if self.breaks else len(self.body)
        for at in range(begins, min(end, len(self.body)), 7):
            yield self.body[at : min(at + 7, end)]
        if end < len(self.body):
            raise BrokenOff


@given(
    st.binary(max_size=400),
    st.lists(st.integers(0, 90), max_size=9),
    st.lists(st.integers(0, 30), max_size=9),
    st.booleans(),
    st.booleans(),
)
def test_a_file_is_fetched_whole_or_not_at_all(
    body: bytes, breaks: list[int], backs: list[int], sized: bool, hashed: bool
) -> None:
    offer = Manifest(name="tide", files=(ModelFile(path="f"),))
    sha256 = hashlib.sha256(body).hexdigest()
    wanted = fetching.FileRequest(
        offer.files[0], len(body) if sized else None, sha256 if hashed else None
    )
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "f"
        try:
            got = fetching.fetch(Faltering(body, [*breaks], [*backs]), offer, wanted, into)
        except Unreachable:
            assert len(breaks) >= fetching.TRIES
        else:
            assert got == ModelFile(path="f", size=len(body), sha256=sha256)
            assert into.read_bytes() == body


class TestRegistry:
    def test_what_pp_structurev3_needs_is_its_group(self) -> None:
        from pagetide.engines.paddle import networks_of
        from pagetide.engines.paddle.options import STRUCTUREV3

        needed = set(networks_of(STRUCTUREV3, "", "auto").values())
        assert needed == set(registry().groups["pp-structurev3"])
        everything = "".join(
            f"use_{what}_recognition=true&" for what in ("seal", "formula", "chart")
        )
        more = "use_doc_unwarping=true&use_textline_orientation=true"
        for language in ("auto", "ko", "ru", "hi"):
            asked = networks_of(STRUCTUREV3, everything + more, language)
            assert set(asked.values()) <= set(registry().models)

    def test_every_entry_is_sound(self) -> None:
        for name, one in registry().models.items():
            manifest = Manifest(name=name, files=one.files)
            assert not one.files or decode(encode(manifest), name, "here") == manifest
            assert one.source.split(":")[0] in ("package", "modelscope", "huggingface")
            assert one.bundled or one.pinned == one.source.startswith("modelscope")
            assert not one.pinned or one.revision

    def test_groups_name_models(self) -> None:
        listed = registry()
        named = {name for names in listed.groups.values() for name in names}
        assert named <= set(listed.models)
        assert Weights(Settings(), known=known()).names_of("both") == ("tide", "loose")


def replace_source(listed: Registry, name: str, source: str) -> Registry:
    """The registry with another source of a model."""
    moved = msgspec.structs.replace(listed.models[name], source=source)
    return msgspec.structs.replace(listed, models={**listed.models, name: moved})


def file_of(content: bytes, path: str = "inference.onnx") -> ModelFile:
    return ModelFile(path=path, size=len(NETWORK), sha256=hashlib.sha256(content).hexdigest())


def put(folder: Path, manifest: Manifest, network: bytes = NETWORK) -> None:
    """A model in a folder, by a manifest that may lie."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "inference.onnx").write_bytes(network)
    (folder / MANIFEST).write_bytes(encode(manifest))
