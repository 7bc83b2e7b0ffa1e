"""What facades add to a request: `python -m bench.facades [--only NAME] [--rounds N]`.

One server, one document of one page with a table, its result in the cache: so no engine is
in the figures. In each round a facade's requests and ours for the same run one after the
other, in turns which comes first; the overhead is the median of the differences, over the
number of requests. Facades that answer at once are held against `POST /v1/read`, those with
jobs against `POST /v1/jobs`, the status, and the result.
"""

from __future__ import annotations

import argparse
import base64
import io
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import pypdf

from bench.corpus import SAMPLES
from bench.rows import Row, table
from bench.served import served
from pagetide.cpu import model_name

BAR_MS = 20.0
MODEL = "structure-lite"
ALIASES = ("ocr", "prebuilt-layout", "prebuilt-read", "PP-StructureV3", "mistral-ocr-latest")
AWS = "AWS4-HMAC-SHA256 Credential=any/20261122/us-east-1/textract/aws4_request"
AZURE = "/documentintelligence/documentModels/prebuilt-layout:analyze?api-version=2024-11-30"
Flow = Callable[[httpx.Client, bytes], None]


@dataclass(frozen=True, kw_only=True)
class Facade:
    """One facade's way to read the document.

    Attributes:
        flow: Does it, and raises where it does not come out right.
        requests: How many it makes.
        has_jobs: Whether it asks for a result later, rather than waiting for it.
    """

    flow: Flow
    requests: int = 1
    has_jobs: bool = False


def document() -> bytes:
    """The first page of a sample: an invoice, its text its own."""
    writer, written = pypdf.PdfWriter(), io.BytesIO()
    writer.add_page(pypdf.PdfReader(SAMPLES / "mixed.pdf").pages[0])
    writer.write(written)
    return written.getvalue()


def read(client: httpx.Client, pdf: bytes) -> None:
    """Ours, at once."""
    _right(client.post("/v1/read", files={"file": ("a.pdf", pdf)}, data={"model": MODEL}))


def jobs(client: httpx.Client, pdf: bytes) -> None:
    """Ours, by a job: three requests."""
    sent = client.post("/v1/jobs", files={"file": ("a.pdf", pdf)}, data={"model": MODEL})
    job = _json(sent)["id"]
    _right(client.get(f"/v1/jobs/{job}?wait=20"), "succeeded")
    _right(client.get(f"/v1/jobs/{job}/result"))


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
    "Azure Document Intelligence": Facade(flow=azure, requests=2, has_jobs=True),
    "Mistral OCR": Facade(flow=mistral),
    "PaddleOCR job API": Facade(flow=paddleocr, requests=3, has_jobs=True),
    "PaddleX /layout-parsing": Facade(flow=paddlex("/layout-parsing")),
    "PaddleX /ocr": Facade(flow=paddlex("/ocr")),
    "Textract AnalyzeDocument": Facade(flow=textract),
    "/api/v1/ocr": Facade(flow=ocr_process, requests=2, has_jobs=True),
    "/predict": Facade(flow=predict),
    "docling-serve": Facade(flow=docling),
}


def main() -> None:
    """Measure and print the table; end with 1 if the bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.facades", description=__doc__)
    parser.add_argument("--only", action="append", help="these facades, by name")
    parser.add_argument("--rounds", type=int, default=40)
    arguments = parser.parse_args()
    aliases = ",".join(f"{name}={MODEL}" for name in ALIASES)
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
    ours = jobs if facade.has_jobs else read
    for flow in (ours, facade.flow, ours, facade.flow):
        flow(client, pdf)  # the second finds the result that the first left
    theirs_ms, ours_ms, over_ms = [], [], []
    for number in range(rounds):
        pair = (facade.flow, ours) if number % 2 else (ours, facade.flow)
        taken = {flow: _timed(flow, client, pdf) for flow in pair}
        theirs_ms.append(taken[facade.flow])
        ours_ms.append(taken[ours])
        over_ms.append((taken[facade.flow] - taken[ours]) / facade.requests)
    over = statistics.median(over_ms)
    quarters = statistics.quantiles(over_ms, n=4)
    ours_by = "/v1/jobs" if facade.has_jobs else "/v1/read"
    return Row(
        measure=f"facade overhead per request: {name}",
        ours=f"{statistics.median(theirs_ms):.1f} ms for {facade.requests}",
        peer=f"{statistics.median(ours_ms):.1f} ms by {ours_by}",
        value=f"{over:.1f} ms ({quarters[0]:.1f}–{quarters[2]:.1f})",
        bar=f"≤ {BAR_MS:g} ms",
        holds=over <= BAR_MS,
    )


def _timed(flow: Flow, client: httpx.Client, pdf: bytes) -> float:
    started = time.perf_counter()
    flow(client, pdf)
    return 1000 * (time.perf_counter() - started)


def _right(answer: httpx.Response, text: str = "Northwick") -> None:
    """See that an answer holds what it must."""
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
