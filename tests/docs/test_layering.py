"""The house rules that a program can check: who imports whom, sizes and names."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "pagetide"
MODULES = sorted(PACKAGE.rglob("*.py"))

# From the ground up. A module may import from its own layer and from those below.
LAYERS: tuple[tuple[str, ...], ...] = (
    (
        "errors",
        "geometry",
        "cpu",
        "watch",
        "part_file",
        "timed_io",
        "ready_types",
        "aws_session",
        "log_queue",
        "store_clock",
        "cipher",
        "cancellation",
    ),
    ("document", "settings_sources", "settings_values", "settings", "disk_room"),
    ("schema", "logs", "tracing", "layout", "labels", "ruling", "language_tags", "alphabets"),
    ("languages", "page_ranges", "words", "check_marks", "structure"),
    ("job", "keys", "page_index", "allowances"),
    ("owing", "moves", "losses", "fair_queueing", "passwords"),
    ("ports",),
    ("net", "inputs", "weights"),
    ("pool_languages", "pages_in_work", "pages_ahead", "read_options", "webhook", "metrics"),
    ("health", "deletion_cost", "blob_owner", "key_use", "pending_uploads", "sandboxes"),
    (
        "reading",
        "inspection",
        "admission",
        "news",
        "wanted",
        "absences",
        "unheard",
        "orphans",
        "erasing",
        "call_limits",
    ),
    ("intake", "capacity"),
    ("service", "deliver", "deliverer"),
    ("claims", "house", "documents_here"),
    ("endings",),
    ("engines", "exports", "stores", "bells", "queues", "blobs"),
    ("finishing",),
    ("worker", "models"),
    ("wiring", "provision"),
    ("checks", "scaling"),
    ("api", "client"),
    ("lambdas", "arrivals", "loaders", "mcp"),
    ("pagetide",),
    ("batch",),
    ("cli",),
    ("__main__",),
)
RANKS = {name: rank for rank, names in enumerate(LAYERS) for name in names}
ADAPTERS = ("engines", "exports", "inputs", "stores", "bells", "queues", "blobs")
# What a name of somebody else's may be imported in.
VENDORS = {
    "click": ("cli",),
    "openvino": ("engines",),
    "onnxruntime": ("engines",),
    "paddleocr": ("engines",),
    "paddlex": ("engines",),
    "pypdfium2": ("inputs",),
    "pypdfium2_raw": ("inputs",),
    "cryptography": ("cipher",),
    "pypdf": ("exports",),
    "PIL": ("inputs", "exports", "scaling"),
    "cv2": ("engines", "inputs", "exports"),
    "xlsxwriter": ("exports",),
    "rapidocr": (),
    "sqlalchemy": ("stores",),
    "sqlite3": ("stores",),
    "psycopg": ("bells", "net"),
    "celery": ("queues",),
    "kombu": ("queues",),
    "redis": ("queues",),
    "amqp": ("queues",),
    "boto3": (),
    "botocore": ("aws_session", "stores", "queues", "blobs", "lambdas"),
    "mangum": ("lambdas",),
    "awslambdaric": (),
    "azure": ("queues",),
    "grpc": ("scaling",),
    "google": ("scaling",),
    "obstore": ("blobs", "weights"),
    "httpx": ("net", "client", "weights", "engines", "checks", "deletion_cost"),
    "httpcore": ("net",),
    "fastapi": ("api",),
    "mcp": ("mcp",),
    "starlette": ("api", "lambdas"),
    "uvicorn": ("api",),
    "python_multipart": ("api",),
    "prometheus_client": ("metrics",),
    "opentelemetry": ("tracing",),
    "langchain_core": ("loaders",),
    "llama_index": ("loaders",),
    "haystack": ("loaders",),
    "pyarrow": ("batch",),
    "ray": ("batch",),
    "pyspark": ("batch",),
}
BANNED = {
    "abstract",
    "base",
    "common",
    "data",
    "factory",
    "handler",
    "helper",
    "helpers",
    "impl",
    "info",
    "manager",
    "obj",
    "processor",
    "util",
    "utils",
}
MOST_LINES = 500


def part(module: Path) -> str:
    """The first name below `pagetide`; `pagetide` for the package's own face."""
    first = module.relative_to(PACKAGE).parts[0]
    return "pagetide" if first == "__init__.py" else first.removesuffix(".py")


