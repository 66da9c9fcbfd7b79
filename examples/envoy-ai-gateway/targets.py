"""Targets of a ProxyBackend of type mcp: where each is, and what it is shown."""

from dataclasses import dataclass

from providers import bare, effective
from routing import Endpoint, Refused, identity

NOWHERE = ("127.0.0.1", 1)  # nobody listens there


@dataclass
class Target:
    name: str
    endpoint: Endpoint
    path: str
    headers: list

    def entry(self):
        return [self.name, self.endpoint.address, self.path, self.headers]


def target_of(resources, endpoint, target):
    backend, static = endpoint.backend, target.get("static")
    where = "spec.mcp.targets.%s" % target["name"]
    if static is None:
        raise Refused(backend, where, "targets are not found by a selector")
    if static.get("protocol", "StreamableHTTP") != "StreamableHTTP":
        raise Refused(backend, where, "only the transport StreamableHTTP is implemented")
    if backend["spec"]["mcp"].get("sessionRouting", "Stateful") == "Stateless":
        raise Refused(backend, "spec.mcp.sessionRouting", "the gateway has sessions")
    policy = effective(resources, endpoint, target["name"], static.get("policies", {}))
    for name, (source, value) in policy.items():
        if name != "auth" or set(value) - {"key", "passthrough"}:
            raise Refused(source, "backend.%s" % name, "only auth.key is implemented")
    address = (static.get("host"), static["port"])
    if "backendRef" in static:
        service = resources.get("Service", identity(backend)[0], static["backendRef"]["name"])
        address = (service and resources.of_service(service, static["port"]) or [NOWHERE])[0]
    auth = policy.get("auth", (None, {}))[1]
    headers = [("authorization", "Bearer " + bare(auth["key"]))] if "key" in auth else []
    return Target(target["name"], Endpoint(1, address), static.get("path") or "/mcp", headers)
