"""A port as a frontend: who may connect, the PROXY header, TLS, and what holds for every request."""

import os
import re

from routing import Refused, identity
from servers import keepalive
from words import limit, stored

CIDR = re.compile(r"cidr\('([0-9a-fA-F.:/]+)'\)\.containsIP\(source\.address\)")
FIELDS = {"http": {"http1MaxHeaders", "http1IdleTimeout"}, "tcp": {"keepalive"}}
FIELDS["tls"] = {"handshakeTimeout", "alpnProtocols", "minProtocolVersion", "maxProtocolVersion"}
FIELDS["tls"] |= {"cipherSuites", "keyExchangeGroups"}
TOO_MANY = "http-request return status 431 if %s { req.fhdr_cnt gt %d }"
# How a connection begins that has a PROXY header: the text of version 1, the signature of version 2.
SIGNATURES = {
    "V1": "{ req.payload(0,6) -m bin 50524F585920 }",
    "V2": "{ req.payload(0,12) -m bin 0D0A0D0A000D0A515549540A }",
}


def frontend(resources, port, places, choice, folder):
    fields = settings(resources, port, places)
    value = {key: each for key, (_, each) in fields.items()}
    http, tls = value.get("http", {}), value.get("tls", {})
    secured = [each for each in places if each[2]["protocol"] == "HTTPS"]
    ways = ["ssl crt-list", certificates(resources, secured, folder), *handshake(tls, fields)] if secured else []
    name, lines = "p%d" % port, []
    if secured:
        # HAProxy has no limit for the handshake alone: it is the one for a client who has to say something.
        lines.append("timeout client %s" % limit(tls.get("handshakeTimeout", "15s")))
    if "networkAuthorization" in fields:
        lines += authorization(*fields["networkAuthorization"], "session" if "proxyProtocol" in fields else "connection")
    if "http1IdleTimeout" in http:
        lines.append("timeout http-keep-alive %s" % limit(http["http1IdleTimeout"]))
    lines += ["http-request return status 405 if METH_CONNECT"]
    lines += [TOO_MANY % (each, http.get("http1MaxHeaders", 100)) for each in ("HTTP_1.0", "HTTP_1.1")]
    probes = list(keepalive("cli", value["tcp"]["keepalive"])) if "keepalive" in value.get("tcp", {}) else []
    if "proxyProtocol" in fields:
        inner = os.path.join(folder, name)
        binds = ["bind unix@%s accept-proxy %s" % (inner, " ".join(ways))]
        outer = proxied(name, port, inner, probes, value["proxyProtocol"])
    else:
        binds, outer = [" ".join(["bind 127.0.0.1:%d" % port, *ways])] + probes, []
    return ["frontend " + name, *("  " + line for line in [*binds, *lines, *choice]), *outer]


def settings(resources, port, places):
    """The frontend section of a port. Gateways that share a port share these too, so they must not differ."""
    found = [resources.frontend(gateway, port) for _, gateway, _ in places]
    for each in found:
        for key, (policy, value) in each.items():
            if any(other.get(key, (None, None))[1] != value for other in found):
                raise Refused(policy, "spec.frontend." + key, "another Gateway has this port and says otherwise")
            unknown = sorted(set(value) - FIELDS.get(key, set(value)))
            if unknown:
                raise Refused(policy, "spec.frontend.%s.%s" % (key, unknown[0]), "%s is not implemented" % unknown[0])
    return found[0] if found else {}


def authorization(policy, wanted, moment):
    """Judged before anything is read from a connection, or, where the PROXY header tells who it is from, behind that."""
    sources = [CIDR.fullmatch(each) for each in wanted["policy"]["matchExpressions"]]
    if None in sources:
        raise Refused(policy, "spec.frontend.networkAuthorization", "only cidr('…').containsIP(source.address)")
    # A line has 64 words at the most, and saying a network twice asks for no more.
    matches = " ".join(dict.fromkeys("{ src %s }" % each[1] for each in sources))
    if wanted.get("action", "Allow") == "Deny":
        return ["tcp-request %s reject if %s" % (moment, matches)]
    return ["tcp-request %s accept if %s" % (moment, matches), "tcp-request %s reject" % moment]


