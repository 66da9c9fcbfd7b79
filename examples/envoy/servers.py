"""Filters that ask a server: ext_authz, ext_proc and the rate limit service."""

from routing import Refused
from words import quantity, seconds, typed


def ext_authz(policy, value, configuration):
    result = {"transport_api_version": "V3", "failure_mode_allow": value.get("failureMode") == "FailOpen"}
    if "http" in value:
        if set(value["http"]) - {"path", "allowedRequestHeaders", "allowedResponseHeaders"} or "path" in value["http"]:
            raise Refused(policy, "spec.traffic.extAuth.http", "no expressions about the request to the server")
        cluster = configuration.cluster(reach(policy, value, configuration))
        timeout = patience(reach(policy, value, configuration))
        service = {"server_uri": {"uri": "http://auth", "cluster": cluster, "timeout": timeout}}
        if value["http"].get("allowedResponseHeaders"):
            names = listed(value["http"]["allowedResponseHeaders"])
            service["authorization_response"] = {"allowed_upstream_headers": names}
        if value["http"].get("allowedRequestHeaders"):
            result["allowed_headers"] = listed(value["http"]["allowedRequestHeaders"])
        result["http_service"] = service
    else:
        if set(value.get("grpc", {})) - {"contextExtensions"}:
            raise Refused(policy, "spec.traffic.extAuth.grpc", "metadata is not computed")
        result["grpc_service"] = grpc(policy, value, configuration)
    if "forwardBody" in value:
        size = quantity(value["forwardBody"]["maxSize"])
        result["with_request_body"] = {"max_request_bytes": size, "pack_as_bytes": True}
    return typed("extensions.filters.http.ext_authz.v3.ExtAuthz", result)


def listed(names):
    return {"patterns": [{"exact": each, "ignore_case": True} for each in names]}


def ext_proc(policy, value, configuration):
    options = value.get("processingOptions", {})
    bodies = {
        "None": "NONE",
        "Buffered": "BUFFERED",
        "BufferedPartial": "BUFFERED_PARTIAL",
        "Streamed": "STREAMED",
        "FullDuplexStreamed": "FULL_DUPLEX_STREAMED",
    }
    mode = {}
    for way in ("request", "response"):
        mode[way + "_header_mode"] = options.get(way + "HeaderMode", "Send").upper()
        mode[way + "_body_mode"] = bodies[options.get(way + "BodyMode", "FullDuplexStreamed")]
        mode[way + "_trailer_mode"] = options.get(way + "TrailerMode", "Send").upper()
    return typed(
        "extensions.filters.http.ext_proc.v3.ExternalProcessor",
        {
            "grpc_service": grpc(policy, value, configuration),
            "failure_mode_allow": value.get("failureMode") == "FailOpen",
            "processing_mode": mode,
            "allow_mode_override": options.get("allowModeOverride", False),
            "message_timeout": patience(reach(policy, value, configuration)),
        },
    )


def global_rate_limit(policy, limit, configuration):
    service = {"transport_api_version": "V3", "grpc_service": grpc(policy, limit, configuration)}
    own = {
        "domain": limit["domain"],
        "rate_limit_service": service,
        "failure_mode_deny": limit.get("failureMode") != "FailOpen",
    }
    own["timeout"] = patience(reach(policy, limit, configuration))
    actions = []
    for each in limit["descriptors"]:
        if each.get("unit", "Requests") != "Requests":
            raise Refused(policy, "spec.traffic.rateLimit.global.descriptors", "only requests are counted")
        cost = str(each.get("cost", 1))
        if not cost.isdigit() or any("request.body" in entry["expression"] for entry in each["entries"]):
            raise Refused(policy, "spec.traffic.rateLimit.global.descriptors", "costs are numbers, and bodies are not seen")
        entries = [descriptor(entry) for entry in each["entries"]]
        actions.append({"actions": entries, "hits_addend": {"number": int(cost)}})
    route = typed("extensions.filters.http.ratelimit.v3.RateLimitPerRoute", {"rate_limits": actions})
    return typed("extensions.filters.http.ratelimit.v3.RateLimit", own), route


def descriptor(entry):
    """An entry of a descriptor: Envoy computes it with the same language."""
    config = {"descriptor_key": entry["name"], "text": entry["expression"]}
    return {
        "extension": {"name": "expr", "typed_config": typed("extensions.rate_limit_descriptors.expr.v3.Descriptor", config)}
    }


def grpc(policy, value, configuration):
    endpoint = reach(policy, value, configuration)
    return {"envoy_grpc": {"cluster_name": configuration.cluster(endpoint, grpc=True)}, "timeout": patience(endpoint)}


def patience(endpoint):
    """How long a server that a policy asks may take: what its backend says."""
    return "%fs" % seconds(endpoint.policy.get("http", (None, {}))[1].get("requestTimeout", "5s"))


def reach(policy, value, configuration):
    endpoint = configuration.resources.endpoint(value["backendRef"], policy)
    if endpoint.address is None:
        endpoint.address = ("127.0.0.1", 1)  # leads nowhere, as the reference does
    return endpoint
