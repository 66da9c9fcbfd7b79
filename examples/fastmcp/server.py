"""Gateways made of FastMCP behind one port: `python server.py PORT`.

Each line on stdin is what shall be served from now on, a list of rules; the answer is a line on stdout when it is served.
A gateway that is in the old list and in the new one goes on, with its sessions.
"""

import asyncio
import json
import os
import sys

import uvicorn
from fastmcp import FastMCP
from fastmcp.client.transports import SSETransport, StreamableHttpTransport
from fastmcp.server import create_proxy
from fastmcp.server.event_store import EventStore
from rules import middleware
from starlette.responses import PlainTextResponse

# Which revisions of the protocol targets are spoken to in: auto asks them, mirror takes that of the client.
MODE = {"auto": "auto", "mirror": None}[os.environ.get("FASTMCP_MODE", "auto")]
# How clients are answered: in event streams, in streams that can be taken up again, or whole.
ANSWERS = os.environ.get("FASTMCP_ANSWERS", "events")
ENDPOINT = "/mcp"


def gateway(wanted):
    """The server that clients see: a proxy of the one target, or one on which the proxies of all targets are mounted."""
    strategy = "raise" if wanted["closed"] else "warn"
    if len(wanted["targets"]) == 1 and not wanted["prefixed"]:
        whole = proxy(wanted["targets"][0], strategy)
    else:
        whole = FastMCP(wanted["name"])
        whole.provider_error_strategy = strategy
        for target in wanted["targets"]:
            whole.mount(proxy(target, "raise"), namespace=target["name"] if wanted["prefixed"] else None)
    for each in middleware(wanted["authorization"]):
        whole.add_middleware(each)
    return whole


def proxy(target, strategy):
    transport = SSETransport if target["sse"] else StreamableHttpTransport
    to = transport(target["url"], headers=target["headers"])
    return create_proxy(to, mode=MODE, name=target["name"], provider_error_strategy=strategy)


class Running:
    """A gateway that serves: it lives in a task of its own, from its start to its end."""

    def __init__(self, wanted):
        self.app = gateway(wanted).http_app(
            path=ENDPOINT,
            stateless_http=wanted["stateless"],
            json_response=ANSWERS == "whole",
            event_store=EventStore() if ANSWERS == "resumable" else None,
            host_origin_protection=False,
        )
        self.ready, self.over = asyncio.Event(), asyncio.Event()
        self.task = asyncio.create_task(self.live())

    async def live(self):
        async with self.app.router.lifespan_context(self.app):
            self.ready.set()
            await self.over.wait()


class Front:
    """Finds the gateway of a request by its host and path."""

    def __init__(self):
        self.rules, self.running = [], {}

    async def change(self, rules):
        wanted = {json.dumps(each["gateway"]): each["gateway"] for each in rules if each["gateway"]}
        started = {key: Running(value) for key, value in wanted.items() if key not in self.running}
        for each in started.values():
            await each.ready.wait()
        old = {key: each for key, each in self.running.items() if key not in wanted}
        self.running = {key: {**self.running, **started}[key] for key in wanted}
        self.rules = rules
        for each in old.values():
            each.over.set()

    async def __call__(self, scope, receive, send):
        found = self.find(scope)
        if found is None:
            await PlainTextResponse("no route", 404)(scope, receive, send)
        elif found["gateway"] is None:
            await PlainTextResponse("no backend", 500)(scope, receive, send)
        else:
            app = self.running[json.dumps(found["gateway"])].app
            await app({**scope, "path": ENDPOINT, "raw_path": ENDPOINT.encode()}, receive, send)

    def find(self, scope):
        host = dict(scope["headers"]).get(b"host", b"").decode().rsplit(":", 1)[0].lower()
        return next((each for each in self.rules if serves(each, host, scope["path"])), None)


def serves(rule, host, path):
    name, start = rule["host"], rule["path"].rstrip("/")
    if not (name in ("", host) or (name.startswith("*.") and host.endswith(name[1:]))):
        return False
    return path == rule["path"] if rule["exact"] else path == start or path.startswith(start + "/")


async def main():
    front = Front()
    config = uvicorn.Config(front, host="127.0.0.1", port=int(sys.argv[1]), lifespan="off", log_level="warning")
    http = uvicorn.Server(config)
    serving = asyncio.create_task(http.serve())
    while not http.started:
        await asyncio.sleep(0.01)
    while line := await asyncio.to_thread(sys.stdin.readline):
        try:
            await front.change(json.loads(line))
            answer = {"ok": True}
        except Exception as error:  # a gateway that cannot be built is told, and the old ones go on
            answer = {"error": {"message": "%s: %s" % (type(error).__name__, error)}}
        print(json.dumps(answer), flush=True)
    http.should_exit = True
    await serving


if __name__ == "__main__":
    asyncio.run(main())