def proxied(name, port, inner, probes, wanted):
    """
    accept-proxy takes both versions and wants a header, so a frontend before it looks at the first bytes. What may come goes
    on as it is; a connection that may have none gets one.
    """
    version = wanted.get("version", "V2")
    taken = [SIGNATURES[each] for each in (("V1", "V2") if version == "All" else (version,))]
    never = [each for each in SIGNATURES.values() if each not in taken]
    optional = wanted.get("mode", "Strict") == "Optional"
    return [
        "frontend %s-door" % name,
        "  mode tcp",
        "  bind 127.0.0.1:%d" % port,
        *("  " + line for line in probes),
        "  tcp-request inspect-delay 5s",
        *("  tcp-request content reject if %s" % each for each in never),
        *("  tcp-request content accept if %s" % each for each in taken),
        *([] if optional else ["  tcp-request content reject"]),
        "  use_backend %s-named if %s" % (name, " || ".join(taken)),
        "  default_backend %s-plain" % name,
        "backend %s-named" % name,
        "  mode tcp",
        "  server inner unix@%s" % inner,
        "backend %s-plain" % name,
        "  mode tcp",
        "  server inner unix@%s send-proxy-v2" % inner,
    ]


def certificates(resources, secured, folder):
    """A list of certificates and the server names that choose them."""
    lines = []
    for parent, _, listener in secured:
        for ref in listener.get("tls", {}).get("certificateRefs", []):
            secret = resources.get("Secret", ref.get("namespace", identity(parent)[0]), ref["name"])
            if secret is None:
                raise Refused(parent, "spec.listeners.tls.certificateRefs", "Secret %s is not there" % ref["name"])
            pem = secret["stringData"]["tls.crt"].rstrip() + "\n" + secret["stringData"]["tls.key"].rstrip() + "\n"
            lines.append(stored(folder, pem, ".pem") + " " + listener.get("hostname", ""))
    if not lines:
        raise Refused(secured[0][0], "spec.listeners.tls", "a listener of protocol HTTPS needs a certificate")
    return stored(folder, "\n".join(lines) + "\n", ".list")


def handshake(tls, fields):
    """Options of the bind line: in the list of certificates, curves would come too late for the handshake."""
    least, most = tls.get("minProtocolVersion", "1.2"), tls.get("maxProtocolVersion", "1.3")
    suites = tls.get("cipherSuites")
    if suites is not None:
        newer = [each.replace("TLS13_", "TLS_") for each in suites if each.startswith("TLS13_")]
        older = [openssl(each) for each in suites if not each.startswith("TLS13_")]
        # Where a version has no suite, it is not spoken.
        least, most = (least if older else "1.3"), (most if newer else "1.2")
        yield from ["ciphersuites " + ":".join(newer)] if newer else []
        yield from ["ciphers " + ":".join(older)] if older else []
    if least > most:
        raise Refused(fields["tls"][0], "spec.frontend.tls", "no version is left")
    if "keyExchangeGroups" in tls:
        unknown = set(tls["keyExchangeGroups"]) - {"X25519", "P-256", "P-384", "P-521"}
        if unknown:
            raise Refused(fields["tls"][0], "spec.frontend.tls.keyExchangeGroups", "%s needs OpenSSL 3.5" % unknown.pop())
        yield "curves " + ":".join(tls["keyExchangeGroups"])
    yield "alpn " + ",".join(tls.get("alpnProtocols", ["h2", "http/1.1"]))
    yield "ssl-min-ver TLSv%s ssl-max-ver TLSv%s" % (least, most)


def openssl(suite):
    """TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 is ECDHE-RSA-AES128-GCM-SHA256 to OpenSSL."""
    words = suite.removeprefix("TLS_").replace("_WITH_", "_").replace("AES_", "AES").replace("_", "-")
    return words.replace("CHACHA20-POLY1305-SHA256", "CHACHA20-POLY1305")
