"""Where requests go: endpoints of backends as clusters of Envoy."""

import hashlib
import json

from frontend import preserving, probes
from health import outliers
from routing import ANYWHERE, Refused
from words import span, typed

TCP_PROXY = "extensions.filters.network.tcp_proxy.v3.TcpProxy"
ANYWHERE_CLUSTER = "extensions.clusters.dynamic_forward_proxy.v3.ClusterConfig"
DNS = {"name": "anywhere", "dns_lookup_family": "V4_ONLY"}


class Clusters:
    def __init__(self, resources):
        self.resources = resources
        self.clusters = {}
        self.tunnels = {}  # listeners inside of Envoy, by name

    def cluster(self, endpoint, grpc=False, preserve=False):
        """The name of the cluster that leads there."""
        cluster = self.place(endpoint)
        tcp = endpoint.policy.get("tcp", (None, {}))[1]
        cluster["connect_timeout"] = span(tcp.get("connectTimeout", "2s"))
        if "keepalive" in tcp:
            time, interval, retries = probes(tcp["keepalive"])
            wanted = {"keepalive_time": time, "keepalive_interval": interval, "keepalive_probes": retries}
            cluster["upstream_connection_options"] = {"tcp_keepalive": wanted}
        options = {**version(endpoint, grpc, preserve)}
        if "health" in endpoint.policy:
            cluster["outlier_detection"], errors = outliers(*endpoint.policy["health"])
            # With no endpoint left, and only then, those that were evicted are asked.
            cluster["common_lb_config"] = {"healthy_panic_threshold": {"value": 1}}
            options.update({"outlier_detection": {"error_matcher": errors}} if errors else {})
        if endpoint.address == ANYWHERE:
            options["upstream_http_protocol_options"] = {"auto_sni": True, "auto_san_validation": True}
        name = "extensions.upstreams.http.v3.HttpProtocolOptions"
        cluster["typed_extension_protocol_options"] = {"envoy." + name: typed(name, options)}
        if "tls" in endpoint.policy:
            context = self.tls(endpoint, grpc)
            name = "extensions.transport_sockets.tls.v3.UpstreamTlsContext"
            cluster["transport_socket"] = {"name": "tls", "typed_config": typed(name, context)}
        return self.named(cluster)

    def named(self, cluster):
        name = hashlib.sha256(json.dumps(cluster, sort_keys=True).encode()).hexdigest()[:24]
        self.clusters[name] = {"name": name, **cluster}
        return name

    def place(self, endpoint):
        """The part of a cluster that says where its endpoints are."""
        if endpoint.address == ANYWHERE:
            if "tunnel" in endpoint.policy:
                raise Refused(endpoint.policy["tunnel"][0], "spec", "a tunnel leads to one destination")
            config = typed(ANYWHERE_CLUSTER, {"dns_cache_config": DNS, "allow_insecure_cluster_options": True})
            return {"lb_policy": "CLUSTER_PROVIDED", "cluster_type": {"name": "anywhere", "typed_config": config}}
        addresses = [endpoint.address, *endpoint.others]
        by_name = any(isinstance(where, tuple) and not where[0].replace(".", "").isdigit() for where in addresses)
        if "tunnel" in endpoint.policy:
            policy, wanted = endpoint.policy["tunnel"]
            by_name, places = False, [inside(self.tunnel(where, policy, wanted)) for where in addresses]
        else:
            places = [{"address": address(where)} for where in addresses]
        return {
            "type": "STRICT_DNS" if by_name else "STATIC",
            "dns_lookup_family": "V4_ONLY",
            "load_assignment": {
                "cluster_name": "c",
                "endpoints": [{"lb_endpoints": [{"endpoint": each} for each in places]}],
            },
        }

    def tunnel(self, where, policy, wanted):
        """The name of a listener inside of Envoy that leads there by CONNECT at a proxy server."""
        server = self.resources.endpoint(wanted["backendRef"], policy)
        server.address = server.address or ("127.0.0.1", 1)  # leads nowhere
        server.policy = {"http": (policy, {"version": "HTTP1"}), **server.policy}
        proxy = self.cluster(server)
        name = "tunnel-" + hashlib.sha256(json.dumps([where, proxy]).encode()).hexdigest()[:24]
        config = {"stat_prefix": "tunnel", "cluster": proxy, "tunneling_config": {"hostname": "%s:%d" % where}}
        self.tunnels[name] = {
            "name": name,
            "internal_listener": {},
            "filter_chains": [{"filters": [{"name": "tcp", "typed_config": typed(TCP_PROXY, config)}]}],
        }
        return name

    def tls(self, endpoint, grpc):
        policy, tls = endpoint.policy["tls"]
        host = endpoint.address[0] if isinstance(endpoint.address, tuple) else ""
        own = self.data("Secret", policy, tls["mtlsCertificateRef"][0]) if tls.get("mtlsCertificateRef") else {}
        trusted = [self.data("ConfigMap", policy, ref).get("ca.crt", "") for ref in tls.get("caCertificateRefs", [])]
        system = {"filename": "/etc/ssl/certs/ca-certificates.crt"}
        bundle = {"inline_string": "\n".join(trusted or [own["ca.cert"]])} if trusted or "ca.cert" in own else system
        names = [
            {"san_type": san_type(each), "matcher": {"exact": each}}
            for each in tls.get("verifySubjectAltNames") or [host]
        ]
        checks = {"trusted_ca": bundle, "match_typed_subject_alt_names": names}
        skip = tls.get("insecureSkipVerify")
        if skip == "Hostname" or endpoint.address == ANYWHERE and "verifySubjectAltNames" not in tls:
            del checks["match_typed_subject_alt_names"]
        context = {"validation_context": {} if skip == "All" else checks}
        context["alpn_protocols"] = offered(endpoint, grpc)
        groups = {"ecdh_curves": tls["keyExchangeGroups"]} if "keyExchangeGroups" in tls else {}
        context["tls_params"] = {"tls_maximum_protocol_version": "TLSv1_3", **groups}
        if own:
            context["tls_certificates"] = [
                {"certificate_chain": {"inline_string": own["tls.crt"]}, "private_key": {"inline_string": own["tls.key"]}}
            ]
        sni = tls.get("sni") or ("" if san_type(host) == "IP_ADDRESS" else host)
        return {"common_tls_context": context, **({"sni": sni} if sni else {})}

    def data(self, kind, source, ref):
        found = self.resources.get(kind, source["metadata"].get("namespace", "default"), ref["name"])
        if found is None:
            raise Refused(source, "spec", "%s %s does not exist" % (kind, ref["name"]))
        return {**found.get("data", {}), **found.get("stringData", {})}


