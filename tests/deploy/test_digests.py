"""Other people's images: each has a digest, or is named as one that has none yet."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.deploy.test_images import program
from tests.loopback import answering, loopback

DEPLOY = Path(__file__).parents[2] / "deploy"
DIGEST = "sha256:" + "ab" * 32
REDIS = "docker.io/library/redis:7.4.5-bookworm"

digests = program("digests")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DEPLOY, tmp_path / "deploy"))


def test_each_is_pinned_or_named_as_not_yet() -> None:
    found = digests.images(DEPLOY)
    assert REDIS in found
    assert all(len(each) == 1 for each in found.values()), "two digests of one tag"
    assert sorted(name for name, each in found.items() if each == {""}) == digests.unresolved(
        DEPLOY
    )


def test_what_is_looked_up_is_pinned_wherever_it_stands(copy: Path) -> None:
    assert digests.pin(copy, lambda _: DIGEST) == []
    assert digests.unresolved(copy) == []
    assert all(each == {f"@{DIGEST}"} for each in digests.images(copy).values())
    compose = (copy / "compose" / "compose.yaml").read_text()
    assert f"image: ${{REDIS_IMAGE:-{REDIS}@{DIGEST}}}" in compose
    dockerfile = (copy / "images" / "api.Dockerfile").read_text()
    assert f"ARG BASE=docker.io/library/python:3.11.13-slim-bookworm@{DIGEST}\n" in dockerfile
    assert digests.pin(copy, lambda _: pytest.fail("all are pinned")) == []


def test_what_cannot_be_looked_up_stays_as_it_is(copy: Path) -> None:
    def look_up(name: str) -> str:
        if name == REDIS:
            raise OSError("no connection")
        return DIGEST

    assert digests.pin(copy, look_up) == [REDIS]
    assert digests.unresolved(copy) == [REDIS]
    assert digests.images(copy)[REDIS] == {""}


def test_a_registry_is_asked_as_it_wants_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    with loopback() as registry:
        url = f"http://127.0.0.1:{registry.port}"
        challenge = f'Bearer realm="{url}/token",service="here",scope="pull"'
        refusing = answering(status=401, headers={"WWW-Authenticate": challenge})
        telling = answering(headers={"Docker-Content-Digest": DIGEST})

        def manifest(handler: object) -> None:
            asked = registry.here.asked.headers
            known = asked.get("Authorization") == "Bearer abc"
            (telling if known else refusing)(handler)  # type: ignore[arg-type]

        registry.answers["/v2/library/redis/manifests/7.4.5-bookworm"] = manifest
        registry.answers["/token"] = answering(b'{"token": "abc"}')
        monkeypatch.setitem(digests.HOSTS, "docker.io", url)
        assert digests.digest(REDIS) == DIGEST
        registry.answers["/v2/library/redis/manifests/7.4.5-bookworm"] = answering()
        with pytest.raises(OSError, match="names no digest"):
            digests.digest(REDIS)