def rank(name: str) -> int:
    return RANKS[name]


@cache
def tree_of(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"), module.name)


def imports(tree: ast.Module) -> Iterator[str]:
    """Dotted names of all that a module imports; not what it imports for types alone."""
    typing_only = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if node in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the whole path"
            for alias in node.names:
                yield f"{node.module}.{alias.name}"


def own(name: str) -> str | None:
    """The part of the package that an import is of, or None for somebody else's."""
    names = name.split(".")
    if names[0] != "pagetide":
        return None
    return names[1] if len(names) > 1 and names[1] in RANKS else "pagetide"


def named(module: Path) -> str:
    return str(module.relative_to(PACKAGE))


def test_every_module_has_a_layer() -> None:
    known = {name for layer in LAYERS for name in layer}
    assert {part(module) for module in MODULES} <= known


def test_imports_run_one_way() -> None:
    wrong = []
    for module in MODULES:
        here = part(module)
        parts = {own(name) for name in imports(tree_of(module))} - {None, here}
        above = {name for name in parts if name and rank(name) > rank(here)}
        lazily = {"wiring"} if here == "pagetide" else set()
        wrong += [f"{named(module)} imports {name}" for name in above - lazily]
    assert wrong == []


def test_an_adapter_never_imports_another() -> None:
    wrong = []
    for module in MODULES:
        here = part(module)
        parts = {own(name) for name in imports(tree_of(module))}
        others = parts & set(ADAPTERS) - {here} if here in ADAPTERS else set()
        wrong += [f"{named(module)} imports {name}" for name in others]
    assert wrong == []


def test_a_vendors_package_stands_only_in_its_place() -> None:
    wrong = []
    for module in MODULES:
        packages = {name.split(".")[0] for name in imports(tree_of(module))}
        astray = {one for one in packages & set(VENDORS) if part(module) not in VENDORS[one]}
        wrong += [f"{named(module)} imports {package}" for package in astray]
    assert wrong == []


def test_only_settings_reads_the_environment() -> None:
    reads = ("os.environ", "os.getenv", "environb")
    others = [module for module in MODULES if not part(module).startswith("settings")]
    wrong = [
        f"{named(module)} has {word}"
        for module in others
        for word in reads
        if word in module.read_text(encoding="utf-8")
    ]
    assert wrong == []


def test_a_module_is_short() -> None:
    lengths = {named(m): len(m.read_text(encoding="utf-8").splitlines()) for m in MODULES}
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}


def words(name: str) -> set[str]:
    """`SomeName` and `some_name` as lower-case words."""
    spaced = "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
    return {word for word in spaced.split("_") if word}


def test_no_name_says_nothing() -> None:
    # What a source, and what a model, is; what Python's HTML parser, asyncio, FastAPI and
    # LlamaIndex call.
    called = {"handle_data", "data_received", "get_route_handler", "lazy_load_data"}
    allowed = {"SourceInfo", "ModelInfo", *called}
    wrong = [
        f"{named(module)} has {name}"
        for module in MODULES
        for name in defined(module)
        if words(name) & BANNED and name not in allowed
    ]
    assert wrong == []


def defined(module: Path) -> list[str]:
    """The names of a module, its classes and its functions."""
    nodes = ast.walk(tree_of(module))
    kinds = (ast.ClassDef, ast.FunctionDef)
    own_name = [module.stem] if module.stem != "__init__" else []
    return own_name + [node.name for node in nodes if isinstance(node, kinds)]


def test_importing_pagetide_loads_no_model_runtime() -> None:
    code = "import sys, pagetide; print(*sys.modules)"
    bare = {k: v for k, v in os.environ.items() if not k.startswith("COV")}  # it loads more
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env=bare
    )
    loaded = set(shown.stdout.decode().split())
    assert "pagetide" in loaded
    assert not loaded & (set(VENDORS) | {"numpy"})
