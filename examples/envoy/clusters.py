"""Where requests go: endpoints of backends as clusters of Envoy."""

import hashlib
import json

from routing import Refused
from words import typed


class Clusters:
    def __init__(self, resources):
        self.resources = resources
        self.clusters = {}

    def cluster(self, endpoint, grpc=False):
        """The name of the cluster that leads there."""
        where = endpoint.address
        by_name = isinstance(where, tuple) and not where[0].replace(".", "").isdigit()
        place = {"endpoint": {"address": address(where)}}
        cluster = {
            "type": "STRICT_DNS" if by_name else "STATIC",
            "dns_lookup_family": "V4_ONLY",
            "connect_timeout": "2s",
            "load_assignment": {"cluster_name": "c", "endpoints": [{"lb_endpoints": [place]}]},
        }
        one, two = {"http_protocol_options": {"enable_trailers": True}}, {"http2_protocol_options": {}}
        offers = "tls" in endpoint.policy and "alpnProtocols" not in endpoint.policy["tls"][1]
        options = (
            {"explicit_http_config": two}
            if grpc
            else {"auto_config": {**one, **two}} if offers else {"explicit_http_config": one}
        )
        name = "extensions.upstreams.http.v3.HttpProtocolOptions"
        cluster["typed_extension_protocol_options"] = {"envoy." + name: typed(name, options)}
        if "tls" in endpoint.policy:
            context = self.tls(endpoint, grpc)
            name = "extensions.transport_sockets.tls.v3.UpstreamTlsContext"
            cluster["transport_socket"] = {"name": "tls", "typed_config": typed(name, context)}
        name = hashlib.sha256(json.dumps(cluster, sort_keys=True).encode()).hexdigest()[:24]
        self.clusters[name] = {"name": name, **cluster}
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
            for each in tls.get("verifySubjectAltNames") or [tls.get("sni", host)]
        ]
        checks = {"trusted_ca": bundle, "match_typed_subject_alt_names": names}
        skip = tls.get("insecureSkipVerify")
        if skip == "Hostname":
            del checks["match_typed_subject_alt_names"]
        context = {"validation_context": {} if skip == "All" else checks}
        context["alpn_protocols"] = ["h2"] if grpc else tls.get("alpnProtocols", ["h2", "http/1.1"])
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


def san_type(name):
    return "IP_ADDRESS" if name.replace(".", "").isdigit() else "URI" if "://" in name else "DNS"


def address(where):
    if isinstance(where, str):
        return {"pipe": {"path": where}}
    return {"socket_address": {"address": where[0], "port_value": where[1]}}
