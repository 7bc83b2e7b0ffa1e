"""The overhead of facades per request: `python -m bench.facades [--only NAME] [--rounds N]`.

One server, one document of one page with a table, its result in the cache (the server's own
count of hits shows it): no engine is in the figures. In each round a facade's requests and as
many of ours, with the same document, run one after the other, with alternating order; the
overhead is the median of the differences, over the number of requests. Facades that answer at
once are compared with `POST /v1/read`, those with jobs with `POST /v1/jobs` and the result,
with the status between if they ask for it too.

The bar applies to the upper end of the median's 95 % confidence interval: a busy machine
widens that, and so can only make the figure worse.
"""

from __future__ import annotations

import argparse
import base64
import io
import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import pypdf

from bench.corpus import SAMPLES
from bench.rows import Row, table
from bench.served import served
from pagetide.settings.tables import as_toml
from pagetide.system.cpu import model_name

BAR_MS = 20.0
FEWEST_ROUNDS = 10
MODEL = "structure-lite"
ALIASES = ("ocr", "prebuilt-layout", "prebuilt-read", "PP-StructureV3", "mistral-ocr-latest")
AWS = "AWS4-HMAC-SHA256 Credential=any/20261122/us-east-1/textract/aws4_request"
AZURE = "/documentintelligence/documentModels/prebuilt-layout:analyze?api-version=2024-11-30"
Flow = Callable[[httpx.Client, bytes], None]


@dataclass(frozen=True, kw_only=True)
class Facade:
    """One facade's way to read the document.

    Attributes:
        flow: Does it, and raises if the result is wrong.
        requests: Number of requests.
    """

    flow: Flow
    requests: int = 1


def document() -> bytes:
    """The first page of a sample: an invoice with its own text."""
    writer, written = pypdf.PdfWriter(), io.BytesIO()
    writer.add_page(pypdf.PdfReader(SAMPLES / "mixed.pdf").pages[0])
    writer.write(written)
    return written.getvalue()


def read(client: httpx.Client, pdf: bytes) -> None:
    """Ours, at once."""
    _right(client.post("/v1/read", files={"file": ("a.pdf", pdf)}, data={"model": MODEL}))


def job_and_result(client: httpx.Client, pdf: bytes) -> None:
    """Ours, by a job: two requests."""
    sent = client.post("/v1/jobs", files={"file": ("a.pdf", pdf)}, data={"model": MODEL})
    _right(client.get(f"/v1/jobs/{_json(sent)['id']}/result?wait=20"))


def job_status_and_result(client: httpx.Client, pdf: bytes) -> None:
    """Ours, by a job: three requests."""
    sent = client.post("/v1/jobs", files={"file": ("a.pdf", pdf)}, data={"model": MODEL})
    job = _json(sent)["id"]
    _right(client.get(f"/v1/jobs/{job}?wait=20"), "succeeded")
    _right(client.get(f"/v1/jobs/{job}/result"))


OURS: Mapping[int, tuple[str, Flow]] = {  # by the number of requests
    1: ("/v1/read", read),
    2: ("/v1/jobs", job_and_result),
    3: ("/v1/jobs with status", job_status_and_result),
}


def ocr_process(client: httpx.Client, pdf: bytes) -> None:
    """`/api/v1/ocr`: two requests."""
    sent = client.post("/api/v1/ocr/process", files={"file": ("a.pdf", pdf)})
    _right(client.get(f"/api/v1/ocr/results/{_json(sent)['task_id']}"), "SUCCESS")


def predict(client: httpx.Client, pdf: bytes) -> None:
    """`/predict`."""
    _right(client.post("/predict", files={"file": ("a.pdf", pdf)}))


def paddlex(path: str) -> Flow:
    """PaddleX serving."""
    return lambda client, pdf: _right(
        client.post(path, json={"file": _base64(pdf), "fileType": 0})
    )


def paddleocr(client: httpx.Client, pdf: bytes) -> None:
    """PaddleOCR's job API: three requests."""
    sent = client.post(
        "/api/v2/ocr/jobs", files={"file": ("a.pdf", pdf)}, data={"model": "PP-StructureV3"}
    )
    told = _json(client.get(f"/api/v2/ocr/jobs/{_json(sent)['data']['jobId']}"))["data"]
    _right(client.get(told["resultUrl"]["jsonUrl"]))


def azure(client: httpx.Client, pdf: bytes) -> None:
    """Azure Document Intelligence: two requests."""
    sent = client.post(AZURE, json={"base64Source": _base64(pdf)})
    sent.raise_for_status()
    _right(client.get(sent.headers["Operation-Location"]), '"succeeded"')


def docling(client: httpx.Client, pdf: bytes) -> None:
    """docling-serve, at once."""
    _right(
        client.post(
            "/v1/convert/source",
            json={
                "sources": [
                    {"kind": "file", "base64_string": _base64(pdf), "filename": "a.pdf"}
                ],
                "options": {"to_formats": ["md"]},
            },
        )
    )


