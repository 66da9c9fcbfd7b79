"""The frontend section of policies: what holds for the connections of a port, before anybody looks at a request."""

import ipaddress
import re

from routing import Refused
from words import quantity, seconds, span, typed

# TLS 1.3 comes with all of its suites in Envoy, so a list can only say whether that version is spoken at all.
NEWER = {"TLS13_AES_256_GCM_SHA384", "TLS13_AES_128_GCM_SHA256", "TLS13_CHACHA20_POLY1305_SHA256"}
WINDOWS = {
    "http2WindowSize": "initial_stream_window_size",
    "http2ConnectionWindowSize": "initial_connection_window_size",
}
GROUPS = {"X25519_MLKEM768": "X25519MLKEM768"}
WITHIN = re.compile(r"\s*cidr\(\s*(['\"])([^'\"]+)\1\s*\)\.containsIP\(\s*source\.address\s*\)\s*")
# Levels and names of socket options on Linux: SO_KEEPALIVE, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT.
KEEPALIVE = ((1, 9), (6, 4), (6, 5), (6, 6))


def listener_settings(frontend, over_tls):
    """Members of a listener. Sockets that it accepts inherit the options of its own."""
    filters, result = [], {}
    if "proxyProtocol" in frontend:
        filters.append({"name": "proxy", "typed_config": proxy_protocol(frontend["proxyProtocol"][1])})
    if over_tls:
        inspector = typed("extensions.filters.listener.tls_inspector.v3.TlsInspector", {})
        filters.append({"name": "tls", "typed_config": inspector})
        result["listener_filters_timeout"] = span(handshake_timeout(frontend))
    if "tcp" in frontend and "keepalive" in frontend["tcp"][1]:
        result["socket_options"] = keepalive(frontend["tcp"][1]["keepalive"])
    if "maxBufferSize" in http(frontend):
        result["per_connection_buffer_limit_bytes"] = quantity(http(frontend)["maxBufferSize"])
    return {**result, "listener_filters": filters}


def http(frontend):
    return frontend.get("http", (None, {}))[1]


def handshake_timeout(frontend):
    return frontend.get("tls", (None, {}))[1].get("handshakeTimeout", "15s")


def proxy_protocol(wanted):
    refused = {"V1": ["V2"], "V2": ["V1"], "All": []}[wanted.get("version", "V2")]
    return typed(
        "extensions.filters.listener.proxy_protocol.v3.ProxyProtocol",
        {"disallowed_versions": refused, "allow_requests_without_proxy_protocol": wanted.get("mode") == "Optional"},
    )


def keepalive(wanted):
    values = (1, *probes(wanted))
    return [
        {"level": level, "name": name, "int_value": str(value), "state": "STATE_PREBIND"}
        for (level, name), value in zip(KEEPALIVE, values)
    ]


def probes(wanted):
    """Seconds until the first probe, seconds between probes, how many of them."""
    return int(seconds(wanted.get("time", "180s"))), int(seconds(wanted.get("interval", "180s"))), wanted.get("retries", 9)


def manager_settings(frontend):
    """Members of the HTTP connection manager."""
    policy, wanted = frontend.get("http", (None, {}))
    common = {"idle_timeout": span(wanted.get("http1IdleTimeout", "10m"))}
    common["max_headers_count"] = wanted.get("http1MaxHeaders", 100)
    one, two = {"enable_trailers": True}, {"allow_connect": True, "custom_settings_parameters": []}
    result = {"common_http_protocol_options": common, "http_protocol_options": one, "http2_protocol_options": two}
    result["drain_timeout"] = "0.010s"  # between the end of the time that a connection has and its close
    if "maxConnectionDuration" in wanted:
        common["max_connection_duration"] = span(wanted["maxConnectionDuration"])
    if wanted.get("http1HeaderCase") == "Preserve":
        one["header_key_format"] = preserving()
    for field, name in WINDOWS.items():
        if field in wanted:
            two[name] = quantity(wanted[field])
            if two[name] < 65535:
                raise Refused(policy, "spec.frontend.http." + field, "windows of Envoy begin with 65535 bytes")
    if "http2FrameSize" in wanted:
        two["custom_settings_parameters"].append({"identifier": 5, "value": quantity(wanted["http2FrameSize"])})
    many = wanted.get("http1MaxHeaders", 100) > 100
    size = quantity(wanted.get("http2MaxHeaderSize", "60Ki" if many else "16Ki"))
    if size % 1024:
        raise Refused(policy, "spec.frontend.http.http2MaxHeaderSize", "Envoy counts heads in units of 1024 bytes")
    result["max_request_headers_kb"] = size // 1024  # the limit of HTTP/1, too
    if "http2KeepaliveInterval" in wanted:
        timeout = span(wanted.get("http2KeepaliveTimeout", "20s"))
        two["connection_keepalive"] = {"interval": span(wanted["http2KeepaliveInterval"]), "timeout": timeout}
    return result


