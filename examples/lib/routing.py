"""What the resources of the suite come to: which hosts listen where, the order of their rules, and the policy of each.

Shared by the adapters of nginx, Envoy, HAProxy, FastMCP and LiteLLM; it knows none of them. `virtual_hosts(Resources(list))` is the way in.
What it does not understand it refuses, because a resource that is ignored would be a lie.
"""

from collections import defaultdict
from dataclasses import dataclass, field, replace

from hosts import covers, narrower

ANYWHERE = ("", 0)  # where a dynamicForwardProxy leads: each request says it
OWN_GROUP = "proxy.example"
GROUPS = {"Service": "", "Secret": "", "ConfigMap": ""}  # of kinds that are not the documents' own
INERT = {"Namespace", "ReferenceGrant", "Secret", "ConfigMap", "Service", "EndpointSlice"}


class Refused(Exception):
    """A resource that cannot be put into the words of the proxy. Becomes an entry of `rejected`."""

    def __init__(self, resource, path, message):
        super().__init__(message)
        namespace, name = identity(resource)
        where = "%s %s/%s" % (resource.get("kind"), namespace, name)
        self.violation = {"resource": where, "namespace": namespace, "path": path, "message": message}


@dataclass
class Endpoint:
    """Where a request may be sent: an address, or nothing when the reference leads nowhere."""

    weight: int
    address: tuple = None  # (host, port), a path of a Unix domain socket, or ANYWHERE
    others: list = field(default_factory=list)  # further addresses of a Service
    protocol: str = ""  # appProtocol of the port of a Service
    by_name: bool = False  # a backend known by name is called by its name unless a policy says otherwise
    policy: dict = field(default_factory=dict)  # effective backend section: name of a field to (resource, value)
    backend: dict = None  # a ProxyBackend of another type than static, which has no address of its own
    places: tuple = ()  # and where its policies come from: everything before itself, and what it says inline
    inline: dict = field(default_factory=dict)


@dataclass
class Rule:
    """One match of one rule. `policy` is the effective traffic section: name of a field to (resource, value)."""

    route: dict
    match: dict
    endpoints: list
    filters: list
    policy: dict
    order: tuple


@dataclass
class VirtualHost:
    port: int
    host: str  # "" is any host, "*.x" any below x
    rules: list
    gateway: dict
    listener: dict  # the first of those that have this host on this port


def identity(resource):
    metadata = resource.get("metadata") or {}
    return metadata.get("namespace", "default"), metadata.get("name", "")


def group_of(resource):
    group, _, _ = resource.get("apiVersion", "").rpartition("/")
    return group


def of_kind(resources, kind):
    return [each for each in resources if each["kind"] == kind]


