"""Whether the process of this container is ready: for HEALTHCHECK, which must not need a shell.

    python -I probe.py PORT...

asks `/health/ready` at the first port with a listener, and exits with 0 if the
answer is 200, otherwise with 1.
"""

import http.client
import sys

PATIENCE_S = 5


def status(port: int) -> int | None:
    """The answer there; None without a listener."""
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        asking.request("GET", "/health/ready")
        return asking.getresponse().status
    except ConnectionRefusedError:
        return None
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        asking.close()


def main(ports: list[int]) -> int:
    """The exit code."""
    answers = (status(port) for port in ports)
    return 0 if next((one for one in answers if one is not None), 0) == 200 else 1


if __name__ == "__main__":
    sys.exit(main([int(port) for port in sys.argv[1:]]))
