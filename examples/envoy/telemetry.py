"""frontend.accessLog and frontend.tracing: what goes to a collector of OpenTelemetry."""

import ast
import re

from expressions import FORMATTER, FUNCTIONS, SWITCHES, computed, translated
from routing import Refused
from sampling import sampler
from words import typed

LOG = "extensions.access_loggers.open_telemetry.v3.OpenTelemetryAccessLogConfig"
RESOURCES = "extensions.tracers.opentelemetry.resource_detectors.v3.StaticConfigResourceDetectorConfig"
# Attributes of an entry that a policy may leave out by name.
DEFAULTS = {
    "http.method": "%REQ(:METHOD)%",
    "http.host": "%REQ(:AUTHORITY)%",
    "http.path": "%PATH(NQ)%",
    "http.status": "%RESPONSE_CODE%",
    "duration": "%DURATION%",
}


def access_log(policy, wanted, configuration):
    """An entry of the access_log of a connection manager: for a collector, or on standard output."""
    place, otlp = "spec.frontend.accessLog", wanted.get("otlp", {})
    names = otlp.get("attributes", wanted.get("attributes", {}))
    values = {key: text for key, text in DEFAULTS.items() if key not in names.get("remove", [])}
    for each in names.get("add", []):
        values[each["name"]] = computed(translated(policy, place, each["expression"]))
    if otlp:
        own = {
            "log_name": "requests",
            "disable_builtin_labels": True,
            "buffer_flush_interval": "0.100s",
            "body": {"string_value": "%REQ(:METHOD)% %PATH(NQ)% %RESPONSE_CODE%"},
            "attributes": {"values": [{"key": key, "value": {"string_value": text}} for key, text in values.items()]},
            "formatters": [FORMATTER],
            **collector(policy, otlp, "/v1/logs", configuration),
        }
        entry = {"name": "collector", "typed_config": typed(LOG, own)}
    else:
        own = {"log_format": {"json_format": values, "formatters": [FORMATTER]}}
        entry = {"name": "output", "typed_config": typed("extensions.access_loggers.stream.v3.StdoutAccessLog", own)}
    condition = otlp.get("filter", wanted.get("filter"))
    if condition is not None:
        own = {"expression": translated(policy, place, condition), "cel_config": {each: True for each in SWITCHES}}
        config = typed("extensions.access_loggers.filters.cel.v3.ExpressionFilter", own)
        entry["filter"] = {"extension_filter": {"name": "condition", "typed_config": config}}
    return entry


def collector(policy, wanted, usual, configuration):
    """How a collector is reached: over gRPC unless the policy says HTTP."""
    endpoint = configuration.resources.endpoint(wanted["backendRef"], policy)
    endpoint.address = endpoint.address or ("127.0.0.1", 1)  # leads nowhere
    if wanted.get("protocol", "GRPC") == "GRPC":
        return {"grpc_service": {"envoy_grpc": {"cluster_name": configuration.cluster(endpoint, grpc=True)}}}
    endpoint.policy = {"http": (policy, {"version": "HTTP1"}), **endpoint.policy}
    uri = "http://collector" + wanted.get("path", usual)
    return {"http_service": {"http_uri": {"uri": uri, "cluster": configuration.cluster(endpoint), "timeout": "5s"}}}


def tracing(policy, wanted, configuration):
    place = "spec.frontend.tracing"
    for member in {"filter"} & set(wanted):
        raise Refused(policy, "%s.%s" % (place, member), "Envoy exports every sampled span")
    if "remove" in wanted.get("attributes", {}):
        raise Refused(policy, place + ".attributes.remove", "Envoy keeps its own attributes")
    provider = collector(policy, wanted, "/v1/traces", configuration)
    provider["service_name"] = "envoy"
    provider["sampler"] = sampler(policy, wanted)
    if "resources" in wanted:
        values = {each["name"]: constant(policy, place + ".resources", each["expression"]) for each in wanted["resources"]}
        detector = {"name": "resources", "typed_config": typed(RESOURCES, {"attributes": values})}
        provider["resource_detectors"] = [detector]
    tags = [
        {"tag": each["name"], "value": formatted(policy, place, each["expression"])}
        for each in wanted.get("attributes", {}).get("add", [])
    ]
    name = "envoy.tracers.opentelemetry"
    config = typed("config.trace.v3.OpenTelemetryConfig", provider)
    return {"provider": {"name": name, "typed_config": config}, "custom_tags": tags, "spawn_upstream_span": False}


def formatted(policy, place, text, keys=None):
    """A format string for places that know no functions of texts: what they would do is done by writing side by side."""
    result = ""
    for part in re.split(r"\s\+\s(?=(?:[^']*'[^']*')*[^']*$)", text):
        part = re.sub(r"^string\((.*)\)$", r"\1", part.strip())
        literal = re.fullmatch(r"'([^'\\]*)'", part)
        result += literal[1].replace("%", "%%") if literal else computed(translated(policy, place, part, keys, FUNCTIONS))
    return result


def constant(policy, place, text):
    """The value of an expression that is made of texts in quotes."""
    parts = [each.strip() for each in text.split(" + ")]
    if not all(re.fullmatch(r"'[^'\\]*'", each) for each in parts):
        raise Refused(policy, place, "only constants describe a resource")
    return "".join(ast.literal_eval(each) for each in parts)
