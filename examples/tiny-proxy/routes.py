"""Turns canonical resources into a routing table and refuses what this proxy does not implement."""
from policies import attaches, identity, namespace_of, of_kind

# A Namespace says nothing a proxy has to act on.
KINDS = ("Gateway", "HTTPRoute", "ProxyBackend", "Namespace")
LISTENER_KEYS = {"name", "hostname", "port", "protocol"}
RULE_KEYS = {"name", "matches", "backendRefs"}


def problems(resources, port):
    """Everything in the resources that would be ignored or misread, as the adapter protocol wants it."""
    for resource in resources:
        namespace, name = identity(resource)
        where = "%s %s/%s" % (resource["kind"], namespace, name)
        try:
            for path, message in complaints(resource, port):
                yield {"resource": where, "namespace": namespace, "path": path, "message": message}
        except (AttributeError, KeyError, TypeError) as error:
            yield {"resource": where, "namespace": namespace, "message": "malformed: %r" % error}


def complaints(resource, port):
    if resource["kind"] not in KINDS:
        yield "kind", "kind %s is not implemented" % resource["kind"]
    elif resource["kind"] == "Gateway":
        for listener in resource["spec"]["listeners"]:
            if set(listener) - LISTENER_KEYS or listener["protocol"] != "HTTP" or listener["port"] != port:
                yield "spec.listeners", "only HTTP listeners on port %d" % port
    elif resource["kind"] == "ProxyBackend":
        if set(resource["spec"]) - {"static", "policies"} or "port" not in resource["spec"].get("static", {}):
            yield "spec", "only static backends with host and port"
    elif resource["kind"] == "HTTPRoute":
        for rule in resource["spec"].get("rules", []):
            if set(rule) - RULE_KEYS or len(rule.get("backendRefs", [])) > 1:
                yield "spec.rules", "only matches and one backendRef"
            for match in rule.get("matches", []):
                if set(match) - {"path"} or path_of(match)[0] not in ("Exact", "PathPrefix"):
                    yield "spec.rules.matches", "only path Exact and PathPrefix"


def path_of(match):
    path = match.get("path", {})
    return path.get("type", "PathPrefix"), path.get("value", "/")


class Routes:
    """A routing table that never changes; a new configuration is a new table."""

    def __init__(self, resources):
        backends = {identity(each): each["spec"]["static"] for each in of_kind(resources, "ProxyBackend")}
        self.listeners = {}  # hostname pattern ("" for any) -> [(route hostname, path type, path, static or None)]
        for gateway in of_kind(resources, "Gateway"):
            for listener in gateway["spec"]["listeners"]:
                way = {"gateway": identity(gateway), "listener": listener["name"]}
                table = self.listeners.setdefault(listener.get("hostname", "").lower(), [])
                for route in of_kind(resources, "HTTPRoute"):
                    if attaches(route, way):
                        table.extend(entries(route, backends))
        self.hostnames = sorted(self.listeners, key=specificity, reverse=True)

    def find(self, host, path):
        """(True, static) of the best route; (True, None) when its backend does not exist; (False, None) without one."""
        for hostname in self.hostnames:
            if covers(hostname, host):
                return self.best(self.listeners[hostname], host, path)
        return False, None

    @staticmethod
    def best(table, host, path):
        hits = [each for each in table if covers(each[0], host) and path_matches(each[1], each[2], path)]
        if not hits:
            return False, None
        # max keeps the first of equals: the order of the rules in their route.
        return True, max(hits, key=lambda hit: (specificity(hit[0]), hit[1] == "Exact", len(hit[2])))[3]


def entries(route, backends):
    for hostname in route["spec"].get("hostnames", [""]):
        for rule in route["spec"].get("rules", []):
            refs = rule.get("backendRefs", [])
            places = [(ref.get("namespace", namespace_of(route)), ref["name"]) for ref in refs]
            # No ReferenceGrant here: a reference into another namespace leads nowhere.
            own = [place for place in places if place[0] == namespace_of(route)]
            static = backends.get(own[0]) if own else None
            for match in rule.get("matches", [{}]):
                yield (hostname.lower(),) + path_of(match) + (static,)


def covers(pattern, host):
    return pattern in ("", host) or (pattern.startswith("*.") and host.endswith(pattern[1:]))


def specificity(pattern):
    return (pattern != "", not pattern.startswith("*"), len(pattern))


def path_matches(kind, value, path):
    if kind == "Exact":
        return path == value
    prefix = value.rstrip("/")
    return path == prefix or path.startswith(prefix + "/")
