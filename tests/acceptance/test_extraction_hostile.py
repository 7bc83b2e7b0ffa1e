"""Servers that invent and documents that give orders: what comes back stands on the page."""

from __future__ import annotations

from bench.extraction.__main__ import inventing, obeying
from bench.extraction.hostile import ORDERS
from bench.extraction.liars import Reads
from bench.fake_vl_server import FakeVlServer, Reply

REDIRECTS = "The model server gave no answer: The server refused the request with HTTP 307."


def test_of_two_hundred_extractions_from_a_server_that_invents_nothing_is_unmarked() -> None:
    with FakeVlServer(Reads({})) as server:
        told = inventing(200, server)
    assert told.unmarked == []
    assert told.invented > 2000 and told.standings["ungrounded"] > 2000
    assert told.true > 1600  # what the server left true does come back


def test_of_thirty_documents_that_give_orders_none_is_followed_by_our_side() -> None:
    assert len(ORDERS) == 30
    with FakeVlServer(Reads({})) as server, FakeVlServer(lambda asked: Reply()) as other:
        told = obeying(server, other)
    assert told.unmarked == []
    assert told.elsewhere == 0
    assert told.broken == 0
    assert told.foreign == set()
    assert told.refused == [REDIRECTS] * 2
