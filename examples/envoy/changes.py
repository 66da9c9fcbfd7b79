"""What policies do to requests on their way: transformation, buffer and delay."""

import hashlib
import re

from authorization import state
from expressions import FORMATTER, computed, translated
from routing import Refused
from telemetry import formatted
from words import quantity, seconds, typed

WAYS = ("request", "response")
MUTATION = "extensions.filters.http.header_mutation.v3.HeaderMutation"
TRANSFORM = "extensions.filters.http.transform.v3.TransformConfig"
FILES = "extensions.filters.http.file_system_buffer.v3.FileSystemBufferFilterConfig"
ACTIONS = {"set": "OVERWRITE_IF_EXISTS_OR_ADD", "add": "APPEND_IF_EXISTS_OR_ADD"}


def transformation(policy, value, keys):
    """Filters that compute values and put them in."""
    place, kept, mutations, bodies = "spec.traffic.transformation", {}, {}, {}
    for way in WAYS:
        wanted = value.get(way, {})
        if set(wanted) - {"set", "add", "remove", "body"}:
            raise Refused(policy, "%s.%s" % (place, way), "only headers and bodies")
        if any(each["name"].startswith(":") for action in ACTIONS for each in wanted.get(action, [])):
            raise Refused(policy, "%s.%s" % (place, way), "Envoy lets no filter of headers change a pseudo-header")
        # What is set is taken away first: a value that is empty or fails changes nothing.
        replaced = [each["name"] for each in wanted.get("set", [])]
        changes = [{"remove": name} for name in [*wanted.get("remove", []), *replaced]]
        for action, mode in ACTIONS.items():
            for each in wanted.get(action, []):
                if way == "request":
                    text = translated(policy, place, each["value"], keys)
                    name = "value." + hashlib.sha256(text.encode()).hexdigest()[:16]
                    kept[name], text = text, "%%FILTER_STATE(%s:PLAIN)%%" % name
                else:
                    text = formatted(policy, place, each["value"], keys)
                changes.append({"append": {"header": {"key": each["name"], "value": text}, "append_action": mode}})
        mutations[way + "_mutations"] = changes
        if "body" in wanted:
            text = computed(translated(policy, place, wanted["body"], keys))
            form = {"text_format_source": {"inline_string": text}, "formatters": [FORMATTER]}
            bodies[way + "_transformation"] = {"body_transformation": {"body_format": form, "action": "REPLACE"}}
    if kept:
        yield state(sorted(kept.items()))
    yield typed(MUTATION, {"mutations": mutations})
    if bodies:
        yield typed(TRANSFORM, bodies)


def buffer(value, limit):
    """A request that may be refused is held by the filter buffer; everything else by the one that has files to go on in."""
    closed = {way: each.get("failureMode") != "FailOpen" for way, each in value.items()}
    if closed.get("request"):
        size = quantity(value["request"].get("maxBytes", limit))
        # The filter buffer lets a body pass that comes whole with the end of the request.
        for name in ("body_size_limit.v3.BodySizeLimit", "buffer.v3.Buffer"):
            yield typed("extensions.filters.http." + name, {"max_request_bytes": size})
    streams = {}
    for way, each in value.items():
        if way == "response" or not closed[way]:
            streams[way] = {
                "behavior": {"fully_buffer": {}},
                "memory_buffer_bytes_limit": quantity(each.get("maxBytes", limit)),
                "storage_buffer_bytes_limit": 0 if closed[way] else 2**32,
            }
    if streams:
        rest = {way: {"behavior": {"bypass": {}}} for way in set(WAYS) - set(streams)}
        yield typed(FILES, {"manager_config": {"thread_pool": {"thread_count": 1}}, **streams, **rest})


def pause(policy, value):
    """Seconds of a delay that is a constant."""
    text = value["duration"].strip()
    found = re.fullmatch(r"""(?:duration\(\s*(['"])(-?)(.+)\1\s*\)|(-?)([0-9.]+(?:ns|us|ms|s|m|h).*))""", text)
    try:
        if found:
            return seconds(found[3] or found[5]) * (-1 if found[2] or found[4] else 1)
        return float(text) / 1000
    except ValueError as error:
        raise Refused(policy, "spec.traffic.delay.duration", "only constants") from error


def delay(policy, value, timeout):
    """The filter that waits. `timeout` is that of the request, which goes on meanwhile."""
    wait = pause(policy, value)
    fault = {}
    if wait > 0:
        fault["delay"] = {"fixed_delay": "%.9fs" % min(wait, timeout or wait), "percentage": {"numerator": 100}}
    if timeout and wait >= timeout:
        fault["abort"] = {"http_status": 504, "percentage": {"numerator": 100}}
    return typed("extensions.filters.http.fault.v3.HTTPFault", fault)


def left(policy, timeout):
    """What a delay leaves of the time of a request."""
    wait = max(pause(*policy["delay"]), 0) if "delay" in policy else 0
    return max(timeout - wait, 0.001) if timeout else 0


