"""Namespaces: a user that owns nothing, a network without a link, no shared IPC."""

from __future__ import annotations

import ctypes
import os

from pagetide.inputs.confinement.libc import machine, syscall, unshare

_NEW_IPC, _NEW_USER, _NEW_NET = 0x08000000, 0x10000000, 0x40000000
_CAPSET = {"x86_64": 126, "aarch64": 91}
_VERSION_3 = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


def confine() -> list[str]:
    """Enter separate namespaces and drop every capability; returns what was entered.

    Raises:
        OSError: The kernel, a container's rules or a thread of this process forbid it.
    """
    unshare(_NEW_USER | _NEW_NET | _NEW_IPC)
    _drop_capabilities()
    return ["namespaces"]


def _drop_capabilities() -> None:
    """Those of the new namespace; unsharing gave them all."""
    if machine() not in _CAPSET:
        raise OSError(os.strerror(38))
    none = (ctypes.c_uint32 * 6)()
    header = _Header(version=_VERSION_3, pid=0)
    syscall(_CAPSET[machine()], ctypes.byref(header), ctypes.byref(none))
