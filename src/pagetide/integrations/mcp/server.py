"""The tools, spoken of in the protocol: `mcp`, its own library, does the speaking."""

from __future__ import annotations

import logging
import threading
from functools import partial
from importlib.metadata import version
from typing import Any

import anyio
import anyio.to_thread
import msgspec
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from pagetide.errors import BadOption, PagetideError, nearest
from pagetide.integrations.mcp.answers import Answer
from pagetide.integrations.mcp.arguments import ToolArguments, schema_of
from pagetide.integrations.mcp.readings import Library
from pagetide.integrations.mcp.tools import TOOLS
from pagetide.system.ready_types import ready

_log = logging.getLogger("pagetide.integrations.mcp")
_INSTRUCTIONS = (
    "Reads PDFs and pictures, scanned or not. Start with read_document; if it says"
    " that pages are not included, call it again with those pages."
)


def serve(library: Library, model: str) -> None:
    """Answer on the standard input and output until the input ends.

    Args:
        library: Has the documents.
        model: What reads where a call names none.
    """
    anyio.run(_serve, library, model)


async def _serve(library: Library, model: str) -> None:
    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(name) for name in TOOLS])

    async def call_tool(_: Any, call: types.CallToolRequestParams) -> types.CallToolResult:
        return await _answered(library, model, call.name, call.arguments or {})

    server: Server[Any] = Server(
        "pagetide",
        version=version("pagetide"),
        title="Pagetide",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _tool(name: str) -> types.Tool:
    kind = TOOLS[name]
    return types.Tool(
        name=name,
        description=kind.says,
        input_schema=schema_of(kind),
        annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=True),
    )


async def _answered(
    library: Library, model: str, name: str, arguments: dict[str, Any]
) -> types.CallToolResult:
    """A tool's answer; where the call is cancelled, the reading ends with the next page."""
    left = threading.Event()
    try:
        tool = _parsed(name, arguments)
        work = partial(tool.answer, library, model, lambda: not left.is_set())
        return _result(await anyio.to_thread.run_sync(work, abandon_on_cancel=True))
    except PagetideError as error:
        return _failure(error.message)
    except Exception:
        _log.exception("a tool failed")
        return _failure("Something went wrong in Pagetide; see its log.")
    finally:
        left.set()


def _parsed(name: str, arguments: dict[str, Any]) -> ToolArguments:
    if name not in TOOLS:
        raise BadOption(f"There is no tool {name[:80]!r}; {nearest(name[:80], TOOLS)}")
    try:
        return msgspec.convert(arguments, ready(TOOLS[name]))
    except msgspec.ValidationError as error:
        raise BadOption(f"The arguments of {name} are wrong: {error}.") from None


def _result(answer: Answer) -> types.CallToolResult:
    text = types.TextContent(type="text", text=answer.text)
    return types.CallToolResult(content=[text], structured_content=answer.fields)


def _failure(message: str) -> types.CallToolResult:
    text = types.TextContent(type="text", text=message)
    return types.CallToolResult(content=[text], is_error=True)
