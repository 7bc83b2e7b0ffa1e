"""The MCP client over stdio, told by JSON what to do.

    python mcp_stdio.py MODE COMMAND … < calls.json

MODE is `legacy` (with the `initialize` handshake) or `auto`. Each call is `[TOOL, ARGUMENTS]`;
what becomes of each is one of the list under `answers`. `{"cancel": [TOOL, ARGUMENTS], "url":
…, "key": …}` gives a call up as soon as the server there reads for it, and waits for the job's
end.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from functools import partial
from typing import Any

import anyio
import httpx
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client


async def job_when(asking: dict[str, Any], statuses: set[str]) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {asking['key']}"}
    async with httpx.AsyncClient(base_url=asking["url"], headers=headers, timeout=60) as http:
        while True:
            jobs = (await http.get("/v1/jobs?limit=1")).json()["jobs"]
            if jobs and jobs[0]["status"] in statuses:
                return dict(jobs[0])
            await asyncio.sleep(0.05)


async def cancelled(client: Client, asking: dict[str, Any]) -> dict[str, Any]:
    async with anyio.create_task_group() as calls:
        tool, arguments = asking["cancel"]
        calls.start_soon(partial(client.call_tool, tool, arguments))
        await job_when(asking, {"running"})
        calls.cancel_scope.cancel()
    ended = await job_when(asking, {"cancelled", "succeeded", "partial", "failed"})
    return {"status": ended["status"]}


async def answered(client: Client, call: Any) -> dict[str, Any]:
    if isinstance(call, dict):
        return await cancelled(client, call)
    result = await client.call_tool(*call)
    (content,) = result.content
    return {
        "text": getattr(content, "text", None),
        "error": result.is_error,
        "fields": result.structured_content,
    }


async def main() -> None:
    mode, command, *arguments = sys.argv[1:]
    started = StdioServerParameters(command=command, args=arguments, env=dict(os.environ))
    transport = stdio_client(started)
    async with Client(transport, mode=mode) as client:
        listed = await client.list_tools()
        tools = {tool.name: tool.input_schema for tool in listed.tools}
        info = client.server_info
        answers = [await answered(client, call) for call in json.load(sys.stdin)]
    told = {"name": info.name if info else None, "tools": tools, "answers": answers}
    print(json.dumps(told))  # noqa: T201


if __name__ == "__main__":
    anyio.run(main)
