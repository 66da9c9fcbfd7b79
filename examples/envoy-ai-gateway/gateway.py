"""Two listeners of Envoy behind each other. The first is that of the clients: it finds the rule of a request and, of a backend for
models, the format by the end of the path. The second is the gateway's: it asks the external processor, and leads to providers
and to the targets of MCP.
"""

import hashlib
import json
import re
from dataclasses import dataclass, replace

import filters
from clusters import address
from configuration import MANAGER, Configuration
from filters import ROUTER
from models import INNER, MODEL, RULE, Models, exact, rewritten, set_header
from providers import PATH, PATHS, Provider
from routing import Endpoint, Refused, Rule
from routing import Resources as AllResources
from targets import target_of
from words import seconds, typed

TO_TOOLS, AT_TOOLS = "x-ai-eg-mcp-route", "x-ai-eg-mcp-backend"
SPACE, NAME = "aigateway.envoy.io", "per_route_rule_backend_name"
ATTRIBUTE = "xds.upstream_host_metadata.filter_metadata['%s']['%s']" % (SPACE, NAME)
PROCESSOR = "extensions.filters.http.ext_proc.v3.ExternalProcessor"
MUTATION = "extensions.filters.http.header_mutation.v3.HeaderMutation"
OPTIONS = "extensions.upstreams.http.v3.HttpProtocolOptions"
OWN = "io.envoy.ai_gateway"
NOT_ASKED = typed("config.route.v3.FilterConfig", {"disabled": True})
LIMIT = 52428800  # what the gateway sets for buffers
filters.BACKEND |= {"ai", "auth", "mcp"}


@dataclass
class ModelRule(Rule):
    """A rule for requests of one format: the end of their path, None for all others."""

    format: str = ""
    suffix: str = None


class Resources(AllResources):
    def __init__(self, resources):
        self.models = [each for each in resources if each["kind"] == "ProxyModel"]
        super().__init__([each for each in resources if each["kind"] != "ProxyModel"], ("static", "ai", "mcp"))

    def of_backend(self, backend, nowhere):
        found = super().of_backend(backend, nowhere)
        return found if found.backend is None else replace(found, address=INNER)