def preserving():
    config = typed("extensions.http.header_formatters.preserve_case.v3.PreserveCaseFormatterConfig", {})
    return {"stateful_formatter": {"name": "preserve_case", "typed_config": config}}


def transport_socket(frontend, certificates):
    """TLS towards clients. `certificates` are the data of the Secrets that the listener names."""
    policy, wanted = frontend.get("tls", (None, {}))
    versions = {"1.2": "TLSv1_2", "1.3": "TLSv1_3"}
    oldest, newest = wanted.get("minProtocolVersion", "1.2"), wanted.get("maxProtocolVersion", "1.3")
    suites = wanted.get("cipherSuites", [])
    older = [each.replace("TLS_", "").replace("_WITH_", "-").replace("_", "-") for each in suites if each not in NEWER]
    if suites and not set(suites) & NEWER:
        newest = "1.2"
    elif suites and not NEWER <= set(suites):
        raise Refused(policy, "spec.frontend.tls.cipherSuites", "Envoy speaks TLS 1.3 with all of its suites or not at all")
    elif suites and not older:
        oldest = "1.3"
    params = {"tls_minimum_protocol_version": versions[oldest], "tls_maximum_protocol_version": versions[newest]}
    if older:
        params["cipher_suites"] = [openssl_name(each) for each in older]
    if "keyExchangeGroups" in wanted:
        params["ecdh_curves"] = [GROUPS.get(each, each) for each in wanted["keyExchangeGroups"]]
    context = {"tls_params": params, "alpn_protocols": wanted.get("alpnProtocols", ["h2", "http/1.1"])}
    context["tls_certificates"] = [
        {"certificate_chain": {"inline_string": each["tls.crt"]}, "private_key": {"inline_string": each["tls.key"]}}
        for each in certificates
    ]
    config = typed("extensions.transport_sockets.tls.v3.DownstreamTlsContext", {"common_tls_context": context})
    return {"name": "tls", "typed_config": config}


def openssl_name(suite):
    """ECDHE-ECDSA-AES-256-GCM-SHA384 is ECDHE-ECDSA-AES256-GCM-SHA384 there, and a digest is not named after ChaCha20."""
    return re.sub(r"AES-(\d+)", r"AES\1", suite).replace("CHACHA20-POLY1305-SHA256", "CHACHA20-POLY1305")


def sources(frontend):
    """Networks whose clients may connect, None for all. Envoy closes what no filter chain wants without a word."""
    if "networkAuthorization" not in frontend:
        return None
    policy, rule = frontend["networkAuthorization"]
    everybody = [ipaddress.ip_network("0.0.0.0/0"), ipaddress.ip_network("::/0")]
    matched = everybody
    for expression in rule["policy"]["matchExpressions"]:
        if expression in ("true", "false"):
            matched = matched if expression == "true" else []
            continue
        found = WITHIN.fullmatch(expression)
        if not found:
            raise Refused(policy, "spec.frontend.networkAuthorization", "only cidr(…).containsIP(source.address)")
        network = ipaddress.ip_network(found[2], strict=False)
        matched = [narrow for each in matched for narrow in common_part(each, network)]
    if rule.get("action", "Allow") != "Deny":
        return matched
    for network in matched:
        everybody = [rest for each in everybody for rest in without(each, network)]
    return everybody


def common_part(one, other):
    if one.version == other.version and one.overlaps(other):
        yield max(one, other, key=lambda network: network.prefixlen)


def without(whole, part):
    if whole.version != part.version or not whole.overlaps(part):
        return [whole]
    return [] if whole.subnet_of(part) else list(whole.address_exclude(part))
