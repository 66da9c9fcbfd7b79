"""What ProxyBackends of type ai are in LiteLLM's words: groups of deployments, by the format that clients speak."""

import hashlib
import json
from dataclasses import dataclass, replace

from providers import Provider
from routing import Refused, Resources

BACKEND = {"auth", "ai"}
BLOCK = {"routes", "modelAliases", "defaults"}
# Members of a deployment that are LiteLLM's own words and not fields of a request.
OWN_WORDS = {"model", "api_base", "api_key", "api_version", "timeout", "order", "weight", "messages", "stream"}


@dataclass(frozen=True)
class Models:
    """Where a request to an ai backend goes: by its path the format, by its format the group that the router chooses from."""

    routes: dict
    groups: dict


class Gateway(Resources):
    """The resources of the suite. `deployments` has, by their ids, what LiteLLM's router needs for the backends that are used."""

    def __init__(self, resources):
        super().__init__(resources)
        self.deployments = {}

    def of_backend(self, backend, nowhere):
        if "ai" not in backend["spec"]:
            return super().of_backend(backend, nowhere)
        policy = nowhere.policy
        check(policy, BACKEND, "backend.%s")
        source, block = policy.get("ai", (backend, {}))
        check({key: (source, value) for key, value in block.items()}, BLOCK, "backend.ai.%s")
        if "groups" in backend["spec"]["ai"]:
            raise Refused(backend, "spec.ai.groups", "groups are not implemented")
        provider = Provider(self, backend, backend["spec"]["ai"]["provider"], *policy.get("auth", (backend, {})))
        routes = block.get("routes", {"*": "Completions"})
        groups = {each: self.group(provider.deployment(each), block) for each in {*routes.values(), "Completions"}}
        return replace(nowhere, address=Models(routes, groups))

    def group(self, parameters, block):
        """One deployment for every model and one for each alias, under a name that is made of what they are, so that what
        changes is another group."""
        if parameters is None:
            return None
        defaults = {each["field"]: each["value"] for each in block.get("defaults", [])}
        aliases = block.get("modelAliases", {})
        every = {**defaults, **parameters}
        name = hashlib.sha256(json.dumps([every, aliases], sort_keys=True).encode()).hexdigest()[:16]
        self.add(name, "*", every)
        for alias, model in aliases.items():
            self.add(name, alias, {**every, "model": every["model"].replace("*", model)})
        return name

    def add(self, group, model, parameters):
        key = "%s/%s" % (group, model)
        self.deployments[key] = {"model_name": key, "litellm_params": parameters, "model_info": {"id": key}}


def check(fields, known, path):
    for name, (source, value) in fields.items():
        if name not in known:
            raise Refused(source, path % name, "%s is not implemented" % name)
        if name == "defaults" and any(each["field"] in OWN_WORDS for each in value):
            raise Refused(source, path % name, "a field that LiteLLM has a meaning of its own for")
