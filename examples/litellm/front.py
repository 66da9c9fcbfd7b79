"""The front: an ASGI application before LiteLLM's. By host and path of a request it finds the rule of an HTTPRoute; a request to a
provider of models goes on to LiteLLM's own path for its format, with the group of deployments in front of the name of the model.
Nothing else of it is touched, and nothing of the answer.
"""

import functools
import http.client
import json
from asyncio import to_thread

from backends import Models
from providers import USUAL_PATHS
from routing import covers

CAN = {"litellm_provider": "openai", "supports_native_streaming": True, "supports_reasoning": True}
HOP = {b"connection", b"keep-alive", b"transfer-encoding", b"host", b"content-length"}


async def anybody(request, api_key):
    """LiteLLM's question who a client is (`custom_auth`)."""
    from litellm.proxy._types import UserAPIKeyAuth

    return UserAPIKeyAuth(api_key="anybody")


class Front:
    def __init__(self, app):
        self.app, self.hosts = app, []

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        rule = self.rule(scope)
        endpoint = rule and next((each for each in rule.endpoints if each.weight), None)
        if endpoint is None:
            return await answer(send, 404 if rule is None else 500)
        if isinstance(endpoint.address, Models):
            return await self.to_models(endpoint.address, scope, receive, send)
        return await forward(endpoint.address, scope, receive, send)

    def rule(self, scope):
        host = dict(scope["headers"]).get(b"host", b"").decode("latin1").lower().rsplit(":", 1)[0]
        matching = [each for each in self.hosts if covers(each.host, host)]
        found = max(matching, key=lambda each: (each.host == host, len(each.host)), default=None)
        path = scope["raw_path"].decode("latin1").split("?")[0]
        return next((each for each in found.rules if matches(each.match, path)), None) if found else None

    async def to_models(self, models, scope, receive, send):
        wanted = format_of(models.routes, scope["path"])
        if models.groups[wanted] is None:
            return await answer(send, 400, "the provider has no format that this request could be translated to")
        body = await whole(receive)
        try:
            request = json.loads(body)
            model = request["model"] if isinstance(request["model"], str) else None
        except (ValueError, TypeError, KeyError):
            model = None
        if model is None:
            return await answer(send, 400, "a request to a model names it")
        known(model)
        body = json.dumps({**request, "model": "%s/%s" % (models.groups[wanted], model)}).encode()
        headers = [each for each in scope["headers"] if each[0] != b"content-length"]
        headers.append((b"content-length", str(len(body)).encode()))
        path = USUAL_PATHS[wanted]
        inner = {**scope, "path": path, "raw_path": path.encode(), "headers": headers}
        inner["litellm.client_requested_model"] = model  # answers tell the client its own word
        await self.app(inner, replay(body, receive), send)


@functools.cache
def known(model):
    """An operator tells LiteLLM what the models that are not in its list can do; it takes them for ones that can neither stream
    nor reason."""
    import litellm

    if isinstance(model, str) and model not in litellm.model_cost:
        litellm.register_model({"openai/" + model: CAN})


def format_of(routes, path):
    keys = [each for each in routes if each != "*" and path.endswith(each)]
    key = max(keys, key=len, default="*")
    return routes.get(key, "Completions")


def matches(match, path):
    wanted = match.get("path", {})
    kind, value = wanted.get("type", "PathPrefix"), wanted.get("value", "/")
    if kind == "Exact":
        return path == value
    return path == value or path.startswith(value.rstrip("/") + "/")


async def whole(receive):
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    return body


def replay(body, receive):
    rest = [{"type": "http.request", "body": body, "more_body": False}]

    async def again():
        return rest.pop() if rest else await receive()

    return again


async def answer(send, status, text=""):
    headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(text)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})


async def forward(address, scope, receive, send):
    """A request to a static backend."""
    body = await whole(receive)
    target = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
    headers = [(name, value) for name, value in scope["headers"] if name not in HOP]

    def ask():
        connection = http.client.HTTPConnection(*address)
        connection.putrequest(scope["method"], target.decode("latin1"), skip_host=True, skip_accept_encoding=True)
        for name, value in [*headers, (b"host", dict(scope["headers"])[b"host"])]:
            connection.putheader(name, value)
        if body:
            connection.putheader("content-length", str(len(body)))
        connection.endheaders(body)
        reply = connection.getresponse()
        return reply.status, reply.getheaders(), reply.read()

    try:
        status, received, content = await to_thread(ask)
    except OSError as error:
        return await answer(send, 502, str(error))
    kept = [(n.lower().encode(), v.encode("latin1")) for n, v in received if n.lower().encode() not in HOP]
    kept.append((b"content-length", str(len(content)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": kept})
    await send({"type": "http.response.body", "body": content})