class Gateway(Models, Configuration):
    """`backends` and `routes_of_tools` are what the external processor is told."""

    def __init__(self, resources, processor):
        super().__init__(resources)
        self.processor, self.backends, self.routes_of_tools, self.inner = processor, {}, {}, {}

    def listeners(self):
        found = super().listeners()
        self.clusters["models"] = local("models", self.processor.models, {"http2_protocol_options": {}})
        self.clusters["tools"] = local("tools", self.processor.tools, {"http_protocol_options": {}})
        self.clusters[INNER] = local(INNER, ("127.0.0.1", self.processor.port), {"http2_protocol_options": {}})
        return {**found, INNER: self.second()}

    def routes(self):
        """Those of the second listener. It stays as it is, and what is new holds for the connections that it has."""
        routes = [each for _, some in sorted(self.inner.items()) for each in some]
        return {INNER: {"name": INNER, "virtual_hosts": [{"name": "all", "domains": ["*"], "routes": routes}]}}

    def second(self):
        file = {"path_config_source": {"path": self.processor.routes}, "resource_api_version": "V3"}
        manager = {
            "stat_prefix": INNER,
            "rds": {"route_config_name": INNER, "config_source": file},
            "http_filters": [{"name": "models", "typed_config": processing("BUFFERED", "SEND")}, ROUTER],
            "generate_request_id": False,
            "server_header_transformation": "PASS_THROUGH",
            "stream_idle_timeout": "0s",
        }
        return {
            "name": INNER,
            "address": address(("127.0.0.1", self.processor.port)),
            "per_connection_buffer_limit_bytes": LIMIT,
            "filter_chains": [{"filters": [{"name": "http", "typed_config": typed(MANAGER, manager)}]}],
        }

    def manager(self, hosts, frontend):
        formats = [replace(host, rules=[each for rule in host.rules for each in by_format(rule)]) for host in hosts]
        found = super().manager(formats, frontend)
        for virtual, host in zip(found["route_config"]["virtual_hosts"], hosts):
            virtual["routes"].extend(self.models_of(host))
        return found

    def route(self, rule, filters, frontend):
        found = super().route(rule, filters, frontend)
        endpoint = next((each for each in rule.endpoints if each.backend is not None), None)
        if endpoint is None or "route" not in found:
            return found
        if len(rule.endpoints) > 1:
            raise Refused(rule.route, "spec.rules.backendRefs", "a backend for models or MCP stands alone in its rule")
        if "ai" in endpoint.backend["spec"]:
            header, name = RULE, self.providers(endpoint, rule.format)
            found["route"]["regex_rewrite"] = rewritten(PATHS[rule.format])
            if rule.suffix is not None:
                ends = {"safe_regex": {"regex": "[^?]*%s(\\?.*)?" % re.escape(rule.suffix)}}
                found["match"]["headers"].append({"name": ":path", "string_match": ends})
        else:
            header, name = TO_TOOLS, self.tools(endpoint)
            found["route"]["cluster"] = "tools"
        found["request_headers_to_add"].append(set_header(header, name))
        return found

    def cluster(self, endpoint, grpc=False, preserve=False):
        if endpoint.backend is not None:
            return INNER
        if "auth" in endpoint.policy:
            raise Refused(endpoint.policy["auth"][0], "backend.auth", "a credential for a backend of neither models nor MCP")
        return super().cluster(endpoint, grpc, preserve)

    def providers(self, endpoint, format):
        """The name under which the second listener knows a backend for this format; models with another name go before the rest."""
        spec = endpoint.backend["spec"]["ai"]
        groups = [each["providers"] for each in spec.get("groups", [])] or [[spec["provider"]]]
        providers = [[Provider(self.resources, endpoint, each, format) for each in group] for group in groups]
        models = {alias for group in providers for each in group for alias in each.aliases()} | {None}
        places = {model: [[each.asked_for(model) for each in group] for group in providers] for model in models}
        ordered = sorted(places.items(), key=lambda item: item[0] is None)
        return self.register([([exact(MODEL, model)] if model else [], self.leading(found)) for model, found in ordered])

    def register(self, routes):
        """The name under which the second listener knows these routes, in their order."""
        name = digest(routes)
        self.inner[name] = [
            {
                "match": {"prefix": "/", "headers": [exact(RULE, name), *match]},
                "request_headers_to_remove": [RULE],
                "route": action,
            }
            for match, action in routes
        ]
        return name

    def leading(self, groups):
        """To the providers of one cluster; the next group is asked where one fails."""
        endpoints = [
            {"priority": index, "lb_endpoints": [self.provided(each) for each in group]} for index, group in enumerate(groups)
        ]
        filters = [
            {"name": "models", "typed_config": {**processing("NONE", "SKIP"), "request_attributes": [ATTRIBUTE]}},
            {"name": "length", "typed_config": length()},
            {"name": "codec", "typed_config": typed("extensions.filters.http.upstream_codec.v3.UpstreamCodec", {})},
        ]
        options = {"explicit_http_config": {"http_protocol_options": {}}, "http_filters": filters}
        cluster = self.named(
            {
                "type": "STRICT_DNS",
                "dns_lookup_family": "V4_ONLY",
                "connect_timeout": "2s",
                "per_connection_buffer_limit_bytes": LIMIT,
                "typed_extension_protocol_options": {"envoy." + OPTIONS: typed(OPTIONS, options)},
                "load_assignment": {"cluster_name": "c", "endpoints": endpoints},
            }
        )
        action = {"cluster": cluster, "timeout": "0s", "host_rewrite_literal": groups[0][0].host}
        if len(groups) > 1:
            previous = typed("extensions.retry.priority.previous_priorities.v3.PreviousPrioritiesConfig", {"update_frequency": 1})
            priority = {"name": "envoy.retry_priorities.previous_priorities", "typed_config": previous}
            failed = "5xx,gateway-error,reset,connect-failure,refused-stream"
            action["retry_policy"] = {"retry_on": failed, "num_retries": len(groups) - 1, "retry_priority": priority}
        return action

    def provided(self, provider):
        entry = provider.entry()
        name = digest(entry)
        self.backends[name] = {"name": name, **entry}
        place = provider.address if provider.whole is None else self.once_more(provider)
        return {
            "endpoint": {"address": address(place)},
            "metadata": {"filter_metadata": {SPACE: {NAME: name}}},
        }

    def once_more(self, provider):
        """The gateway writes paths itself; for one of the operator's own its request comes by the second listener again."""
        action = {**onward(provider.host, provider.whole), "cluster": super().cluster(Endpoint(1, provider.address))}
        headers = [exact(PATH, provider.whole), exact(":authority", provider.host)]
        self.inner["path %s %s" % (provider.host, provider.whole)] = [
            {
                "match": {"prefix": "/", "headers": headers},
                "typed_per_filter_config": {"models": NOT_ASKED},
                "request_headers_to_remove": [PATH],
                "route": action,
            }
        ]
        return "127.0.0.1", self.processor.port

    def tools(self, endpoint):
        targets = [target_of(self.resources, endpoint, each) for each in endpoint.backend["spec"]["mcp"]["targets"]]
        name = digest([each.entry() for each in targets])
        self.routes_of_tools[name] = [each.name for each in targets]
        self.inner["tools " + name] = [
            {
                "match": {"prefix": "/", "headers": [exact(TO_TOOLS, name), exact(AT_TOOLS, each.name)]},
                "typed_per_filter_config": {"models": NOT_ASKED},
                "request_headers_to_add": [set_header(*header) for header in each.headers],
                "request_headers_to_remove": [TO_TOOLS, AT_TOOLS],
                "route": {
                    **onward("%s:%d" % each.endpoint.address, each.path),
                    "cluster": super(Gateway, self).cluster(each.endpoint),
                },
            }
            for each in targets
        ]
        return name


