"""Where requests go: an endpoint as the server line of its backend."""

from routing import Refused
from words import limit, quote, seconds

UNKNOWN = "%s of backend.%s is not implemented"


def server(endpoint):
    policy = {key: value for key, (_, value) in endpoint.policy.items()}
    for section, known in (("http", {"requestTimeout", "version"}), ("tcp", {"connectTimeout", "keepalive"})):
        for field in sorted(set(policy.get(section, {})) - known):
            raise Refused(endpoint.policy[section][0], "spec.backend." + section, UNKNOWN % (field, section))
    tcp = policy.get("tcp", {})
    if "connectTimeout" in tcp:
        yield "timeout connect %s" % limit(tcp["connectTimeout"])
    if "keepalive" in tcp:
        yield from keepalive("srv", tcp["keepalive"])
    if "tls" in policy:
        # HAProxy compares the name of a server with DNS names of its certificate only.
        raise Refused(endpoint.policy["tls"][0], "spec.backend.tls", "addresses in certificates are not compared")
    spoken = {"kubernetes.io/h2c": "HTTP2"}.get(endpoint.protocol)
    version, where = policy.get("http", {}).get("version", spoken), address(endpoint.address)
    if version != "HTTP2":
        yield "server one %s" % where
    if version != "HTTP1":
        yield "server two %s proto h2" % where
    if version is None:
        yield "use-server two if HTTP_2.0"
        yield "use-server one unless HTTP_2.0"


def address(where):
    if isinstance(where, str):
        return quote("unix@" + where)
    return "ipv4@%s:%d init-addr libc,none" % where


def keepalive(side, wanted):
    """How the kernel probes connections of a side: cli or srv."""
    yield "option %stcpka" % side
    yield "%stcpka-idle %s" % (side, seconds(wanted.get("time", "180s")))
    yield "%stcpka-intvl %s" % (side, seconds(wanted.get("interval", "180s")))
    yield "%stcpka-cnt %d" % (side, wanted.get("retries", 9))
