"""What code that has taken over the sandbox's child would try, for `test_confinement`.

Each attempt returns when it succeeded and raises `OSError` when it was refused. They call the
kernel itself, as code would that is not Python's.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import signal
import socket
from collections.abc import Callable
from pathlib import Path

_LIBC = ctypes.CDLL(None, use_errno=True)
_ARM = platform.machine() in {"aarch64", "arm64"}
# x86-64's number and 64-bit ARM's.
_NUMBERS = {
    "clone": (56, 220),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "mount": (165, 40),
    "unshare": (272, 97),
    "setuid": (105, 146),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "userfaultfd": (323, 282),
    "memfd_create": (319, 279),
    "chroot": (161, 51),
    "rt_sigqueueinfo": (129, 138),
    "clone3": (435, 435),
}


def attempt(name: str, target: str, parent: int, port: int) -> str:
    """`done`, or the error it was refused with.

    Args:
        name: Of `ATTEMPTS`.
        target: A file of the parent's.
        parent: The parent's process id.
        port: Where somebody listens on loopback.
    """
    try:
        ATTEMPTS[name](target, parent, port)
    except (OSError, ValueError) as error:  # Python makes a ValueError of a limit refused
        return f"refused: {error}"
    return "done"


def environment() -> dict[str, str]:
    return dict(os.environ)


def _call(name: str, *args: object) -> int:
    given = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    result: int = _LIBC.syscall(ctypes.c_long(_NUMBERS[name][_ARM]), *given)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _remote_memory(name: str, parent: int) -> None:
    here = ctypes.create_string_buffer(8)
    local = (ctypes.c_size_t * 2)(ctypes.addressof(here), 8)
    # Where Python itself lies: the child was started from the same file.
    remote = (ctypes.c_size_t * 2)(_mapped(parent), 8)
    _call(name, parent, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)


def _mapped(pid: int) -> int:
    try:
        maps = Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return 0x400000
    at = next(line for line in maps.splitlines() if "rw-p" in line)
    return int(at.partition("-")[0], 16)


def _fork() -> None:
    if not os.fork():
        os._exit(0)
    os.wait()


def _raw_fork(name: str) -> None:
    flags = (ctypes.c_uint64 * 11)(0, 0, 0, 0, signal.SIGCHLD)
    args = (ctypes.byref(flags), 88) if name == "clone3" else (int(signal.SIGCHLD), 0, 0, 0, 0)
    if not _call(name, *args):
        os._exit(0)


def _connect(family: int, kind: int, address: tuple[str, int]) -> None:
    with socket.socket(family, kind) as one:
        one.connect(address)


def _raise_limits() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _signal_later(parent: int) -> None:
    import fcntl

    fcntl.fcntl(0, fcntl.F_SETOWN, parent)


def _renamed(target: str) -> None:
    Path(target).rename(f"{target}.renamed")
    Path(f"{target}.renamed").rename(target)


def _executable_memory() -> None:
    fd = _call("memfd_create", b"x", 0)
    os.execve(fd, ["x"], {})  # noqa: S606


def _bpf() -> None:
    array_of_one = b"\2\0\0\0\4\0\0\0\4\0\0\0\1"
    _call("bpf", 0, ctypes.create_string_buffer(array_of_one, 72), 72)


def _perf() -> None:
    _call("perf_event_open", ctypes.create_string_buffer(b"\1\0\0\0\x70", 112), 0, -1, -1, 0)


ATTEMPTS: dict[str, Callable[[str, int, int], object]] = {
    "read /etc/passwd": lambda *_: Path("/etc/passwd").read_bytes(),
    "read the key database": lambda target, *_: Path(target).read_bytes(),
    "list a folder": lambda *_: list(Path("/").iterdir()),
    "parent's environment": lambda _, parent, __: Path(f"/proc/{parent}/environ").read_bytes(),
    "parent's maps": lambda _, parent, __: Path(f"/proc/{parent}/maps").read_bytes(),
    "parent's memory file": lambda _, parent, __: os.open(f"/proc/{parent}/mem", os.O_RDONLY),
    "parent's descriptors": lambda _, parent, __: list(Path(f"/proc/{parent}/fd").iterdir()),
    "read parent's memory": lambda _, parent, __: _remote_memory("process_vm_readv", parent),
    "write parent's memory": lambda _, parent, __: _remote_memory("process_vm_writev", parent),
    "trace the parent": lambda _, parent, __: _call("ptrace", 0x4206, parent, 0, 0),
    "signal the parent": lambda _, parent, __: os.kill(parent, 0),
    "queue a signal": lambda _, parent, __: _call(
        "rt_sigqueueinfo", parent, 0, ctypes.create_string_buffer(b"\0" * 8 + b"\xff" * 4, 128)
    ),
    "signal by a pipe's owner": lambda _, parent, __: _signal_later(parent),
    "signal by a pidfd": lambda _, parent, __: signal.pidfd_send_signal(
        os.pidfd_open(parent), signal.SIGCONT
    ),
    "TCP": lambda _, __, port: _connect(
        socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port)
    ),
    "UDP": lambda *_: _connect(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 9)),
    "raw packets": lambda *_: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close(),
    "Unix socket": lambda target, *_: socket.socket(socket.AF_UNIX).bind(f"{target}.socket"),
    "pair of sockets": lambda *_: socket.socketpair(),
    "fork": lambda *_: _fork(),
    "fork by clone": lambda *_: _raw_fork("clone"),
    "fork by clone3": lambda *_: _raw_fork("clone3"),
    "run a program": lambda *_: os.execv("/bin/true", ["true"]),  # noqa: S606
    "run from memory": lambda *_: _executable_memory(),
    "write a file": lambda target, *_: os.open(target, os.O_WRONLY),
    "make a file": lambda target, *_: os.open(f"{target}.new", os.O_WRONLY | os.O_CREAT),
    "cut a file": lambda target, *_: os.truncate(target, 0),
    "remove a file": lambda target, *_: Path(target).unlink(),
    "rename a file": lambda target, *_: _renamed(target),
    "change a mode": lambda target, *_: Path(target).chmod(0o777),
    "make a folder": lambda target, *_: Path(f"{target}.folder").mkdir(),
    "make a symbolic link": lambda target, *_: Path(f"{target}.link").symlink_to("/"),
    "make a hard link": lambda target, *_: os.link(target, f"{target}.hard"),
    "mount": lambda *_: _call("mount", b"none", b"/mnt", b"tmpfs", 0, None),
    "new namespaces": lambda *_: _call("unshare", 0x10000000),
    "become a user": lambda *_: _call("setuid", os.getuid()),
    "change the root": lambda *_: _call("chroot", b"/"),
    "io_uring": lambda *_: _call("io_uring_setup", 1, ctypes.create_string_buffer(120)),
    "bpf": lambda *_: _bpf(),
    "perf": lambda *_: _perf(),
    "keys of the kernel": lambda *_: _call("keyctl", 0, -3, 1),
    "faults of its own": lambda *_: _call("userfaultfd", 1),
    "raise its limits": lambda *_: _raise_limits(),
    "limits of the parent": lambda _, parent, __: resource.prlimit(
        parent, resource.RLIMIT_NOFILE, resource.prlimit(parent, resource.RLIMIT_NOFILE)
    ),
    "a terminal's input": lambda *_: __import__("fcntl").ioctl(0, 0x5412, b"x"),
    "shared memory": lambda *_: os.memfd_create("x"),
}