def by_format(rule):
    """The longest end of a path counts, then `*`; what has none is Completions."""
    endpoint = next((each for each in rule.endpoints if each.backend is not None and "ai" in each.backend["spec"]), None)
    if endpoint is None:
        return [rule]
    source, block = endpoint.policy.get("ai", (endpoint.backend, {}))
    routes = block.get("routes", {})
    for suffix, wanted in routes.items():
        if wanted not in PATHS:
            raise Refused(source, "backend.ai.routes", "the gateway has no path for %s" % wanted)
    ends = sorted(set(routes) - {"*"}, key=len, reverse=True)
    members = {key: getattr(rule, key) for key in Rule.__dataclass_fields__}
    return [
        *(ModelRule(**members, format=routes[suffix], suffix=suffix) for suffix in ends),
        ModelRule(**members, format=routes.get("*", "Completions")),
    ]


def onward(host, path):
    return {"timeout": "0s", "host_rewrite_literal": host, "regex_rewrite": rewritten(path)}


def processing(body, answers):
    """The filter that asks the processor. Before the router it sees bodies, at a provider only the head of the request."""
    mode = {"request_header_mode": "SEND", "request_body_mode": body, "response_header_mode": answers}
    return typed(
        PROCESSOR,
        {
            "allow_mode_override": True,
            "processing_mode": {**mode, "response_body_mode": body},
            "grpc_service": {"envoy_grpc": {"cluster_name": "models"}, "timeout": "60s"},
            "message_timeout": "60s",
            "metadata_options": {"receiving_namespaces": {"untyped": [OWN]}},
        },
    )


def length():
    """Envoy forgets the length of a body that the processor replaces."""
    header = {"key": "content-length", "value": "%%DYNAMIC_METADATA(%s:content_length)%%" % OWN}
    return typed(MUTATION, {"mutations": {"request_mutations": [{"append": {"append_action": "ADD_IF_ABSENT", "header": header}}]}})


def local(name, where, protocol):
    return {
        "name": name,
        "type": "STATIC",
        "connect_timeout": "5s",
        "per_connection_buffer_limit_bytes": LIMIT,
        "typed_extension_protocol_options": {"envoy." + OPTIONS: typed(OPTIONS, {"explicit_http_config": protocol})},
        "load_assignment": {
            "cluster_name": name,
            "endpoints": [{"lb_endpoints": [{"endpoint": {"address": address(where)}}]}],
        },
    }


def digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:24]
