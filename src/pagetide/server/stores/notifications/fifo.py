"""Notifications on one box, without a server: a named pipe for every subscriber and topic.

    FOLDER/cpu/4711-9f86d081      a listener of the pool `cpu`, in process 4711
    FOLDER/jobs/4242-60303ae2     one that waits for changes of jobs

To publish is to write into every pipe of a topic. A pipe that nobody reads any more says so
(ENXIO) and is removed by whoever publishes next.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path

from pagetide.errors import StoreFailed
from pagetide.server.stores.notifications.pipes import (
    PipeSubscriber,
    checked_topics,
    is_topic,
    to_one,
    write_notification,
)


def notifications_folder(home_folder: Path) -> Path:
    """Where the processes that share a data folder meet: a folder of this user and this box.

    Not in the data folder itself, which may lie where there are no pipes.
    """
    name = hashlib.sha256(os.fsencode(home_folder.resolve())).hexdigest()[:16]
    return Path(tempfile.gettempdir(), f"pagetide-{os.getuid()}-{name}")


def open_notifications(home_folder: Path) -> FifoNotifications:
    """Notifications among the processes that share a data folder.

    Raises:
        StoreFailed: See `FifoNotifications`.
    """
    return FifoNotifications(notifications_folder(home_folder))


class FifoNotifications:
    """The port `ports.Notifications` among the processes of one box and one user.

    Args:
        folder: See `notifications_folder`; made where it is missing.

    Raises:
        StoreFailed: The folder is somebody else's, is open to others, or cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        _make_private(folder)

    def publish(self, topic: str, text: str = "") -> None:
        """See `ports.Notifications`; a subscriber that has 64 KiB unread misses it."""
        if not is_topic(topic):
            return
        with suppress(OSError), os.scandir(self._folder / topic) as pipes:
            for pipe in pipes:
                if pipe.name.startswith("."):
                    continue
                if _ring(pipe.path, text) and to_one(topic):
                    return

    def subscribe(self, *topics: str) -> PipeSubscriber:
        """See `ports.Notifications`.

        Raises:
            ValueError: A topic may not be called so.
            StoreFailed: The pipes cannot be made.
        """
        names = checked_topics(topics)
        _make_private(self._folder)  # which may have been tidied away as old
        with ExitStack() as ends:
            try:
                pipes = {_open_pipe(self._folder / name, ends): name for name in names}
            except OSError as error:
                reason = os.strerror(error.errno or errno.EIO)
                raise StoreFailed(
                    f"No pipe can be created in {self._folder}: {reason}."
                ) from None
            return PipeSubscriber(pipes, ends.pop_all().close)

    def close(self) -> None:
        """See `ports.Notifications`: there is nothing to let go of."""


def _open_pipe(folder: Path, ends: ExitStack) -> int:
    """The reading end of a new pipe; `ends` closes and removes it.

    A writing end is held as well, so that the pipe is never at its end. The pipe gets its
    name only when it is read, or who publishes meanwhile would take it for a dead one.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{os.getpid()}-{secrets.token_hex(4)}"
    unnamed = path.with_name(f".{path.name}")
    os.mkfifo(unnamed, 0o600)
    ends.callback(unnamed.unlink, missing_ok=True)
    reading = os.open(unnamed, os.O_RDONLY | os.O_NONBLOCK)
    ends.callback(os.close, reading)
    ends.callback(os.close, os.open(unnamed, os.O_WRONLY | os.O_NONBLOCK))
    unnamed.rename(path)
    ends.callback(path.unlink, missing_ok=True)
    return reading


def _ring(path: str, text: str) -> bool:
    """Whether somebody listens there."""
    try:
        pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ENXIO:
            with suppress(OSError):
                Path(path).unlink()
        return False
    write_notification(pipe, text)
    os.close(pipe)
    return True


def _make_private(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        reason = os.strerror(error.errno or errno.EIO)
        raise StoreFailed(f"The folder {folder} cannot be created: {reason}.") from None
    private = stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077
    if found.st_uid != os.getuid() or not private:
        raise StoreFailed(f"The folder {folder} must belong only to this user; remove it.")
