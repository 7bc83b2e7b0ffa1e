"""For who can only start a program: one that has a fork server start another in its place.

`python -IS forked.py SOCKET WORD...` has the words run, with this process's own input and
output, and ends as that process does.
"""

import json
import os
import signal
import socket
import sys

FDS = (0, 1, 2)

where, *words = sys.argv[1:]
asking = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
asking.connect(where)
request = {
    "words": words,
    "environment": dict(os.environ),
    "folder": os.getcwd(),  # noqa: PTH109 - imports as little as it can
    "session": False,
    "group": -1,
    "fds": FDS,
}
socket.send_fds(asking, [json.dumps(request).encode()], FDS)
pid = int(asking.recv(64))
for number in (0, 1):  # the other's alone: when it closes them, they are closed
    os.close(number)
signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
code = os.waitstatus_to_exitcode(int(asking.recv(64) or b"9"))
os._exit(code if code >= 0 else 128 - code)
