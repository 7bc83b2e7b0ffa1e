"""The system calls that reading a page needs, by machine.

All others fail as on a kernel without them (`ENOSYS`), for which libraries have fallbacks; so
do those that replace one listed here by one whose arguments a filter cannot see (`clone3`,
`openat2`).
"""

from __future__ import annotations

# x86-64's number and 64-bit ARM's; None if it has no such call.
_ALLOWED: dict[str, tuple[int, int | None]] = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "stat": (4, None),
    "fstat": (5, 80),
    "lstat": (6, None),
    "poll": (7, None),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "pread64": (17, 67),
    "readv": (19, 65),
    "writev": (20, 66),
    "access": (21, None),
    "select": (23, None),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "mincore": (27, 232),
    "madvise": (28, 233),
    "dup": (32, 23),
    "pause": (34, None),
    "nanosleep": (35, 101),
    "getitimer": (36, 102),
    "setitimer": (38, 103),
    "getpid": (39, 172),
    "recvmsg": (47, 212),  # a document's descriptor arrives through it
    "exit": (60, 93),
    "uname": (63, 160),
    "getcwd": (79, 17),
    "readlink": (89, None),
    "gettimeofday": (96, 169),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "sysinfo": (99, 179),
    "times": (100, 153),
    "getuid": (102, 174),
    "getgid": (104, 176),
    "geteuid": (107, 175),
    "getegid": (108, 177),
    "getppid": (110, 173),
    "sigaltstack": (131, 132),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126),
    "gettid": (186, 178),
    "time": (201, None),
    "futex": (202, 98),
    "sched_getaffinity": (204, 123),
    "getdents64": (217, 61),
    "set_tid_address": (218, 96),
    "restart_syscall": (219, 128),
    "fadvise64": (221, 223),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "exit_group": (231, 94),
    "newfstatat": (262, 79),
    "readlinkat": (267, 78),
    "faccessat": (269, 48),
    "pselect6": (270, 72),
    "ppoll": (271, 73),
    "set_robust_list": (273, 99),
    "get_robust_list": (274, 100),
    "preadv": (295, 69),
    "getcpu": (309, 168),
    "getrandom": (318, 278),
    "membarrier": (324, 283),
    "statx": (332, 291),
    "rseq": (334, 293),
    "faccessat2": (439, 439),
}
# Allowed with some arguments only: see `seccomp`.
_LOOKED_AT: dict[str, tuple[int, int | None]] = {
    "open": (2, None),
    "openat": (257, 56),
    "ioctl": (16, 29),
    "fcntl": (72, 25),
    "clone": (56, 220),
    "kill": (62, 129),
    "tgkill": (234, 131),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
}
_COLUMN = {"x86_64": 0, "aarch64": 1}


def allowed(machine: str) -> list[int]:
    """The numbers of the calls that are allowed whatever their arguments."""
    numbers = (each[_COLUMN[machine]] for each in _ALLOWED.values())
    return [number for number in numbers if number is not None]


def looked_at(machine: str) -> dict[str, int]:
    """The numbers of the calls that are allowed with some arguments only, by name."""
    column = _COLUMN[machine]
    found = {name: each[column] for name, each in _LOOKED_AT.items()}
    return {name: number for name, number in found.items() if number is not None}
