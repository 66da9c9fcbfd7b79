"""What a rule of a route comes to: where it stands, and the gateway behind it as a JSON value for server.py."""

from routing import Refused, identity

NOWHERE = ("127.0.0.1", 1)  # nobody listens there


def path_of(rule):
    """The path of a rule; whatever else a match may say is refused."""
    path = rule.match.get("path", {})
    kind, value = path.get("type", "PathPrefix"), path.get("value", "/")
    others = rule.match.keys() - {"path"}
    if others or kind not in ("Exact", "PathPrefix"):
        raise Refused(rule.route, "spec.rules.matches", "requests are matched by host and path only")
    return {"path": value, "exact": kind == "Exact"}


def gateway_of(resources, rule):
    """The gateway behind a rule; None when its reference leads nowhere."""
    if rule.filters or rule.policy or len(rule.endpoints) > 1:
        raise Refused(rule.route, "spec.rules", "a rule leads to one backend, without filters and policies")
    endpoint = next(iter(rule.endpoints), None)
    if endpoint is None or endpoint.backend is None:
        return None
    backend, spec = endpoint.backend, endpoint.backend["spec"]["mcp"]
    targets = [target_of(resources, endpoint, each) for each in spec["targets"]]
    mode = spec.get("prefixMode", "Conditional")
    return {
        "name": "/".join(identity(backend)),
        "targets": targets,
        "prefixed": mode == "Always" or (mode == "Conditional" and len(targets) > 1),
        "closed": spec.get("failureMode", "FailClosed") == "FailClosed",
        "stateless": spec.get("sessionRouting", "Stateful") == "Stateless",
        "authorization": authorization(endpoint.policy),
    }


def target_of(resources, endpoint, target):
    backend, static = endpoint.backend, target.get("static")
    where = "spec.mcp.targets.%s" % target["name"]
    if static is None:
        raise Refused(backend, where, "targets are not found by a selector")
    if "policies" in static and "backendRef" in static:
        raise Refused(backend, where + ".policies", "a Service has no policies here")
    host, port = static.get("host"), static["port"]
    if "backendRef" in static:
        service = resources.get("Service", identity(backend)[0], static["backendRef"]["name"])
        host, port = (service and resources.of_service(service, port) or [NOWHERE])[0]
    above = [*endpoint.places, ("ProxyBackend", backend, target["name"])]
    own = {**resources.effective("backend", above), **endpoint.inline}
    own.update({key: (backend, value) for key, value in static.get("policies", {}).items()})
    protocol = static.get("protocol", "StreamableHTTP")
    path = static.get("path") or {"StreamableHTTP": "/mcp", "SSE": "/sse"}[protocol]
    return {
        "name": target["name"],
        "url": "http://%s:%d%s" % (host, port, path),
        "sse": protocol == "SSE",
        "headers": headers(own),
    }


def authorization(policy):
    """The rule about items; FastMCP has neither guards nor what the documents call authentication of clients."""
    resource, found = policy.get("mcp", (None, {}))
    for name in found.keys() - {"authorization"}:
        raise Refused(resource, "spec.policies.mcp.%s" % name, "of BackendMCP only authorization is implemented")
    return found.get("authorization")


def headers(policy):
    """Of the policies for connections, a key is what can be said to FastMCP."""
    for name, (resource, value) in policy.items():
        if name != "mcp" and (name != "auth" or value.keys() != {"key"}):
            raise Refused(resource, "spec.policies.%s" % name, "only auth.key and mcp are implemented")
    return {"authorization": "Bearer " + policy["auth"][1]["key"]} if "auth" in policy else {}
