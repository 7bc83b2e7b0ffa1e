"""Settings of what reads a document: limits, models, and the servers that are asked."""

from __future__ import annotations

from dataclasses import dataclass

from pagetide.settings.field_kinds import hidden, positive


@dataclass(frozen=True, kw_only=True)
class ReadingSettings:
    """Reading a document.

    Attributes:
        threads: Cores the engine may use; 0 means all that are available to the process.
            `--threads` takes precedence.
        runtime: Runtime for the models: `auto`, `openvino`, `onnxruntime` or `cuda`. `auto` is
            OpenVINO.
        max_pages: Maximum pages in one document; more is `too_many_pages`.
        max_pixels: Maximum pixels in one page or picture, decoded or rendered; more is
            `too_many_pixels`.
        max_bytes: Maximum size of one input, in bytes; more is `too_large`.
        page_timeout_s: Timeout for opening a document or preparing one page, in seconds; longer
            is `page_timeout`.
        page_timeouts_max: After this many `page_timeout`s in one document, its remaining pages
            are skipped: `document_too_slow`. 0 means that no page is skipped.
        sandbox: `auto`: the child process that parses and renders is confined as far as the
            kernel allows. `require`: if it cannot be fully confined, servers and workers do not
            start and nothing is opened; `sandbox_too_weak`.
        sandbox_memory_mb: Memory limit of the child process that parses and renders, in
            megabytes; more is `out_of_memory`.
        min_confidence: Lines with lower confidence (0–1) are left out and counted in
            `lines_below_confidence`.
        detection_side: Longest side, in pixels, of the page image that is searched for text.
            Smaller is faster, but merges narrow table cells.
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
        cache_dir: Folder for compiled models; empty means the user's cache folder, `off` means
            none.
        models_dir: Folder for pulled models; empty means `models` in `cache_dir`.
        models_mirror: URL of a mirror of the models, used before the hub: `file:///PATH`,
            `s3://…`, `az://…` or `gs://…`; empty means none.
        models_write_back: Whether networks from the hub are copied to the mirror.
        pull: Whether `pagetide worker` fetches the networks for its pool's models and languages
            before it is ready.
        trust_first_use: Whether networks without a known hash are accepted; the hash is then
            recorded.
        offline: Whether the hub is never contacted.
        precise_model: Model that `auto` uses for pictures, instead of `structure-lite`:
            `pp-structurev3` or `paddleocr-vl`; empty means none.
        paddle_python: Python interpreter with PaddleOCR; empty means this one.
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
            `http://127.0.0.1:8118/v1`; empty means none.
        vl_key: API key for this server.
        vl_served_name: Name under which the server offers the model; empty means the model's
            own name.
        vl_dialect: `vllm`, `sglang`, `llama-cpp`, `fastdeploy` or `openai`.
        vl_concurrency: Maximum blocks that the server reads at once for a worker, over all its
            jobs.
        vl_timeout_s: Timeout of one attempt at a block, in seconds; a block has two attempts,
            and a page has at most `page_deadline_s`.
        vl_cache_mb: Cache for blocks that were read, in megabytes, so that none is read twice.
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
            `http://127.0.0.1:8000/v1`; empty means none: nothing is extracted.
        extract_key: API key for this server.
        extract_served_name: Name under which the server offers its model; empty means that
            requests name no model.
        extract_concurrency: Maximum concurrent requests of one extraction.
        extract_timeout_s: Timeout of one attempt, in seconds; a request has two attempts.
        extract_deadline_s: Timeout of one extraction, in seconds.
        extract_letters: Maximum characters of a document in one request; a longer document is
            sent in parts.
        extract_parts_max: Maximum parts of a long document that are sent: those that match the
            schema best.
        extract_sees: Whether its model can read pictures: page pictures are then sent with the
            text.
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
