"""Notifications among processes that share a PostgreSQL database: LISTEN and NOTIFY.

A topic is a channel. A process has one session that publishes and, while somebody subscribes,
one that receives: a thread passes on what comes there to the subscribers, which are those of
`MemoryNotifications`. What is published while the server is away is lost.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

import psycopg

from pagetide.errors import StoreFailed
from pagetide.net.postgres import PostgresPlace, Session, postgres_place
from pagetide.server.stores.notifications.memory import MemoryNotifications
from pagetide.server.stores.notifications.pipes import (
    PipeSubscriber,
    checked_topics,
    is_topic,
    to_one,
)

PREFIX = "pagetide_"
LONGEST_TOPIC = 63 - len(PREFIX)  # PostgreSQL cuts longer names
LONGEST = 400  # bytes of a text
PUBLISH_S = 1.0  # who publishes waits no longer for an answer
ENTER_S = 2
SUBSCRIBE_S = 5
_CHOOSE = "SELECT pg_try_advisory_lock(1885430629)"  # "page", a name for a lock of ours
REST_S = 1.0  # a server that did not answer is let be so long
CHECK_S = 20.0  # so late it is noticed that a server is gone without a word

_BROKEN = (StoreFailed, psycopg.Error, OSError)
_log = logging.getLogger("pagetide.server.notifications")


def open_notifications(url: str) -> PostgresNotifications:
    """The notifications of those who share a database; the server need not be there yet.

    Args:
        url: See `postgres_place`.

    Raises:
        BadOption: The URL is incomplete, or says what is not known.
    """
    return PostgresNotifications(postgres_place(url))


class PostgresNotifications:
    """The port `ports.Notifications` over PostgreSQL; a forked process needs its own."""

    def __init__(self, place: PostgresPlace) -> None:
        self._place = place
        self._subscriber = MemoryNotifications()
        self._publishing = PublishingSession(place)
        self._subscribed: SubscribedSession | None = None
        self._listening = 0
        self._door = threading.Lock()  # to the two above

    def publish(self, topic: str, text: str = "") -> None:
        """See `ports.Notifications`; while the server is away it is dropped."""
        if is_topic(topic):
            self._publishing.publish(topic, text)

    def subscribe(self, *topics: str) -> PostgresSubscriber:
        """See `ports.Notifications`; an absent server's notifications arrive once it is back.

        Raises:
            ValueError: A topic may not be called so.
        """
        names = checked_topics(topics)
        with self._door:
            self._listening += 1
            if self._subscribed is None:
                self._subscribed = SubscribedSession(self._place, self._subscriber.publish)
            listener = PostgresSubscriber(self._subscriber.subscribe(*names), self._leave)
            self._subscribed.add(names)
        return listener

    def close(self) -> None:
        """See `ports.Notifications`."""
        self._publishing.close()

    def _leave(self) -> None:
        with self._door:
            self._listening -= 1
            if self._listening or self._subscribed is None:
                return
            subscribed, self._subscribed = self._subscribed, None
        subscribed.close()


class PostgresSubscriber:
    """The port `ports.Subscriber`."""

    def __init__(self, subscriber: PipeSubscriber, leave: Callable[[], None]) -> None:
        self._subscriber, self._leave = subscriber, leave

    def wait(self, timeout_s: float) -> tuple[tuple[str, str], ...]:
        """See `ports.Subscriber`."""
        return self._subscriber.wait(timeout_s)

    def fileno(self) -> int:
        """See `ports.Subscriber`; it stays the same when the server is restarted."""
        return self._subscriber.fileno()

    def close(self) -> None:
        """See `ports.Subscriber`; closing again does nothing."""
        if self._subscriber.fileno() >= 0:
            self._subscriber.close()
            self._leave()


class PublishingSession:
    """The session that publishes, opened when it is needed."""

    def __init__(self, place: PostgresPlace) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._rests_until = 0.0

    def publish(self, topic: str, text: str) -> None:
        """Tell those who subscribe; never raises."""
        until = time.monotonic() + PUBLISH_S
        if not self._lock.acquire(timeout=PUBLISH_S):
            return
        try:
            self._notify((_channel(topic), _payload(text)), until)
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the session."""
        with self._lock:
            self._drop()

    def _notify(self, notification: tuple[str, str], until: float) -> None:
        if time.monotonic() < self._rests_until:
            return
        for opened in (self._session is None, True):  # an old session may be a dead one
            try:
                if self._session is None:
                    self._session = _session(self._place, ENTER_S, PUBLISH_S)
                self._session.execute("SELECT pg_notify(%s, %s)", notification)
                return
            except _BROKEN:
                self._drop()
            if opened or time.monotonic() > until:
                break
        _log.warning("the PostgreSQL server does not answer: nobody can be woken")
        self._rests_until = time.monotonic() + REST_S

    def _drop(self) -> None:
        session, self._session = self._session, None
        _end(session)