class Resources:
    """All resources by kind and name, with the policies that are attached to them.

    `backends` are the types of ProxyBackend that the proxy knows.
    """

    def __init__(self, resources, backends=("static",)):
        self.backends = backends
        for each in resources:
            if each["kind"] not in INERT | {"Gateway", "ListenerSet", "HTTPRoute", "ProxyBackend", "ProxyPolicy"}:
                raise Refused(each, "kind", "kind %s is not implemented" % each["kind"])
        self.all = resources
        self.named = {(each["kind"],) + identity(each): each for each in resources}

    def get(self, kind, namespace, name):
        return self.named.get((kind, namespace, name))

    def targeting(self, kind, resource, section=None, port=None):
        """Policies at one place, the one that counts last; `section` names a listener or a rule, `port` is one of a Gateway."""
        for policy in sorted(of_kind(self.all, "ProxyPolicy"), key=identity, reverse=True):
            if identity(policy)[0] != identity(resource)[0]:
                continue
            refs = policy["spec"].get("targetRefs", [])
            labels = resource["metadata"].get("labels", {})
            if any(
                ref["kind"] == kind
                and ref["name"] == identity(resource)[1]
                and (ref.get("sectionName"), ref.get("port")) == (section, port)
                for ref in refs
            ) or any(
                each["kind"] == kind
                and (each.get("sectionName"), each.get("port")) == (section, port)
                and each["matchLabels"].items() <= labels.items()
                for each in policy["spec"].get("targetSelectors", [])
            ):
                yield policy

    def effective(self, section, places):
        """One section of all policies at the places, least specific place first: whole fields, the last one wins."""
        fields = {}
        for kind, resource, name in places:
            here = list(self.targeting(kind, resource, name))
            for policy in here:
                fields.update({key: (policy, value) for key, value in policy["spec"].get(section, {}).items()})
            overriding = [each["spec"].get("strategy", {}).get("inheritance") == "Override" for each in here]
            if section == "traffic" and any(overriding):
                break  # what is more specific is left out as a whole
        return fields

    def frontend(self, gateway, port):
        """The frontend section of a Gateway for one of its ports: what is said of the port counts more."""
        fields = {}
        for number in (None, port):
            for policy in self.targeting("Gateway", gateway, port=number):
                fields.update({key: (policy, value) for key, value in policy["spec"].get("frontend", {}).items()})
        return fields

    def granted(self, source, kind, namespace, name):
        """Whether a reference may leave its namespace (ReferenceGrant)."""
        own, _ = identity(source)
        return own == namespace or any(
            identity(grant)[0] == namespace
            and any(
                each["namespace"] == own and (each["group"], each["kind"]) == (group_of(source), source["kind"])
                for each in grant["spec"]["from"]
            )
            and any(
                (each["group"], each["kind"]) == (GROUPS.get(kind, OWN_GROUP), kind) and each.get("name", name) == name
                for each in grant["spec"]["to"]
            )
            for grant in of_kind(self.all, "ReferenceGrant")
        )

    def endpoint(self, ref, source, places=()):
        """Where a backendRef leads. The address is None when it leads nowhere."""
        namespace, kind = ref.get("namespace", identity(source)[0]), ref.get("kind", "Service")
        backend = self.get(kind, namespace, ref["name"])
        nowhere = Endpoint(ref.get("weight", 1))
        if backend is None or not self.granted(source, kind, namespace, ref["name"]):
            return nowhere
        policy = self.effective("backend", [*places, (kind, backend, None)])
        if kind == "Service":
            addresses = self.of_service(backend, ref.get("port"))
            ports = [each for each in backend["spec"]["ports"] if each["port"] == ref.get("port")]
            found = {"address": addresses[0], "others": addresses[1:]} if addresses else {}
            return replace(nowhere, **found, protocol=ports[0].get("appProtocol", "") if ports else "", policy=policy)
        inline = {key: (backend, value) for key, value in backend["spec"].get("policies", {}).items()}
        above = (*places, (kind, backend, None))
        return self.of_backend(backend, replace(nowhere, policy={**policy, **inline}, places=above, inline=inline))

    def of_backend(self, backend, nowhere):
        """The endpoint of a ProxyBackend. Who makes something else of a type takes this over."""
        kind = (set(backend["spec"]) - {"policies"}).pop()
        if kind not in self.backends:
            raise Refused(backend, "spec", "of backends only %s" % " and ".join(self.backends))
        if kind not in ("static", "dynamicForwardProxy"):
            return replace(nowhere, backend=backend)
        static = backend["spec"]["static"] if kind == "static" else dict(zip(("host", "port"), ANYWHERE))
        address = static.get("unixPath") or (static["host"], static["port"])
        by_name = bool(static.get("host")) and not static["host"].replace(".", "").isdigit()
        return replace(nowhere, address=address, by_name=by_name)

    def of_service(self, service, number):
        """Addresses of the endpoints of a port of a Service."""
        names = [each.get("name", "") for each in service["spec"]["ports"] if each["port"] == number]
        return [
            (endpoint["addresses"][0], port["port"])
            for piece in of_kind(self.all, "EndpointSlice")
            if (identity(piece)[0], piece["metadata"].get("labels", {}).get("kubernetes.io/service-name"))
            == identity(service)
            for port in piece["ports"]
            if port.get("name", "") in names
            for endpoint in piece["endpoints"]
            if endpoint.get("conditions", {}).get("ready", True) is not False
        ]


