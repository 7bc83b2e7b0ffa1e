"""Pin third-party images by digest: python deploy/images/digests.py [FOLDER].

A tag can be moved to another image, a digest cannot. Every image in the files of deploy/ that
is named only by its tag is looked up at its registry, and the digest is appended to the tag,
wherever it occurs: `docker.io/library/redis:7.4.5@sha256:...`. `unresolved.txt` beside this
file names those without a digest; found ones are removed from it. It needs a connection to
the registries, and nothing else does.
"""

import json
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from email.message import Message
from pathlib import Path

IMAGE = re.compile(
    r"\b((?:docker\.io|quay\.io|ghcr\.io|mcr\.microsoft\.com)/[\w./-]+:[\w.-]+)(@sha256:[0-9a-f]{64})?"
)
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
FILES = ("*.Dockerfile", "*.yaml", "*.json")
UNRESOLVED = "images/unresolved.txt"
# An index of all platforms first: the digest of one platform's image would run only there.
KINDS = (
    "application/vnd.oci.image.index.v1+json, "
    "application/vnd.docker.distribution.manifest.list.v2+json, "
    "application/vnd.oci.image.manifest.v1+json, "
    "application/vnd.docker.distribution.manifest.v2+json"
)
HOSTS = {"docker.io": "https://registry-1.docker.io"}
WITHIN_S = 30.0


def files(folder: Path) -> Iterator[Path]:
    """The files that name images."""
    for pattern in FILES:
        yield from sorted(folder.rglob(pattern))


def images(folder: Path) -> dict[str, set[str]]:
    """Third-party images by name and tag, each with its digests; an empty one for none."""
    found: dict[str, set[str]] = {}
    for path in files(folder):
        for name, digest in IMAGE.findall(path.read_text()):
            found.setdefault(name, set()).add(digest)
    return found


def unresolved(folder: Path) -> list[str]:
    """The images known to have no digest yet."""
    lines = (folder / UNRESOLVED).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def digest(name: str) -> str:
    """The digest that an image's registry reports for its tag. Raises OSError."""
    host, _, rest = name.partition("/")
    repository, _, tag = rest.partition(":")
    url = f"{HOSTS.get(host, f'https://{host}')}/v2/{repository}/manifests/{tag}"
    headers = {"Accept": KINDS}
    try:
        answer = _asked(url, headers)
    except urllib.error.HTTPError as error:
        if error.code != 401:
            raise
        token = _token(error.headers.get("WWW-Authenticate", ""))
        answer = _asked(url, headers | {"Authorization": f"Bearer {token}"})
    said = str(answer.get("Docker-Content-Digest", ""))
    if not DIGEST.fullmatch(said):
        raise OSError(f"{host} names no digest of {name}")
    return said


def pin(folder: Path, look_up: Callable[[str], str] = digest) -> list[str]:
    """Write digests behind the images that have none; returns those that were not found."""
    found, failed = dict[str, str](), list[str]()
    for name, digests in images(folder).items():
        if "" in digests:
            try:
                found[name] = look_up(name)
            except OSError as error:
                sys.stderr.write(f"{name}: {error}\n")
                failed.append(name)
    for path in files(folder):
        text = path.read_text()
        written = IMAGE.sub(lambda image: _with_digest(image, found), text)
        if written != text:
            path.write_text(written)
    listed = folder / UNRESOLVED
    lines = [line for line in listed.read_text().splitlines() if line not in found]
    listed.write_text("".join(f"{line}\n" for line in lines))
    return failed


def _with_digest(image: re.Match[str], found: dict[str, str]) -> str:
    name, pinned = image.groups()
    return image[0] if pinned or name not in found else f"{name}@{found[name]}"


def _asked(url: str, headers: dict[str, str]) -> Message:
    """The headers of the answer."""
    asking = urllib.request.Request(url, headers=headers, method="HEAD")  # noqa: S310
    with urllib.request.urlopen(asking, timeout=WITHIN_S) as answer:  # noqa: S310
        told: Message = answer.headers
    return told


def _token(challenge: str) -> str:
    """The token that lets anybody read, from where the registry says."""
    told = dict(re.findall(r'(\w+)="([^"]*)"', challenge))
    realm, scope = told.get("realm", ""), told.get("scope", "")
    if not realm.startswith(("https://", "http://127.0.0.1:")):
        raise OSError("the registry asks for a login that is not understood")
    url = f"{realm}?service={told.get('service', '')}&scope={scope}"
    with urllib.request.urlopen(url, timeout=WITHIN_S) as answer:  # noqa: S310
        return str(json.load(answer)["token"])


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    sys.exit(1 if pin(place) else 0)
