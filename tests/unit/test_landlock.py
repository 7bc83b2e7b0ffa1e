"""Packages that an installer linked in can be loaded; a link of a package's to elsewhere opens
nothing."""

from __future__ import annotations

from pathlib import Path

from pagetide.inputs.confinement.landlock import linked


def test_a_package_linked_as_a_whole_is_followed(tmp_path: Path) -> None:
    real, site = _two(tmp_path)
    (real / "pkg").mkdir()
    (site / "pkg").symlink_to(real / "pkg")
    (real / "one.py").touch()
    (site / "one.py").symlink_to(real / "one.py")
    assert set(linked(str(site))) == {str(real / "pkg"), str(real / "one.py")}


def test_a_package_linked_file_by_file_is_followed(tmp_path: Path) -> None:
    real, site = _two(tmp_path)
    (real / "pkg").mkdir()
    (site / "pkg").mkdir()
    (real / "pkg" / "a.py").touch()
    (site / "pkg" / "a.py").symlink_to(real / "pkg" / "a.py")
    assert set(linked(str(site))) == {str(real / "pkg")}


def test_another_link_of_a_package_opens_nothing(tmp_path: Path) -> None:
    real, site = _two(tmp_path)
    (site / "pkg").mkdir()
    (real / "keys.json").touch()
    (site / "pkg" / "settings.json").symlink_to(real / "keys.json")
    assert set(linked(str(site))) == set()


def test_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert list(linked(str(tmp_path / "gone"))) == []


def _two(folder: Path) -> tuple[Path, Path]:
    real, site = folder / "cache", folder / "site-packages"
    real.mkdir()
    site.mkdir()
    return real, site
