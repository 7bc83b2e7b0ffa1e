"""Which tests of a parallel run stay together: those of a file, which share what it starts."""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling

# Files whose cases share only a server that all have: one process for each of a kind.
APART = ("tests/contract/test_queue.py", "tests/contract/test_store.py")
# Folders whose files share what each process would create again: the rendered manifests.
TOGETHER = ("tests/deploy/kubernetes/", "tests/deploy/helm/")


class ByFile(LoadScopeScheduling):  # type: ignore[misc]
    """Hands files to free processes, in their order."""

    def _split_scope(self, nodeid: str) -> str:
        file, _, name = nodeid.partition("::")
        if file in APART:
            return f"{file}[{name.rpartition('[')[2]}"
        return next((folder for folder in TOGETHER if file.startswith(folder)), file)
