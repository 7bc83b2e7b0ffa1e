"""Several threads that read the first JSON of a type at once."""

from __future__ import annotations

import subprocess
import sys

# `slow` stands where msgspec works out a field; the other thread comes meanwhile.
PROGRAM = """
import threading
import msgspec
from pagetide.ready_types import ready

inside, read = threading.Event(), threading.Event()

def slow():
    inside.set()
    read.wait(0.3)
    return int

class Pair(msgspec.Struct):
    a: "slow()"
    b: "slow()"

def reading():
    found = msgspec.json.decode(b'{"a": 1, "b": 2}', type=ready(Pair))
    print(found.a + found.b)

first = threading.Thread(target=reading)
first.start()
inside.wait()
reading()
read.set()
first.join()
"""


def test_a_type_is_whole_before_a_second_thread_reads_by_it() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"3\n3\n")
