"""The PaddleOCR-VL client against a server that fails in every way it can, on real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from bench.fake_vl_server import Asked, FakeVlServer, Reply
from pagetide.engines.vl.server.client import (
    ATTEMPTS,
    FIRST_PAUSE_S,
    LONGEST_PAUSE_S,
    MOST_BYTES,
    Answer,
    BlockUnread,
    Clock,
    VlServer,
)
from pagetide.engines.vl.server.dialects import DIALECTS, question
from pagetide.engines.vl.tasks import TASKS
from pagetide.errors import EngineFailed, ModelUnavailable

BODY = question(
    DIALECTS["vllm"], model="m", task=TASKS["ocr"], picture=b"picture", max_tokens=9
)
GOOD = Reply(text="good")


@dataclass
class Pauses:
    """A clock that does not wait, and remembers for how long it was asked to."""

    taken: list[float] = field(default_factory=list)
    chance: float = 1.0

    async def sleep(self, seconds: float) -> None:
        self.taken.append(seconds)

    @property
    def clock(self) -> Clock:
        return Clock(sleep=self.sleep, chance=lambda: self.chance)


class Scripted:
    """Answers with one reply after another, and the last one again and again."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)

    def __call__(self, asked: Asked) -> Reply:
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]


@pytest.fixture
def fake() -> Iterator[FakeVlServer]:
    with FakeVlServer(Scripted(GOOD)) as server:
        yield server


def ask(
    server: FakeVlServer,
    pauses: Pauses,
    *,
    times: int = 1,
    key: str = "",
    timeout_s: float = 20,
) -> list[Answer | Exception]:
    async def asked() -> list[Answer | Exception]:
        client = VlServer(server.url, key=key, timeout_s=timeout_s, clock=pauses.clock)
        results: list[Answer | Exception] = []
        try:
            for _ in range(times):
                try:
                    results.append(await client.ask(BODY))
                except (BlockUnread, EngineFailed, ModelUnavailable) as error:
                    results.append(error)
        finally:
            await client.close()
        return results

    return asyncio.run(asked())


def test_an_answer_is_kept_as_it_is(fake: FakeVlServer) -> None:
    [answer] = ask(fake, Pauses(), key="secret")
    assert isinstance(answer, Answer)
    assert (answer.text, answer.finish_reason) == ("good", "stop")
    assert bytes(answer.usage) == (
        b'{"prompt_tokens": 300, "completion_tokens": 40, "total_tokens": 340}'
    )
    [asked] = fake.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == "Bearer secret"
    assert asked.body["mm_processor_kwargs"]["min_pixels"] == 112_896


def test_without_a_key_none_is_sent(fake: FakeVlServer) -> None:
    ask(fake, Pauses())
    assert "authorization" not in fake.asked[0].headers


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_or_broken_server_is_asked_again(fake: FakeVlServer, status: int) -> None:
    fake.answer = Scripted(Reply(status=status), Reply(status=status), GOOD)
    pauses = Pauses()
    [answer] = ask(fake, pauses)
    assert isinstance(answer, Answer)
    assert pauses.taken == [FIRST_PAUSE_S, 2 * FIRST_PAUSE_S]


def test_half_of_a_pause_is_chance(fake: FakeVlServer) -> None:
    fake.answer = Scripted(Reply(status=503), GOOD)
    pauses = Pauses(chance=0.0)
    ask(fake, pauses)
    assert pauses.taken == [FIRST_PAUSE_S / 2]


def test_a_block_is_given_up_after_some_attempts(fake: FakeVlServer) -> None:
    fake.answer = Scripted(Reply(status=503))
    [error] = ask(fake, Pauses())
    assert isinstance(error, BlockUnread) and "503" in str(error)
    assert len(fake.asked) == ATTEMPTS