def virtual_hosts(everything, protocols=("HTTP",)):
    """Every host of every port with its rules, the first one that matches is the one that counts."""
    hosts = {}
    for parent, gateway, listener in listeners(everything):
        if listener["protocol"] not in protocols:
            raise Refused(parent, "spec.listeners", "of protocols only %s" % " and ".join(protocols))
        pattern = listener.get("hostname", "").lower()
        attached = [each for each in of_kind(everything.all, "HTTPRoute") if attaches(each, parent, listener)]
        found = defaultdict(list)
        for route in attached:
            for hostname in route["spec"].get("hostnames", [pattern]):
                host = narrower(pattern, hostname.lower())
                if host is not None:
                    found[host].extend(rules_of(everything, route, (parent, gateway, listener)))
        found.setdefault(pattern, [])
        for host, rules in found.items():
            wider = [rule for other, more in found.items() if other != host and covers(other, host) for rule in more]
            ordered = sorted(rules, key=lambda rule: rule.order) + sorted(wider, key=lambda rule: rule.order)
            # Over TLS the name of the handshake has chosen the listener before the host is read.
            place = (listener["port"], listener["protocol"] == "HTTPS" and pattern, host)
            made = VirtualHost(listener["port"], host, [], gateway, listener)
            hosts.setdefault(place, made).rules.extend(ordered)
    return list(hosts.values())


def listeners(everything):
    """(the resource that has it, its Gateway, the listener) of every listener."""
    for gateway in of_kind(everything.all, "Gateway"):
        for listener in gateway["spec"]["listeners"]:
            yield gateway, gateway, listener
    for more in of_kind(everything.all, "ListenerSet"):
        gateway = everything.get("Gateway", identity(more)[0], more["spec"]["parentRef"]["name"])
        allowed = gateway and gateway["spec"].get("allowedListeners", {}).get("namespaces", {}).get("from", "None")
        if allowed in ("Same", "All"):
            for listener in more["spec"]["listeners"]:
                yield more, gateway, listener


def attaches(route, parent, listener):
    return any(
        ref.get("kind", "Gateway") == parent["kind"]
        and (ref.get("namespace", identity(route)[0]), ref["name"]) == identity(parent)
        and ref.get("sectionName", listener["name"]) == listener["name"]
        for ref in route["spec"].get("parentRefs", [])
    )


def rules_of(everything, route, place):
    parent, gateway, listener = place
    above = [("Gateway", gateway, None), (parent["kind"], parent, None), (parent["kind"], parent, listener["name"])]
    if parent is gateway:
        above.pop(1)
    for index, rule in enumerate(route["spec"].get("rules", [])):
        places = above + [("HTTPRoute", route, None)]
        if rule.get("name"):
            places.append(("HTTPRoute", route, rule["name"]))
        policy = everything.effective("traffic", places)
        endpoints = [everything.endpoint(ref, route, places) for ref in rule.get("backendRefs", [])]
        for match in rule.get("matches", [{}]):
            yield Rule(route, match, endpoints, rule.get("filters", []), policy, precedence(match, route, index))


def precedence(match, route, index):
    """Exact before prefix before regular expression, longer before shorter, then method, headers, query."""
    path = match.get("path", {})
    kind, value = path.get("type", "PathPrefix"), path.get("value", "/")
    return (
        ("Exact", "PathPrefix", "RegularExpression").index(kind),
        -len(value),
        "method" not in match,
        -len(match.get("headers", [])),
        -len(match.get("queryParams", [])),
        identity(route),
        index,
    )
