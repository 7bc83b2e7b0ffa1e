"""The copy that faults are put into: all that git lists, links as links."""

from __future__ import annotations

from pathlib import Path

from bench.corpus import PROJECT
from bench.scratch import _copy


def test_the_whole_tree_is_copied_with_its_links(tmp_path: Path) -> None:
    root = tmp_path / "main"
    _copy(root)
    tree = Path("deploy/helm/pagetide/tree/kubernetes")
    assert (root / tree).is_symlink()
    assert (root / tree).resolve() == (root / "deploy/kubernetes").resolve()
    for name in ("pyproject.toml", "deploy/helm/pagetide/Chart.yaml", "tests/run.py"):
        assert (root / name).read_bytes() == (PROJECT / name).read_bytes()
