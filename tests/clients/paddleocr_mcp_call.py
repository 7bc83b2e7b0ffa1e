"""PaddleOCR's MCP server, and an MCP client that calls its tool.

python paddleocr_mcp_call.py SERVER URL KEY MODEL FILE [PARAMETERS IN JSON]

SERVER is the server's command, as a list in JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def called(
    command: str, url: str, key: str, model: str, file: str, parameters: str = "{}"
) -> object:
    program, *words = json.loads(command)
    server = StdioServerParameters(
        command=program,
        args=[*words, "--ppocr_source", "aistudio", "--model", model],
        env={
            "PADDLEOCR_MCP_AISTUDIO_BASE_URL": url,
            "PADDLEOCR_MCP_AISTUDIO_ACCESS_TOKEN": key,
            "FASTMCP_CHECK_FOR_UPDATES": "off",
            "FASTMCP_SHOW_SERVER_BANNER": "false",
        },
    )
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        (tool,) = (await session.list_tools()).tools
        asked = {
            "input_data": file,
            "output_mode": "detailed",
            "runtime_params": json.loads(parameters),
        }
        answer = await session.call_tool(tool.name, asked)
    content = [each.model_dump(mode="json") for each in answer.content]
    return {"tool": tool.name, "content": content, "failed": bool(answer.is_error)}


if __name__ == "__main__":
    json.dump(asyncio.run(called(*sys.argv[1:])), sys.stdout)
