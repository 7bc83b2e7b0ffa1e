"""The web page: serves the files of `ui`, with the modules of a view bundled.

They hold nothing of anybody, so they need no key; what the page shows it asks of the API, with
the key that its user signed in with. It loads nothing from anywhere else, and its policy says
so to the browser.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from fastapi import APIRouter, Depends
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pagetide.server.api.answers.representation import has_it, takes_gzip
from pagetide.server.api.bodies.parameters import any_parameters
from pagetide.server.api.modules import joined

FOLDER = Path(__file__).parent / "ui"
FIRST = "index.html"
ROOTS = ("shell.js", "docs/docs.js")  # the modules that HTML names
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "connect-src 'self'",
        "font-src 'self'",
        "manifest-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
# A file of any other type is none of the page's.
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".pdf": "application/pdf",
    ".woff2": "font/woff2",
}

# Links to the page may have any parameters, such as those by which their clicks are counted.
router = APIRouter(include_in_schema=False, dependencies=[Depends(any_parameters)])


@dataclass(frozen=True, kw_only=True)
class _File:
    content: bytes
    zipped: bytes  # empty where that is no smaller
    media_type: str
    tag: str


@router.get("/", response_class=Response)
async def show_page(request: Request) -> Response:
    """Show the web page."""
    return _answer(request, FIRST)


@router.get("/ui/{path:path}", response_class=Response)
async def show_file(request: Request, path: str) -> Response:
    """Return one of the files of the web page."""
    return _answer(request, path)


def _answer(request: Request, path: str) -> Response:
    found = _files().get(path)
    if found is None:
        raise HTTPException(404)
    headers = {
        "ETag": f'W/"{found.tag}"',  # one for both ways of sending it
        "Cache-Control": "no-cache",  # asked for again each time, so that no two versions mix
        "Content-Security-Policy": POLICY,
        "Vary": "Accept-Encoding",
    }
    if has_it(request, found.tag):
        return Response(status_code=304, headers=headers)
    content = found.content
    if found.zipped and takes_gzip(request):
        content, headers["Content-Encoding"] = found.zipped, "gzip"
    return Response(content, headers=headers, media_type=found.media_type)


@functools.cache
def _files() -> dict[str, _File]:
    """All of the page's files by their path; what is not here cannot be asked for."""
    found = {
        path.relative_to(FOLDER).as_posix(): path.read_bytes()
        for path in sorted(FOLDER.rglob("*"))
        if path.suffix in _TYPES and path.is_file()
    }
    modules = {name: found.pop(name).decode() for name in list(found) if _is_module(name)}
    found |= {name: text.encode() for name, text in joined(modules, ROOTS).items()}
    return {name: _file(name, content) for name, content in found.items()}


def _is_module(name: str) -> bool:
    return name.endswith(".js") and name != "ahead.js"  # a script, run before all else


def _file(name: str, content: bytes) -> _File:
    zipped = gzip.compress(content, mtime=0)
    return _File(
        content=content,
        zipped=zipped if len(zipped) < len(content) else b"",
        media_type=_TYPES[PurePosixPath(name).suffix],
        tag=hashlib.sha256(content).hexdigest()[:32],
    )
