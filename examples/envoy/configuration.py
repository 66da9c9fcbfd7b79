"""Listeners with their routes, and the clusters that these turn out to need."""

from actions import Actions
from clusters import address
from expressions import KEY, USER
from filters import ROUTER, check_fields, http_filters
from frontend import handshake_timeout, listener_settings, manager_settings, sources, transport_socket
from routing import Refused, of_kind, virtual_hosts
from telemetry import access_log, tracing
from words import span, typed

MANAGER = "extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"
# The filter that holds answers refuses one with 500, and gives no details.
UNEXPLAINED = "response.code == 500 && (!has(response.code_details) || response.code_details == '')"
BY_EXPRESSION = typed("extensions.access_loggers.filters.cel.v3.ExpressionFilter", {"expression": UNEXPLAINED})
TOO_LARGE = {"filter": {"extension_filter": {"name": "held", "typed_config": BY_EXPRESSION}}, "status_code": 502}
EARLY = "extensions.http.early_header_mutation.header_mutation.v3.HeaderMutation"
OWN_HEADERS = {"mutations": [{"remove": KEY}, {"remove": USER}]}
REQUEST_ID = "extensions.request_id.uuid.v3.UuidRequestIdConfig"
# What is said for each host alone, so that Gateways may share a port and differ in it.
OF_HOSTS = {"connect"}


class Configuration(Actions):
    def listeners(self):
        for policy in of_kind(self.resources.all, "ProxyPolicy"):
            check_fields(policy)
        hosts = virtual_hosts(self.resources, ("HTTP", "HTTPS"))
        ports = {host.port for host in hosts}
        found = {port: self.listener(port, [host for host in hosts if host.port == port]) for port in ports}
        return {**found, **self.tunnels}

    def listener(self, port, hosts):
        frontend = self.shared_frontend(port, hosts)
        allowed = sources(frontend)
        by_name = {}
        for host in hosts:
            over_tls = host.listener["protocol"] == "HTTPS"
            by_name.setdefault(host.listener.get("hostname", "").lower() if over_tls else None, []).append(host)
        if None in by_name and len(by_name) > 1:
            raise Refused(hosts[0].gateway, "spec.listeners", "a port speaks TLS or does not")
        chains = [self.chain(name, some, frontend, allowed) for name, some in by_name.items()]
        settings = listener_settings(frontend, over_tls=None not in by_name)
        return {
            "name": "port-%d" % port,
            "address": address(("127.0.0.1", port)),
            "filter_chains": [each for each in chains if allowed != []] or [closed()],
            **settings,
        }

    def shared_frontend(self, port, hosts):
        """What the policies of all Gateways on a port say about its connections."""
        found = [self.resources.frontend(host.gateway, port) for host in hosts]
        of_port = [{key: each for key, each in one.items() if key not in OF_HOSTS} for one in found]
        values = [{key: value for key, (_, value) in each.items()} for each in of_port]
        for one, value in zip(of_port, values):
            if one and any(other != value for other in values):
                policy = next(iter(one.values()))[0]
                raise Refused(policy, "spec.frontend", "port %d is shared with Gateways that are told otherwise" % port)
        return of_port[0]

    def chain(self, name, hosts, frontend, allowed):
        match = {}
        if allowed is not None:
            match["source_prefix_ranges"] = [
                {"address_prefix": str(each.network_address), "prefix_len": each.prefixlen} for each in allowed
            ]
        result = {"filters": [{"name": "http", "typed_config": self.manager(hosts, frontend)}]}
        if name is not None:
            match["server_names"] = [name] if name else []
            secrets = [
                self.data("Secret", host.gateway, ref)
                for host in hosts[:1]
                for ref in host.listener.get("tls", {}).get("certificateRefs", [])
            ]
            result["transport_socket"] = transport_socket(frontend, secrets)
            result["transport_socket_connect_timeout"] = span(handshake_timeout(frontend))
        return {**result, "filter_chain_match": match}

    def manager(self, hosts, frontend):
        filters = {}
        virtual = [
            {
                "name": host.host or "any",
                "domains": [host.host or "*"],
                "routes": [*self.connects(host, filters), *(self.route(rule, filters, frontend) for rule in host.rules)],
            }
            for host in hosts
        ]
        if all(host.host for host in hosts):
            virtual.append({"name": "others", "domains": ["*"], "routes": [self.refused_connect()]})
        manager = {
            "stat_prefix": "data",
            "route_config": {"name": "routes", "virtual_hosts": virtual, "ignore_port_in_host_matching": True},
            "http_filters": [*http_filters(filters), ROUTER],
            "generate_request_id": False,
            "server_header_transformation": "PASS_THROUGH",
            "stream_idle_timeout": "0s",
            "early_header_mutation_extensions": [{"name": "own", "typed_config": typed(EARLY, OWN_HEADERS)}],
            "upgrade_configs": [{"upgrade_type": "CONNECT"}],
            "local_reply_config": {"mappers": [TOO_LARGE]},
            **manager_settings(frontend),
        }
        if "accessLog" in frontend:
            manager["access_log"] = [access_log(*frontend["accessLog"], self)]
        if "tracing" in frontend:
            manager["tracing"] = tracing(*frontend["tracing"], self)
            # The sampler decides, and no number in a header.
            own = typed(REQUEST_ID, {"use_request_id_for_trace_sampling": False})
            manager["request_id_extension"] = {"typed_config": own}
        return typed(MANAGER, manager)


def closed():
    """A chain that no client can match: all of them are turned away."""
    nothing = typed("extensions.filters.network.direct_response.v3.Config", {})
    return {"filter_chain_match": {"application_protocols": ["nobody"]}, "filters": [{"name": "x", "typed_config": nothing}]}
