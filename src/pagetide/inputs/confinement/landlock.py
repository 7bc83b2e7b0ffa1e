"""Landlock: a child may read only the files of Python and its libraries, and fonts.

A document reaches it as an open descriptor, so it needs no right to any path.
"""

from __future__ import annotations

import ctypes
import os
import sys
import sysconfig
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from pagetide.inputs.confinement.libc import syscall

# The same numbers on every machine.
_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
# The rights that each version of Landlock added and can remove.
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
_TCP_SINCE, _TCP = 4, 0b11  # to bind and to connect
_SCOPES_SINCE, _SCOPES = 6, 0b11  # abstract Unix sockets and signals, outside
# Libraries and fonts, where distributions keep them; and how many cores there are.
_SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/etc/ld.so.cache",
    "/sys/devices/system/cpu",
)


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def confine() -> list[str]:
    """Remove access to files, and to TCP and signals if possible; returns what was removed.

    Holds for this thread and those it starts from then on.

    Raises:
        OSError: The kernel has no Landlock, or it is off.
    """
    version = syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    rules = _Ruleset(
        files=sum(rights for since, rights in _FILE_RIGHTS.items() if since <= version),
        net=_TCP if version >= _TCP_SINCE else 0,
        scoped=_SCOPES if version >= _SCOPES_SINCE else 0,
    )
    ruleset = syscall(
        _CREATE, ctypes.byref(rules), ctypes.c_size_t(_size(version)), ctypes.c_uint32(0)
    )
    try:
        for path in _readable():
            _allow(ruleset, path)
        syscall(_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)
    taken = [("landlock-tcp", rules.net), ("landlock-signals", rules.scoped)]
    return ["landlock-files", *(name for name, rights in taken if rights)]


def _size(version: int) -> int:
    """Bytes of the ruleset that this version knows."""
    return 24 if version >= _SCOPES_SINCE else 16 if version >= _TCP_SINCE else 8


def _readable() -> Iterable[str]:
    """Paths of code that may still have to be loaded."""
    paths = sysconfig.get_paths()
    # Archives and folders that hold packages; not the folder that Python was started in.
    installed = [path for path in sys.path if Path(path).name.endswith(("-packages", ".zip"))]
    own = Path(__file__).parents[2]
    libraries = f"{sys.base_prefix}/lib"  # where Conda has them
    folders = {*installed, paths["stdlib"], paths["platstdlib"]}
    elsewhere = {path for folder in folders for path in linked(folder)}
    return {*_SYSTEM, libraries, str(own), *folders, *elsewhere}


def linked(folder: str) -> Iterable[str]:
    """The real paths of packages: installers may link them in, whole or file by file.

    Of files, only those whose folder has the package's name there, too: another link
    (`pkg/settings.json` to a person's file) opens nothing.
    """
    for entry in _entries(folder):
        if entry.is_symlink():
            yield os.path.realpath(entry)
        elif entry.is_dir():
            real = {
                Path(inner).resolve().parent
                for inner in _entries(entry.path)
                if inner.is_symlink()
            }
            yield from (str(path) for path in real if path.name == entry.name)


def _entries(folder: str) -> Iterable[os.DirEntry[str]]:
    with suppress(OSError), os.scandir(folder) as entries:
        yield from entries


def _allow(ruleset: int, path: str) -> None:
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            rights = _READ_FILE | (_READ_DIR if Path(path).is_dir() else 0)
            rule = _Beneath(allowed=rights, parent=fd)
            syscall(
                _ADD_RULE,
                ctypes.c_int(ruleset),
                ctypes.c_int(_PATH_BENEATH),
                ctypes.byref(rule),
                ctypes.c_uint32(0),
            )
        finally:
            os.close(fd)
