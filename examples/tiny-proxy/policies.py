"""Merges ProxyPolicy resources: per top-level field, the most specific attachment point wins."""

ACCUMULATING = ("authorization", "networkAuthorization")
PHASES = ("gateway", "route", "backend", "frontend")


def effective_policy(question):
    """The merged section for the way a request takes; LookupError when the names lead nowhere or to several answers."""
    phase = question["phase"]
    if phase not in PHASES:
        raise LookupError("unknown phase " + phase)
    resources = question["resources"]
    ways = [way for way in ways_of(resources, phase) if is_chosen(way, question)]
    answers = [merge(phase, contributions(phase, way, resources)) for way in ways]
    if not answers:
        raise LookupError("no such request target")
    if any(answer != answers[0] for answer in answers):
        raise LookupError("several answers; name gateway, listener, route, rule or backend")
    return answers[0]


def ways_of(resources, phase):
    """Every (gateway, listener, route, rule, backend) a request can take, as far as the phase needs them."""
    for gateway in of_kind(resources, "Gateway"):
        for listener in gateway["spec"]["listeners"]:
            way = {"gateway": identity(gateway), "listener": listener["name"], "port": listener["port"]}
            if phase in ("gateway", "frontend"):
                yield way
            else:
                yield from ways_below(resources, way, phase)


def ways_below(resources, way, phase):
    for route in of_kind(resources, "HTTPRoute"):
        if not attaches(route, way):
            continue
        for index, rule in enumerate(route["spec"].get("rules", [])):
            below = dict(way, route=identity(route), rule=rule.get("name", str(index)))
            if phase == "route":
                yield below
            for ref in rule.get("backendRefs", []) if phase == "backend" else []:
                place = (ref.get("namespace", namespace_of(route)), ref["name"])
                yield dict(below, backend=place, backend_kind=ref.get("kind", "Service"))


def attaches(route, way):
    """Whether a parentRef of the route names this listener, or the whole Gateway."""
    return any(
        (ref.get("namespace", namespace_of(route)), ref["name"]) == way["gateway"]
        and ref.get("sectionName", way["listener"]) == way["listener"]
        for ref in route["spec"].get("parentRefs", [])
    )


def is_chosen(way, question):
    return all(
        name not in question or name not in way or question[name] in spellings(way[name], question.get("namespace"))
        for name in ("gateway", "listener", "route", "rule", "backend")
    )


def spellings(value, namespace):
    if isinstance(value, str):
        return (value,)
    full = "/".join(value)
    return (full, value[1]) if namespace in (None, value[0]) else (full,)


def places(phase, way):
    """The attachment points on the way, least specific first: (kind, identity, section or port)."""
    listed = [("Gateway", way["gateway"], None)]
    if phase == "frontend":
        return listed + [("Gateway", way["gateway"], way["port"])]
    listed.append(("Gateway", way["gateway"], way["listener"]))
    if phase in ("route", "backend"):
        listed += [("HTTPRoute", way["route"], None), ("HTTPRoute", way["route"], way["rule"])]
    if phase == "backend":
        listed.append((way["backend_kind"], way["backend"], None))
    return listed


def contributions(phase, way, resources):
    """(section, is Override) of every policy on the way, in the order in which a later one replaces an earlier one."""
    found = []
    for level, place in enumerate(places(phase, way)):
        here = [policy for policy in of_kind(resources, "ProxyPolicy") if place in targets(policy, resources)]
        # Ties: the oldest policy wins, then the first by namespace and name; the winner comes last.
        here.sort(key=lambda policy: (policy["metadata"].get("creationTimestamp") or "9", identity(policy)), reverse=True)
        found += [(level, section_of(policy, phase), is_override(policy, phase)) for policy in here]
    found = [each for each in found if each[1] is not None]
    overriding = [level for level, _, override in found if override]
    if overriding:
        found = [each for each in found if each[0] <= min(overriding)]
    return [section for _, section, _ in found] + own_settings(phase, way, resources)


def own_settings(phase, way, resources):
    """What the backend says itself; it wins over every attached policy."""
    if phase != "backend" or way["backend_kind"] != "ProxyBackend":
        return []
    own = [each for each in of_kind(resources, "ProxyBackend") if identity(each) == way["backend"]]
    return [each["spec"].get("policies", {}) for each in own]


def section_of(policy, phase):
    spec = policy["spec"]
    if phase in ("backend", "frontend"):
        return spec.get(phase)
    wanted = "PreRouting" if phase == "gateway" else "PostRouting"
    traffic = spec.get("traffic")
    if traffic is None or traffic.get("phase", "PostRouting") != wanted:
        return None
    return {field: value for field, value in traffic.items() if field != "phase"}


def is_override(policy, phase):
    return phase == "route" and policy["spec"].get("strategy", {}).get("inheritance") == "Override"


def merge(phase, sections):
    merged = {}
    for section in sections:
        for field, value in section.items():
            merged[field] = merged.get(field, []) + [value] if field in ACCUMULATING else value
    return {
        field: value[0] if field in ACCUMULATING and len(value) == 1 else value for field, value in merged.items()
    }


def targets(policy, resources):
    """The places a policy is attached to; always in its own namespace."""
    namespace, spec = namespace_of(policy), policy["spec"]
    named = [(ref["kind"], (namespace, ref["name"]), part(ref)) for ref in spec.get("targetRefs", [])]
    selected = [
        (selector["kind"], identity(resource), part(selector))
        for selector in spec.get("targetSelectors", [])
        for resource in of_kind(resources, selector["kind"])
        if namespace_of(resource) == namespace
        and selector["matchLabels"].items() <= resource["metadata"].get("labels", {}).items()
    ]
    return named + selected


def part(ref):
    return ref.get("sectionName", ref.get("port"))


def of_kind(resources, kind):
    return [resource for resource in resources if resource["kind"] == kind]


def identity(resource):
    return (namespace_of(resource), resource["metadata"]["name"])


def namespace_of(resource):
    return resource["metadata"].get("namespace", "default")