def version(endpoint, grpc, preserve):
    """Which version of HTTP is spoken: the one that is set, or what the documents infer."""
    one, two = {"http_protocol_options": {"enable_trailers": True}}, {"http2_protocol_options": {}}
    if preserve:
        one["http_protocol_options"]["header_key_format"] = preserving()
    wanted = endpoint.policy.get("http", (None, {}))[1].get("version")
    if wanted is None and (grpc or endpoint.protocol == "kubernetes.io/h2c"):
        wanted = "HTTP2"
    if wanted is not None:
        return {"explicit_http_config": two if wanted == "HTTP2" else one}
    if "tls" not in endpoint.policy:
        return {"use_downstream_protocol_config": {**one, **two}}
    offers = "alpnProtocols" not in endpoint.policy["tls"][1]
    return {"auto_config": {**one, **two}} if offers else {"explicit_http_config": one}


def offered(endpoint, grpc):
    """What a handshake offers in ALPN."""
    wanted = endpoint.policy.get("http", (None, {}))[1].get("version", "HTTP2" if grpc else None)
    usual = {"HTTP1": ["http/1.1"], "HTTP2": ["h2"]}.get(wanted, ["h2", "http/1.1"])
    return usual if grpc else endpoint.policy["tls"][1].get("alpnProtocols", usual)


def san_type(name):
    return "IP_ADDRESS" if name.replace(".", "").isdigit() else "URI" if "://" in name else "DNS"


def inside(name):
    return {"address": {"envoy_internal_address": {"server_listener_name": name, "endpoint_id": name}}}


def address(where):
    if isinstance(where, str):
        return {"pipe": {"path": where}}
    return {"socket_address": {"address": where[0], "port_value": where[1]}}
