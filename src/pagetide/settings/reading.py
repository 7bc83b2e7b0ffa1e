"""Settings of what reads a document: limits, models, and the servers that are asked."""

from __future__ import annotations

from dataclasses import dataclass

from pagetide.settings.field_kinds import hidden, positive


@dataclass(frozen=True, kw_only=True)
class ReadingSettings:
    """Reading a document.

    Attributes:
        threads: Cores the engine may use; 0 means all that this process may use. `--threads`
            takes precedence.
        runtime: What runs the models: `auto`, `openvino`, `onnxruntime` or `cuda`. `auto` is
            OpenVINO.
        max_pages: Maximum pages in one document; more is `too_many_pages`.
        max_pixels: Maximum pixels in one page or picture, decoded or rendered; more is
            `too_many_pixels`.
        max_bytes: Maximum size of one input, in bytes; more is `too_large`.
        page_timeout_s: Maximum seconds for opening a document or preparing one page; longer is
            `page_timeout`.
        page_timeouts_max: After so many `page_timeout`s of one document its remaining pages are
            not tried: `document_too_slow`. 0 means that all are.
        sandbox: `auto`: the child that parses and renders is confined as far as the kernel
            can. `require`: servers and workers do not start, and nothing is opened, where it
            cannot be confined in full; `sandbox_too_weak`.
        sandbox_memory_mb: Memory of the child that parses and renders, in megabytes; more is
            `out_of_memory`.
        min_confidence: Lines read with less confidence (0–1) are left out and counted in
            `lines_below_confidence`.
        detection_side: The longest side, in pixels, at which a page is searched for text.
            Smaller is faster, and merges narrow table cells.
    """

    threads: int = 0
    runtime: str = "auto"
    max_pages: int = positive(5000)
    max_pixels: int = positive(100_000_000)
    max_bytes: int = positive(1_000_000_000)
    page_timeout_s: float = positive(20.0)
    page_timeouts_max: int = 5
    sandbox: str = "auto"
    sandbox_memory_mb: int = positive(1200)
    min_confidence: float = 0.5
    detection_side: int = positive(1600)


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """Models.

    Attributes:
        cache_dir: Where compiled models are kept; empty means the user's cache folder, `off`
            means nowhere.
        models_dir: Where models that were pulled are kept; empty means `models` in
            `cache_dir`.
        models_mirror: URL of a copy of the models, asked before the hub: `file:///PATH`,
            `s3://…`, `az://…` or `gs://…`; empty means none.
        models_write_back: Whether what came from the hub is put into the mirror.
        pull: Whether a worker of `pagetide worker` fetches the networks that its pool's models
            need, in its languages, before it is ready.
        trust_first_use: Whether networks are taken whose hash is not known beforehand; it is
            then recorded.
        offline: Whether the hub is never asked.
        precise_model: The model that `auto` reads pictures with, in place of
            `structure-lite`: `pp-structurev3` or `paddleocr-vl`; empty means none.
        paddle_python: The Python that has PaddleOCR installed; empty means this one.
    """

    cache_dir: str = ""
    models_dir: str = ""
    models_mirror: str = hidden()
    models_write_back: bool = False
    pull: bool = False
    trust_first_use: bool = False
    offline: bool = False
    precise_model: str = ""
    paddle_python: str = ""


@dataclass(frozen=True, kw_only=True)
class VlSettings:
    """The server of PaddleOCR-VL.

    Attributes:
        vl_url: Base URL of the OpenAI-compatible server that runs PaddleOCR-VL, such as
            `http://127.0.0.1:8118/v1`; empty means there is none.
        vl_key: The key it is shown.
        vl_served_name: The name it serves the model under; empty means the model's own.
        vl_dialect: `vllm`, `sglang`, `llama-cpp`, `fastdeploy` or `openai`.
        vl_concurrency: Maximum blocks that it reads at once, of all jobs of a worker.
        vl_timeout_s: Maximum seconds of one attempt at a block; a block has two, and a page no
            longer than `page_deadline_s`.
        vl_cache_mb: Memory for the blocks it has read, in megabytes, so that none is read
            twice.
    """

    vl_url: str = hidden()
    vl_key: str = hidden()
    vl_served_name: str = ""
    vl_dialect: str = "vllm"
    vl_concurrency: int = positive(64)
    vl_timeout_s: float = positive(50.0)
    vl_cache_mb: int = 64


@dataclass(frozen=True, kw_only=True)
class ExtractSettings:
    """The model server that finds values for a schema.

    Attributes:
        extract_url: Base URL of an OpenAI-compatible server, such as
            `http://127.0.0.1:8000/v1`; empty means there is none, and nothing is extracted.
        extract_key: The key it is shown.
        extract_served_name: The name it serves its model under; empty means that none is
            named.
        extract_concurrency: Maximum requests that one extraction has under way.
        extract_timeout_s: Maximum seconds of one attempt; a request has two.
        extract_deadline_s: Maximum seconds of one extraction.
        extract_letters: Maximum letters of a document in one request; a longer document is
            asked in parts.
        extract_parts_max: Maximum parts of a long document that are asked: those that have
            most to do with the schema.
        extract_sees: Whether its model sees: pictures of pages are sent beside their text.
    """

    extract_url: str = hidden()
    extract_key: str = hidden()
    extract_served_name: str = ""
    extract_concurrency: int = positive(8)
    extract_timeout_s: float = positive(60.0)
    extract_deadline_s: float = positive(300.0)
    extract_letters: int = positive(24_000)
    extract_parts_max: int = positive(8)
    extract_sees: bool = False
