"""Polls a server's health until standard input ends; prints the seconds of each answer.

`python -m bench.health_probe URL`: a process of its own, delayed only by the server.
"""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time
from urllib.parse import urlsplit

EVERY_S = 0.05
PATIENCE_S = 30.0


def main() -> None:
    """Probe."""
    place = urlsplit(sys.argv[1]).netloc
    ending, seconds = threading.Event(), list[float]()

    def end() -> None:
        sys.stdin.read()
        ending.set()

    threading.Thread(target=end, daemon=True).start()
    while not ending.wait(EVERY_S):
        began = time.monotonic()
        try:
            asking = http.client.HTTPConnection(place, timeout=PATIENCE_S)
            asking.request("GET", "/health/live")
            well = asking.getresponse().status == 200
            asking.close()
        except OSError:
            well = False
        seconds.append(time.monotonic() - began if well else PATIENCE_S)
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
