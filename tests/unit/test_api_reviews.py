"""The API: reviews."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pagetide.document import Block, Line, Page, TextLayerDecision
from pagetide.geometry import polygon_of
from pagetide.server.jobs.job import Job
from pagetide.server.jobs.review import Rules
from tests.unit.api_fake import Desk, Part, Site, play

BOX = (10.0, 20.0, 290.0, 40.0)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, review_lease_s=60.0)


def page(*texts: str) -> Page:
    """A page of these lines, of which the first is doubtful."""
    texts = texts or ("Total l2",)
    lines = tuple(
        Line(text=text, polygon=polygon_of(box), confidence=0.95 if place else 0.4)
        for place, text in enumerate(texts)
        for box in [(BOX[0], BOX[1] + 30 * place, BOX[2], BOX[3] + 30 * place)]
    )
    block = Block(
        kind="text",
        polygon=lines[0].polygon,
        order=0,
        text="\n".join(texts),
        line_indexes=tuple(range(len(texts))),
    )
    return Page(
        number=1,
        width=300,
        height=300,
        dpi=144,
        width_pt=150,
        height_pt=150,
        text_layer=TextLayerDecision(used=False, reason="not_requested"),
        lines=lines,
        blocks=(block,),
    )


BILL = ("Invoice", "Subtotal: EUR 100.00", "Tax: EUR 19.00", "Total: EUR 191.00")


@pytest.mark.parametrize(
    ("rules", "reasons"),
    [
        (Rules(below=0.3), []),
        (Rules(below=0.5), ["confidence"]),
        (Rules(sums=True), ["sum"]),
        (Rules(below=0.5, sums=True, sample=1), ["confidence", "sum", "sampled"]),
    ],
)
def test_a_result_is_reviewed_for_what_is_wrong_with_it(
    desk: Desk, rules: Rules, reasons: list[str]
) -> None:
    job = desk.finish(desk.submit(review=rules).id, made=page(*BILL))

    async def steps(site: Site) -> None:
        review = (await site.get(f"/v1/jobs/{job.id}/review")).json()
        assert review["reasons"] == reasons
        assert review["state"] == ("waiting" if reasons else "none")
        assert bool(review["places"]) == bool(reasons)

    play(desk, steps)


def test_of_a_sample_without_doubts_every_line_is_shown(desk: Desk) -> None:
    desk.finish(desk.submit(review=Rules(sample=1)).id, made=page(*BILL))

    async def steps(site: Site) -> None:
        places = (await claimed(site))["places"]
        assert [place["text"] for place in places] == list(BILL)
        assert {place["reason"] for place in places} == {"sampled"}

    play(desk, steps)


def reviewable(desk: Desk, **more: Any) -> Job:
    """A job that has been read, of which a line is doubtful."""
    job = desk.submit(review=Rules(below=0.8), **more)
    return desk.finish(job.id, made=page())


CLAIM = {"by": "Ann"}


async def claimed(site: Site) -> Any:
    reply = await site.post_json("/v1/reviews/next", CLAIM)
    assert reply.status == 200, reply.body
    return reply.json()


def test_a_document_is_claimed_corrected_and_given_out_corrected(desk: Desk) -> None:
    job = reviewable(desk)

    async def steps(site: Site) -> None:
        assert (await site.get(f"/v1/jobs/{job.id}")).json()["review"] == "waiting"
        listed = (await site.get("/v1/reviews")).json()
        assert (listed["waiting"], listed["claimed"]) == (1, 0)
        assert listed["reviews"][0]["reasons"] == ["confidence"]
        review = await claimed(site)
        assert (review["job_id"], review["state"], review["by"]) == (job.id, "claimed", "Ann")
        [place] = review["places"]
        assert (place["page"], place["line"], place["text"]) == (1, 0, "Total l2")
        assert (await site.post_json("/v1/reviews/next", {})).status == 204
        correction = {"page": 1, "line": 0, "old": "Total l2", "new": "Total 12"}
        closed = await site.post_json(
            f"/v1/jobs/{job.id}/review",
            {"token": review["token"], "corrections": [correction]},
        )
        assert closed.json()["state"] == "corrected"
        assert "token" not in closed.json()
        assert (await site.get(f"/v1/jobs/{job.id}")).json()["review"] == "corrected"
        for corrected, text in (("false", "Total l2"), ("true", "Total 12")):
            reply = await site.get(
                f"/v1/jobs/{job.id}/result?format=txt&corrected={corrected}&wait=0"
            )
            if reply.status == 202:
                desk.finish(job.id)
                reply = await site.get(
                    f"/v1/jobs/{job.id}/result?format=txt&corrected={corrected}"
                )
            assert text in reply.body.decode()
        [row] = map(json.loads, (await site.get("/v1/reviews/corrections")).body.splitlines())
        assert (row["old"], row["new"], row["by"]) == ("Total l2", "Total 12", "Ann")
        assert (row["box"], row["dpi"], row["job_id"]) == (list(BOX), 144, job.id)
        assert row["image"].endswith(f"/v1/jobs/{job.id}/pages/1/image")

    play(desk, steps)


def test_a_claim_is_renewed_and_given_back(desk: Desk) -> None:
    job = reviewable(desk)

    async def steps(site: Site) -> None:
        review = await claimed(site)
        token = {"token": review["token"]}
        renewed = await site.post_json(f"/v1/jobs/{job.id}/review/renew", token)
        assert renewed.json()["until"] >= review["until"]
        released = await site.post_json(f"/v1/jobs/{job.id}/review/release", token)
        assert released.json()["state"] == "waiting"
        late = await site.post_json(f"/v1/jobs/{job.id}/review/renew", token)
        assert (late.status, late.code) == (409, "lease_lost")
        assert "another reviewer" in late.json()["detail"]
        assert (await claimed(site))["token"] != review["token"]

    play(desk, steps)


@pytest.mark.parametrize(
    ("correction", "said"),
    [
        ({"page": 9, "line": 0, "old": "l2", "new": "12"}, "The result has no page 9."),
        ({"page": 1, "line": 7, "old": "l2", "new": "12"}, "Page 1 has no line 7."),
        ({"page": 1, "line": -1, "old": "l2", "new": "12"}, "Page 1 has no line -1."),
        ({"page": 1, "line": 0, "old": "", "new": "12"}, "is not in the text"),
        ({"page": 1, "line": 0, "old": "l3", "new": "12"}, "is not in the text"),
        ({"page": 1, "line": 0, "old": "l2"}, "new"),
        ({"page": 1, "line": 0, "old": "l2", "new": "12", "more": 1}, "more"),
    ],
)
def test_a_correction_of_nothing_that_was_read_is_refused(
    desk: Desk, correction: dict[str, Any], said: str
) -> None:
    job = reviewable(desk)

    async def steps(site: Site) -> None:
        review = await claimed(site)
        reply = await site.post_json(
            f"/v1/jobs/{job.id}/review", {"token": review["token"], "corrections": [correction]}
        )
        assert (reply.status, reply.code) == (422, "bad_option")
        assert said in reply.json()["detail"]
        assert (await site.get(f"/v1/jobs/{job.id}/review")).json()["state"] == "claimed"

    play(desk, steps)


def test_another_keys_documents_are_neither_seen_nor_claimed(desk: Desk) -> None:
    mine, other = desk.key("mine"), desk.key("other")
    owner = mine.split("_")[1]
    job = reviewable(desk, owner=owner)

    async def steps(site: Site) -> None:
        alien = {"authorization": f"Bearer {other}"}
        assert (await site.post_json("/v1/reviews/next", {}, **alien)).status == 204
        assert (await site.get("/v1/reviews", **alien)).json()["waiting"] == 0
        assert (await site.get(f"/v1/jobs/{job.id}/review", **alien)).status == 404
        own = {"authorization": f"Bearer {mine}"}
        review = (await site.post_json("/v1/reviews/next", {}, **own)).json()
        assert (review["job_id"], review["by"]) == (job.id, "mine")
        closing = {"token": review["token"]}
        assert (
            await site.post_json(f"/v1/jobs/{job.id}/review", closing, **alien)
        ).status == 404

    play(desk, steps, keys_needed=True)


def test_rules_are_given_with_the_document_or_by_the_settings(tmp_path: Path) -> None:
    desk = Desk(tmp_path, review_sample=0.25)
    document: list[Part] = [("model", "fake"), ("file", b"%PDF 1 x", "a.pdf")]

    async def rules(site: Site, *fields: Part) -> Rules | None:
        reply = await site.post_form("/v1/jobs", [*document, *fields])
        assert reply.status == 202, reply.body
        review = desk.service.job(reply.json()["id"]).review
        return review.rules if review else None

    async def steps(site: Site) -> None:
        assert await rules(site) == Rules(sample=0.25)
        assert await rules(site, ("review_sample", "0")) is None
        told = (("review_below", "0.9"), ("review_sums", "true"))
        assert await rules(site, *told) == Rules(below=0.9, sums=True, sample=0.25)
        wrong = await site.post_form("/v1/jobs", [*document, ("review_below", "2")])
        assert (wrong.status, wrong.code) == (422, "bad_option")

    play(desk, steps)


@pytest.mark.parametrize("name", ["raw", "pdf", "figures"])
def test_what_cannot_be_had_with_corrections_is_refused(desk: Desk, name: str) -> None:
    job = reviewable(desk)

    async def steps(site: Site) -> None:
        reply = await site.get(f"/v1/jobs/{job.id}/result?format={name}&corrected=true")
        assert (reply.status, reply.code) == (422, "bad_option")

    play(desk, steps)


def test_a_document_that_is_to_be_reviewed_is_read_anew(desk: Desk, tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        document: list[Part] = [("model", "fake"), ("file", b"%PDF 1 same", "a.pdf")]
        first = (await site.post_form("/v1/jobs", document)).json()
        desk.finish(first["id"])
        again = (await site.post_form("/v1/jobs", document)).json()
        assert again["cached"]
        reviewed = await site.post_form("/v1/jobs", [*document, ("review_sample", "1")])
        assert not reviewed.json()["cached"]

    play(desk, steps)
