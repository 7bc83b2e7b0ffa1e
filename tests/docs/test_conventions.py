"""Conventions that a program can check: vendors, sizes and names. Layers: `lint-imports`."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "pagetide"
MODULES = sorted(PACKAGE.rglob("*.py"))

# What a name of somebody else's may be imported in.
VENDORS = {
    "click": ("cli",),
    "openvino": ("engines",),
    "onnxruntime": ("engines",),
    "paddleocr": ("engines",),
    "paddlex": ("engines",),
    "pypdfium2": ("inputs",),
    "pypdfium2_raw": ("inputs",),
    "cryptography": ("system.cipher",),
    "pypdf": ("exports",),
    "PIL": ("inputs", "exports", "server.scaling.simulate"),
    "cv2": ("engines", "inputs", "exports"),
    "xlsxwriter": ("exports",),
    "rapidocr": (),
    "sqlalchemy": ("server.stores",),
    "sqlite3": ("server.stores",),
    "psycopg": ("net.postgres", "server.stores.notifications"),
    "celery": ("server.queues",),
    "kombu": ("server.queues",),
    "redis": ("server.queues",),
    "amqp": ("server.queues",),
    "boto3": (),
    "botocore": (
        "net.aws_session",
        "server.stores",
        "server.queues",
        "server.blobs",
        "server.aws_lambda",
    ),
    "mangum": ("server.aws_lambda",),
    "awslambdaric": (),
    "azure": ("server.queues",),
    "grpc": ("server.scaling",),
    "google": ("server.scaling",),
    "obstore": ("server.blobs", "engines.models"),
    "httpx": (
        "net",
        "client",
        "engines",
        "cli.checks",
        "server.worker.deletion_cost",
    ),
    "httpcore": ("net",),
    "fastapi": ("server.api", "server.compat", "server.app"),
    "mcp": ("integrations.mcp",),
    "starlette": ("server.api", "server.compat", "server.app", "server.aws_lambda"),
    "uvicorn": ("server.app.serving", "server.api"),
    "python_multipart": ("server.api",),
    "prometheus_client": ("telemetry.metrics",),
    "opentelemetry": ("telemetry.tracing",),
    "langchain_core": ("integrations.langchain",),
    "llama_index": ("integrations.llama_index",),
    "haystack": ("integrations.haystack",),
    "pyarrow": ("integrations.batch", "integrations.ray", "integrations.spark"),
    "ray": ("integrations.batch", "integrations.ray"),
    "pyspark": ("integrations.batch", "integrations.spark"),
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
MOST_IN_A_FOLDER = 15


def dotted(module: Path) -> str:
    """A module's name below `pagetide`."""
    parts = module.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def within(module: Path, places: tuple[str, ...]) -> bool:
    name = dotted(module)
    return any(name == place or name.startswith(f"{place}.") for place in places)


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


def named(module: Path) -> str:
    return str(module.relative_to(PACKAGE))


def test_a_vendors_package_stands_only_in_its_place() -> None:
    wrong = []
    for module in MODULES:
        packages = {name.split(".")[0] for name in imports(tree_of(module))}
        astray = {one for one in packages & set(VENDORS) if not within(module, VENDORS[one])}
        wrong += [f"{named(module)} imports {package}" for package in astray]
    assert wrong == []


def test_only_settings_reads_the_environment() -> None:
    reads = ("os.environ", "os.getenv", "environb")
    others = [module for module in MODULES if not within(module, ("settings",))]
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


def test_what_installs_an_extra_is_told_from_one_place() -> None:
    told = {
        named(module)
        for module in MODULES
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.search(r"pip install .?(\.|pagetide)\[", node.value)
        if node.value not in docstrings(module)
    }
    assert told == {"errors.py"}


def docstrings(module: Path) -> set[str]:
    """Texts of a module that nobody is told while it runs."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = [node for node in ast.walk(tree_of(module)) if isinstance(node, documented)]
    return {ast.get_docstring(node, clean=False) or "" for node in nodes}


def test_no_function_of_a_package_has_the_name_of_a_module_in_it() -> None:
    """Importing the module would replace the function."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    hidden = []
    for package in PACKAGE.rglob("__init__.py"):
        defined = {node.name for node in tree_of(package).body if isinstance(node, kinds)}
        inside = {path.stem for path in package.parent.glob("*.py")}
        inside |= {path.parent.name for path in package.parent.glob("*/__init__.py")}
        hidden += [f"{dotted(package)}.{name}" for name in defined & inside]
    assert hidden == []


def test_a_folder_has_few_modules() -> None:
    counts = Counter(module.parent for module in MODULES)
    assert {dotted(folder) for folder, n in counts.items() if n > MOST_IN_A_FOLDER} == set()