@pytest.mark.parametrize(
    ("said", "pause"),
    [("7", 7.0), ("86400", LONGEST_PAUSE_S), ("0", FIRST_PAUSE_S), ("soon", FIRST_PAUSE_S)],
)
def test_retry_after_is_obeyed_up_to_a_limit(
    fake: FakeVlServer, said: str, pause: float
) -> None:
    fake.answer = Scripted(Reply(status=429, headers={"Retry-After": said}), GOOD)
    pauses = Pauses()
    ask(fake, pauses)
    assert pauses.taken == [pause]


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_block_is_not_asked_again(fake: FakeVlServer, status: int) -> None:
    fake.answer = Scripted(Reply(status=status, body=b"boom: secret library text"))
    [error] = ask(fake, Pauses())
    assert isinstance(error, BlockUnread)
    assert str(status) in str(error) and "boom" not in str(error)
    assert len(fake.asked) == 1


@pytest.mark.parametrize(
    ("status", "setting"),
    [(401, "PAGETIDE_VL_KEY"), (403, "PAGETIDE_VL_KEY"), (404, "PAGETIDE_VL_SERVED_NAME")],
)
def test_a_wrong_key_or_name_says_what_to_set(
    fake: FakeVlServer, status: int, setting: str
) -> None:
    fake.answer = Scripted(Reply(status=status))
    [error] = ask(fake, Pauses())
    assert isinstance(error, ModelUnavailable) and setting in error.message
    assert len(fake.asked) == 1


def test_a_broken_connection_is_asked_again(fake: FakeVlServer) -> None:
    fake.answer = Scripted(Reply(breaks=True), GOOD)
    assert isinstance(ask(fake, Pauses())[0], Answer)


def test_an_answer_that_takes_too_long_is_given_up(fake: FakeVlServer) -> None:
    held = fake.hold()

    async def never(asked: Asked) -> Reply:
        await held.wait()
        return GOOD

    fake.answer = never
    [error] = ask(fake, Pauses(), timeout_s=1.5)
    assert isinstance(error, BlockUnread) and "1.5 s" in str(error)
    assert len(fake.asked) == 2
    held.release()


@pytest.mark.parametrize(
    "body",
    [b"", b"not JSON", b"[]", b'{"choices": []}', b'{"choices": [{"message": 1}]}', b'{"\xff"'],
)
def test_an_answer_that_is_none_is_given_up(fake: FakeVlServer, body: bytes) -> None:
    fake.answer = Scripted(Reply(body=body))
    [error] = ask(fake, Pauses())
    assert isinstance(error, BlockUnread) and "not a chat completion" in str(error)
    assert len(fake.asked) == 1


def test_an_empty_message_is_an_empty_text(fake: FakeVlServer) -> None:
    fake.answer = Scripted(Reply(body=b'{"choices": [{"message": {"content": null}}]}'))
    assert ask(fake, Pauses()) == [Answer("", "")]


def test_an_endless_answer_is_given_up(fake: FakeVlServer) -> None:
    fake.answer = Scripted(Reply(body=b" " * (MOST_BYTES + 1)))
    [error] = ask(fake, Pauses())
    assert isinstance(error, BlockUnread) and "longer than" in str(error)


def test_a_server_that_is_gone_is_waited_for_once_only(fake: FakeVlServer) -> None:
    fake.stop()
    pauses = Pauses()
    errors = ask(fake, pauses, times=3)
    assert all(isinstance(e, EngineFailed) and "cannot be reached" in str(e) for e in errors)
    assert len(pauses.taken) == ATTEMPTS - 1


def test_a_server_that_comes_back_is_waited_for_again(fake: FakeVlServer) -> None:
    port = fake.port
    fake.stop()
    pauses = Pauses()
    other = FakeVlServer(Scripted(GOOD))

    async def asked() -> tuple[Exception, Answer]:
        client = VlServer(fake.url, key="", timeout_s=20, clock=pauses.clock)
        try:
            with pytest.raises(EngineFailed) as caught:
                await client.ask(BODY)
            await asyncio.to_thread(other.start, port)
            return caught.value, await client.ask(BODY)
        finally:
            await client.close()

    try:
        error, answer = asyncio.run(asked())
    finally:
        other.stop()
    assert isinstance(error, EngineFailed) and error.retryable and answer.text == "good"


def test_proxies_of_the_environment_are_not_used(
    fake: FakeVlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert isinstance(ask(fake, Pauses())[0], Answer)
