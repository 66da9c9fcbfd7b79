"""ProxyModels: routes of the second listener by the header with the model that a request names, which is what the gateway is made for."""

import re

from providers import PATHS, Provider
from routing import Endpoint, Refused, identity

INNER = "inner"  # the listener behind that of the clients
RULE, MODEL = "x-conform-rule", "x-ai-eg-model"
NAMES = {"Vendor1": "vendor1", "Vendor3": "vendor3", "Vendor4": "vendor4", "Vendor6": "vendor6", "Vendor7": "vendor7"}
NAMES["Custom"] = "custom"
ADDRESS = re.compile(r"http://([^:/]+)(?::(\d+))?(/.*)?")


class Models:
    def models_of(self, host):
        """Routes of the first listener for the models of a host; formats are told by the ends of their usual paths."""
        models = [each for each in self.resources.models if attached(each, host)]
        for format in PATHS if models else ():
            tail = PATHS[format].removeprefix("/v1").removeprefix("/v2")
            ends = {"safe_regex": {"regex": "[^?]*%s(\\?.*)?" % re.escape(tail)}}
            yield {
                "match": {"prefix": "/", "headers": [{"name": ":path", "string_match": ends}]},
                "request_headers_to_add": [set_header(RULE, self.inside(models, format))],
                "route": {"cluster": INNER, "timeout": "0s", "regex_rewrite": rewritten(PATHS[format])},
            }

    def inside(self, models, format):
        """The name under which the second listener knows these models in this format."""
        public = sorted((each for each in models if each["spec"].get("visibility") != "Internal"), key=precedence)
        actions = [(matching(name_of(each)), self.toward_model(each, format)) for each in public]
        return self.register([([match], action) for match, action in actions])

    def toward_model(self, model, format):
        virtual = model["spec"].get("virtualModel")
        if virtual is None:
            return self.leading([[provider_of(self.resources, model, format)]])
        if "weighted" in virtual:
            targets = virtual["weighted"]["targets"]
            actions = [self.leading([[self.target(model, each, format)]]) for each in targets]
            parts = [
                {"name": action["cluster"], "host_rewrite_literal": action["host_rewrite_literal"], "weight": each.get("weight", 1)}
                for action, each in zip(actions, targets)
            ]
            return {"timeout": "0s", "weighted_clusters": {"clusters": parts}}
        if "failover" in virtual:
            levels = {}
            for each in virtual["failover"]["targets"]:
                levels.setdefault(each.get("priority", 0), []).append(self.target(model, each, format))
            return self.leading([levels[key] for key in sorted(levels)])
        raise Refused(model, "spec.virtualModel", "routes of the gateway have no expressions")

    def target(self, virtual, wanted, format):
        key = (identity(virtual)[0], wanted["modelRef"]["name"])
        model = next((each for each in self.resources.models if identity(each) == key), None)
        if model is None:
            raise Refused(virtual, "spec.virtualModel", "ProxyModel %s does not exist" % key[1])
        provider = provider_of(self.resources, model, format)
        provider.model = wanted.get("model") or name_of(model)
        return provider


def attached(model, host):
    own = identity(model)[0]
    return any(
        (ref.get("namespace", own), ref["name"]) == identity(host.gateway)
        and ref.get("sectionName", host.listener["name"]) == host.listener["name"]
        for ref in model["spec"]["parentRefs"]
    )


def name_of(model):
    return model["spec"].get("match", {}).get("model", identity(model)[1])


def precedence(model):
    """An exact name before a pattern, the longer before the shorter."""
    return "*" in name_of(model), -len(name_of(model))


def matching(name):
    if name == "*":
        return {"name": MODEL, "present_match": True}
    if name.endswith("*"):
        return {"name": MODEL, "string_match": {"prefix": name[:-1]}}
    if name.startswith("*"):
        return {"name": MODEL, "string_match": {"suffix": name[1:]}}
    return exact(MODEL, name)


def provider_of(resources, model, format):
    spec = model["spec"]
    kind = NAMES.get(spec["provider"])
    if kind is None:
        raise Refused(model, "spec.provider", "%s is not implemented" % spec["provider"])
    found = {kind: spec.get(kind, {})}
    if "baseURL" in spec:
        place = ADDRESS.fullmatch(spec["baseURL"])
        if place is None or kind == "vendor7" and (place[3] or "/") != "/":
            raise Refused(model, "spec.baseURL", "neither TLS nor, at this provider, a path is implemented")
        host, port, path = place.groups()
        found.update(host=host, port=int(port or 80), pathPrefix=path or "/")
        found[kind] = {key: value for key, value in found[kind].items() if key != "backendRef"}
    policies = {key: (model, value) for key, value in spec.get("policies", {}).items()}
    return Provider(resources, Endpoint(1, INNER, policy=policies, backend=model), found, format)


def exact(name, value):
    return {"name": name, "string_match": {"exact": value}}


def set_header(name, value):
    return {"header": {"key": name, "value": value}, "append_action": "OVERWRITE_IF_EXISTS_OR_ADD"}


def rewritten(path):
    return {"pattern": {"regex": "^.*$"}, "substitution": path}