class SubscribedSession:
    """The session that receives, and its thread, which opens it anew whenever it breaks.

    Args:
        place: Where the server is.
        pass_on: Given the topic and the text of all that is received.
    """

    def __init__(self, place: PostgresPlace, pass_on: Callable[[str, str], None]) -> None:
        self._place, self._pass_on = place, pass_on
        self._topics: dict[str, str] = {}  # by channel
        self._lock = threading.Lock()  # to the session; only the thread ends one
        self._session: Session | None = None
        self._arrived = deque[psycopg.Notify]()
        self._chosen = False
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="notifications", daemon=True)

    def add(self, topics: tuple[str, ...]) -> None:
        """Receive these, too, from now on; or once the server is there."""
        with self._lock:
            new = {_channel(topic): topic for topic in topics}
            fresh = [channel for channel in new if channel not in self._topics]
            self._topics |= new
            try:
                if self._session is None:
                    self._open()
                else:
                    _listen(self._session, fresh)
                    self._deliver()  # what came along
            except _BROKEN:
                self._interrupt()
        if not self._thread.is_alive():
            self._thread.start()

    def close(self) -> None:
        """Receive no more."""
        self._stopped.set()
        self._interrupt()
        self._thread.join(SUBSCRIBE_S)

    def _run(self) -> None:
        while not self._stopped.is_set():
            session = self._session
            if session is None:
                self._open_again()
                continue
            try:
                session.speaks(CHECK_S)
                with self._lock:
                    self._drain()
            except _BROKEN:
                self._drop()
        self._drop()

    def _open_again(self) -> None:
        try:
            with self._lock:
                if self._session is None:
                    self._open()
        except _BROKEN:
            self._stopped.wait(REST_S)

    def _open(self) -> None:
        session = _session(self._place, SUBSCRIBE_S, SUBSCRIBE_S)
        session.add_notify_handler(self._arrived.append)
        try:
            _listen(session, list(self._topics))
        except _BROKEN:
            _end(session)
            raise
        self._session, self._chosen = session, False

    def _drain(self) -> None:
        """Fetch what the server has, and pass it on."""
        if self._session is None or self._stopped.is_set():
            return
        self._session.execute("")
        self._deliver()

    def _deliver(self) -> None:
        while self._arrived:
            arrived = self._arrived.popleft()
            topic = self._topics[arrived.channel]
            if not to_one(topic) or self._is_chosen():
                self._pass_on(topic, arrived.payload)

    def _is_chosen(self) -> bool:
        """Whether this session is the one of all that receives what only one is to receive.

        The server keeps it chosen as long as it lasts, and lets another follow.
        """
        if not self._chosen and self._session is not None:
            self._chosen = self._session.execute(_CHOOSE).fetchone() == (True,)
        return self._chosen

    def _drop(self) -> None:
        with self._lock:
            session, self._session = self._session, None
        _end(session)

    def _interrupt(self) -> None:
        """Interrupt the thread's wait: the session is at its end."""
        if (session := self._session) is not None:
            session.interrupt()


def _session(place: PostgresPlace, timeout_s: int, answer_s: float) -> Session:
    # A notification is a commit, which else would wait for the disk.
    options = f"-c synchronous_commit=off -c statement_timeout={answer_s:g}s"
    return place.connect(timeout_s, answer_s, options)


def _listen(session: Session, channels: list[str]) -> None:
    if channels:
        session.execute("; ".join(f'LISTEN "{channel}"' for channel in channels).encode())


def _end(session: Session | None) -> None:
    if session is not None:
        with suppress(psycopg.Error, OSError):
            session.close()


def _channel(topic: str) -> str:
    if len(topic) > LONGEST_TOPIC:
        topic = hashlib.sha256(topic.encode()).hexdigest()[:LONGEST_TOPIC]
    return f"{PREFIX}{topic}"


def _payload(text: str) -> str:
    """A text in one line, without the character that PostgreSQL does not take."""
    one_line = text.replace("\n", " ").replace("\0", " ").encode(errors="replace")
    return one_line[:LONGEST].decode(errors="ignore")
