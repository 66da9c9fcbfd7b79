"""A client of the package `mcp`: does what each line of standard input asks and answers with a line.

A line is {url, transport, mode, script}: `transport` is `streamable` or `sse`, `mode` is `legacy` (initialize) or `auto` (discover first),
`script` a list of [verb, argument...]. The answer is {outcomes, heard}: one outcome per verb, and all that the server asked and told.
"""

import json
import sys
import warnings

import anyio
import mcp_types as types
from mcp import Client, MCPError
from mcp.client.sse import sse_client

warnings.simplefilter("ignore")


def plain(value):
    return value.model_dump(mode="json", by_alias=True, exclude_none=True) if hasattr(value, "model_dump") else value


class Ears:
    """Hears what the server asks and tells, and answers."""

    def __init__(self):
        self.heard = []
        self.news = anyio.Condition()

    async def hear(self, method, params):
        async with self.news:
            self.heard.append([method, plain(params)])
            self.news.notify_all()

    def has(self, method):
        return any(heard == method for heard, _ in self.heard)

    async def await_news(self, seconds):
        async with self.news:
            with anyio.move_on_after(seconds):
                await self.news.wait()

    async def sample(self, _context, params):
        await self.hear("sampling/createMessage", params)
        content = types.TextContent(type="text", text="sampled")
        return types.CreateMessageResult(model="m", role="assistant", content=content)

    async def elicit(self, _context, params):
        await self.hear("elicitation/create", params)
        return types.ElicitResult(action="accept", content={"name": "me"})

    async def roots(self, _context):
        await self.hear("roots/list", None)
        return types.ListRootsResult(roots=[types.Root(uri="file:///a", name="a")])

    async def told(self, message):
        if isinstance(message, Exception):
            await self.hear("exception", repr(message))
        elif message.method != "notifications/progress":
            await self.hear(message.method, message.params)


async def call(client, _ears, name, arguments):
    progress = []

    async def note(done, total, _message):
        progress.append([done, total])

    result = await client.call_tool(name, arguments, progress_callback=note)
    return {"result": plain(result), "progress": progress}


async def call_until(client, ears, name, *methods):
    """A stream of its own may open late: what nobody heard is said again."""
    while not all(map(ears.has, methods)):
        await client.call_tool(name, {})
        await ears.await_news(0.2)


async def listen(client, ears, wanted, name, *methods):
    """A subscription, a tool that tells of changes, and what came of it."""
    flags = {
        "tools_list_changed": wanted.get("toolsListChanged", False),
        "prompts_list_changed": wanted.get("promptsListChanged", False),
        "resource_subscriptions": wanted.get("resourceSubscriptions", ()),
    }
    async with client.listen(**flags) as subscription:
        await client.call_tool(name, {})
        while not all(map(ears.has, methods)):
            await ears.await_news(0.2)
        return {"agreed": plain(subscription.honored)}


async def introduction(client, _ears):
    return {
        "server": plain(client.server_info),
        "capabilities": plain(client.server_capabilities),
        "instructions": client.instructions,
    }


async def revision(client, _ears):
    return client.protocol_version


VERBS = {
    "revision": revision,
    "introduction": introduction,
    "ping": lambda client, _: client.send_ping(),
    "tools": lambda client, _: client.list_tools(),
    "call": call,
    "prompts": lambda client, _: client.list_prompts(),
    "prompt": lambda client, _, name, arguments: client.get_prompt(name, arguments),
    "resources": lambda client, _: client.list_resources(),
    "templates": lambda client, _: client.list_resource_templates(),
    "read": lambda client, _, uri: client.read_resource(uri),
    "complete": lambda client, _, name, argument: client.complete(types.PromptReference(name=name), argument),
    "level": lambda client, _, level: client.set_logging_level(level),
    "callUntil": call_until,
    "listen": listen,
}


async def outcome(client, ears, verb, arguments):
    try:
        return plain(await VERBS[verb](client, ears, *arguments))
    except MCPError as error:
        return {"code": error.error.code, "message": error.error.message}


async def follow(asked):
    ears = Ears()
    client = Client(
        sse_client(asked["url"]) if asked["transport"] == "sse" else asked["url"],
        mode=asked["mode"],
        read_timeout_seconds=15,
        sampling_callback=ears.sample,
        elicitation_callback=ears.elicit,
        list_roots_callback=ears.roots,
        message_handler=ears.told,
    )
    outcomes = []
    async with client:
        for verb, *arguments in asked["script"]:
            with anyio.fail_after(15):
                outcomes.append(await outcome(client, ears, verb, arguments))
    return {"outcomes": outcomes, "heard": ears.heard}


def cause(error):
    return cause(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


for line in sys.stdin:
    try:
        answer = anyio.run(follow, json.loads(line))
    except Exception as error:
        answer = {"failed": repr(cause(error))}
    print(json.dumps(answer), flush=True)
