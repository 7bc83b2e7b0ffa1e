"""Answers kept in memory, the ones used last; no picture is read twice while it is there."""

from __future__ import annotations

from collections import OrderedDict

from pagetide.engines.vl.server.client import Answer

OVERHEAD = 400  # bytes of an answer's objects and key, measured with `sys.getsizeof`


class KeptAnswers:
    """At most so many bytes of answers; the one not used for longest goes first."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._bytes = 0
        self._answers: OrderedDict[bytes, Answer] = OrderedDict()

    def get(self, key: bytes) -> Answer | None:
        """The answer kept under a key, which counts as used now."""
        answer = self._answers.get(key)
        if answer is not None:
            self._answers.move_to_end(key)
        return answer

    def put(self, key: bytes, answer: Answer) -> None:
        """Keep an answer, unless it alone is more than fits."""
        size = _size(answer)
        if size > self._most:
            return
        if (old := self._answers.pop(key, None)) is not None:
            self._bytes -= _size(old)
        self._answers[key] = answer
        self._bytes += size
        while self._bytes > self._most:
            _, oldest = self._answers.popitem(last=False)
            self._bytes -= _size(oldest)


def _size(answer: Answer) -> int:
    return OVERHEAD + 4 * len(answer.text)  # what a letter takes at most