def mistral(client: httpx.Client, pdf: bytes) -> None:
    """Mistral OCR."""
    url = f"data:application/pdf;base64,{_base64(pdf)}"
    body = {
        "model": "mistral-ocr-latest",
        "document": {"type": "document_url", "document_url": url},
    }
    _right(client.post("/v1/ocr", json=body))


def textract(client: httpx.Client, pdf: bytes) -> None:
    """Textract."""
    _right(
        client.post(
            "/",
            json={"Document": {"Bytes": _base64(pdf)}, "FeatureTypes": ["TABLES"]},
            headers={
                "X-Amz-Target": "Textract.AnalyzeDocument",
                "Content-Type": "application/x-amz-json-1.1",
                "Authorization": AWS,
            },
        )
    )


FACADES: Mapping[str, Facade] = {
    "Azure Document Intelligence": Facade(flow=azure, requests=2),
    "Mistral OCR": Facade(flow=mistral),
    "PaddleOCR job API": Facade(flow=paddleocr, requests=3),
    "PaddleX /layout-parsing": Facade(flow=paddlex("/layout-parsing")),
    "PaddleX /ocr": Facade(flow=paddlex("/ocr")),
    "Textract AnalyzeDocument": Facade(flow=textract),
    "/api/v1/ocr": Facade(flow=ocr_process, requests=2),
    "/predict": Facade(flow=predict),
    "docling-serve": Facade(flow=docling),
}


def main() -> None:
    """Measure and print the table; exit with 1 if the bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.facades", description=__doc__)
    parser.add_argument("--only", action="append", help="these facades, by name")
    parser.add_argument("--rounds", type=int, default=40)
    arguments = parser.parse_args()
    if arguments.rounds < FEWEST_ROUNDS:
        parser.error(f"--rounds must be at least {FEWEST_ROUNDS}")
    aliases = as_toml(dict.fromkeys(ALIASES, MODEL))
    rows = []
    with served(workers=1, aliases=aliases) as server:
        pdf = document()
        for name in arguments.only or FACADES:
            rows.append(measured(server.client, name, FACADES[name], pdf, arguments.rounds))
        server.stop()
    print(f"{table(rows)}\n\n{model_name()}; load {os.getloadavg()[0]:.1f}")
    sys.exit(0 if all(row.holds for row in rows) else 1)


def measured(client: httpx.Client, name: str, facade: Facade, pdf: bytes, rounds: int) -> Row:
    """A facade's row."""
    ours_by, ours = OURS[facade.requests]
    for flow in (ours, facade.flow, ours, facade.flow):
        flow(client, pdf)  # the second finds the result of the first
    hits = _cache_hits(client)
    theirs_ms, ours_ms = [], []
    for number in range(rounds):
        pair = (facade.flow, ours) if number % 2 else (ours, facade.flow)
        taken = {flow: _timed(flow, client, pdf) for flow in pair}
        theirs_ms.append(taken[facade.flow])
        ours_ms.append(taken[ours])
    if _cache_hits(client) != hits + 2 * rounds:
        raise SystemExit(f"{name}: not every document was answered from the cache")
    pairs = zip(theirs_ms, ours_ms, strict=True)
    over_ms = sorted((theirs - ours) / facade.requests for theirs, ours in pairs)
    lowest, highest = _interval(over_ms)
    return Row(
        measure=f"facade overhead per request: {name}",
        ours=f"{statistics.median(theirs_ms):.1f} ms for {facade.requests}",
        peer=f"{statistics.median(ours_ms):.1f} ms by {ours_by}",
        value=f"{statistics.median(over_ms):.1f} ms ({lowest:.1f}–{highest:.1f})",
        bar=f"≤ {BAR_MS:g} ms",
        holds=highest <= BAR_MS,
    )


def _interval(ordered: Sequence[float]) -> tuple[float, float]:
    """The median's 95 % confidence interval, by the ranks of the measurements."""
    count = len(ordered)
    reach = math.ceil(1.96 * math.sqrt(count) / 2)
    return ordered[max(0, count // 2 - reach)], ordered[min(count - 1, count // 2 + reach)]


def _cache_hits(client: httpx.Client) -> int:
    lines = client.get("/metrics").text.splitlines()
    counts = [line.split()[-1] for line in lines if line.startswith("pagetide_cache_hits")]
    return sum(map(round, map(float, counts)))


def _timed(flow: Flow, client: httpx.Client, pdf: bytes) -> float:
    started = time.perf_counter()
    flow(client, pdf)
    return 1000 * (time.perf_counter() - started)


def _right(answer: httpx.Response, text: str = "Northwick") -> None:
    """Check that an answer contains what it must."""
    if answer.status_code != 200 or text not in answer.text:
        raise SystemExit(f"{answer.request.url}: {answer.status_code} {answer.text[:300]}")


def _json(answer: httpx.Response) -> Any:
    if not answer.is_success:
        raise SystemExit(f"{answer.request.url}: {answer.status_code} {answer.text[:300]}")
    return answer.json()


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


if __name__ == "__main__":
    main()
