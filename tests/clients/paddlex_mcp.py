"""`paddleocr-mcp` in its self-hosted mode, over stdio, asked by an MCP client.

    python paddlex_mcp.py SERVER URL MODEL ARGUMENTS

SERVER is the server's command, as a list in JSON. The arguments are a list, in JSON, of those
of each call of its one tool. It prints the tool's name, and of each call whether it told of an
error, and its content.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(command: str, url: str, model: str, arguments: str) -> None:
    program, *words = json.loads(command)
    server = StdioServerParameters(
        command=program,
        args=words,
        env={
            **os.environ,
            "FASTMCP_CHECK_FOR_UPDATES": "off",
            "FASTMCP_SHOW_SERVER_BANNER": "false",
            "PADDLEOCR_MCP_MODEL": model,
            "PADDLEOCR_MCP_PPOCR_SOURCE": "self_hosted",
            "PADDLEOCR_MCP_SELF_HOSTED_BASE_URL": url,
        },
    )
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        tool = (await session.list_tools()).tools[0].name
        answers = []
        for given in json.loads(arguments):
            kind = "pdf" if given["input_data"].endswith(".pdf") else "image"
            answer = await session.call_tool(tool, {"file_type": kind, **given})
            content = [part.model_dump(mode="json") for part in answer.content]
            answers.append({"error": answer.is_error, "content": content})
    json.dump({"tool": tool, "answers": answers}, sys.stdout)


asyncio.run(main(*sys.argv[1:]))
