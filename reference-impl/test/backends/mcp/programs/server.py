"""Two servers of the package `mcp`, one of each transport, which share nothing but what takes seconds to load. They print their ports, streamable
HTTP first, and serve until their standard input ends.
"""

import os
import socket
import sys
import threading
import warnings

import mcp_types as types
import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.shared.message import ServerMessageMetadata
from pydantic import BaseModel

warnings.simplefilter("ignore")
server = MCPServer("python", version="1.0.0", instructions="be kind", log_level="ERROR")


class Sum(BaseModel):
    sum: float


class Who(BaseModel):
    name: str


@server.tool()
def echo(text: str) -> list[types.TextContent]:
    return [types.TextContent(type="text", text=text)]


@server.tool()
def broken() -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text="no")], is_error=True)


@server.tool()
def add(a: float, b: float) -> Sum:
    return Sum(sum=a + b)


@server.tool()
def link() -> types.CallToolResult:
    named = types.ResourceLink(type="resource_link", uri="memo://note", name="note")
    return types.CallToolResult(content=[named])


@server.tool()
async def slow(context: Context) -> types.CallToolResult:
    for done in (1, 2):
        await context.report_progress(done, 2)
    # A client may read the answer before it looks at progress that came with it; what it answers it looked at afterwards.
    related = ServerMessageMetadata(related_request_id=context.request_context.request_id)
    await context.session.send_request(types.PingRequest(), types.EmptyResult, metadata=related)
    return types.CallToolResult(content=[])


@server.tool()
async def work(context: Context) -> types.CallToolResult:
    session, related = context.session, context.request_context.request_id
    ask = types.SamplingMessage(role="user", content=types.TextContent(type="text", text="how many"))
    sampled = await session.create_message([ask], max_tokens=5, system_prompt="s", related_request_id=related)
    elicited = await context.elicit("who", Who)
    await context.info("logged")
    text = f"{sampled.content.text} {elicited.action} {elicited.data.name}"
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


@server.tool()
async def roots(context: Context) -> types.CallToolResult:
    related = ServerMessageMetadata(related_request_id=context.request_context.request_id)
    found = await context.session.send_request(types.ListRootsRequest(), types.ListRootsResult, metadata=related)
    content = [types.TextContent(type="text", text=f"{root.name} {root.uri}") for root in found.roots]
    return types.CallToolResult(content=content)


@server.tool()
async def touch(context: Context) -> types.CallToolResult:
    await context.session.send_resource_updated("memo://note")
    await context.session.send_tool_list_changed()
    return types.CallToolResult(content=[])


@server.tool()
async def tell(context: Context) -> types.CallToolResult:
    await context.notify_resource_updated("memo://note")
    await context.notify_tools_changed()
    return types.CallToolResult(content=[])


@server.prompt()
def greet(who: str) -> list[UserMessage]:
    return [UserMessage(f"greet {who}")]


@server.resource("memo://note", name="note")
def note() -> str:
    return "noted"


@server.resource("memo://any/{name}", name="any")
def anything(name: str) -> str:
    return f"any {name}"


@server.completion()
async def complete(_ref, argument, _context):
    return types.Completion(values=[f"{argument.value}ou"])


def end_with_standard_input() -> None:
    sys.stdin.read()
    os._exit(0)


listening = [socket.create_server(("127.0.0.1", 0)) for _ in ("streamable", "sse")]
print(*(one.getsockname()[1] for one in listening), flush=True)
is_streamable = os.fork() != 0
app = server.streamable_http_app() if is_streamable else server.sse_app()
own, other = listening if is_streamable else reversed(listening)
other.close()
threading.Thread(target=end_with_standard_input, daemon=True).start()
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[own])
