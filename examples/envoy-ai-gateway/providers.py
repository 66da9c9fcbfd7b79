"""One provider of a ProxyBackend as an entry of the processor's configuration: schema, model, credential, changed fields."""

import base64
import copy
import json

from routing import Refused, identity

# Where the gateway takes each format.
PATHS = {
    "Completions": "/v1/chat/completions",
    "Messages": "/v1/messages",
    "Responses": "/v1/responses",
    "Embeddings": "/v1/embeddings",
    "Rerank": "/v2/rerank",
    "Vendor4TokenCount": "/v1/messages/count_tokens",
    "Models": "/v1/models",
}
# What the gateway writes behind the prefix of a provider.
TAILS = {
    "Completions": "/chat/completions",
    "Messages": "/messages",
    "Responses": "/responses",
    "Embeddings": "/embeddings",
    "Rerank": "/rerank",
}
# Which of a custom provider's formats the gateway can use for a client of another one.
OTHERS = {"Messages": ("Completions",)}
BEARER = {"header": {"name": "Authorization", "prefix": "Bearer "}}
PATH = "x-conform-path"  # where Envoy shall send what the gateway is done with
NOWHERE = ("127.0.0.1", 1)  # nobody listens there
FILE = "[default]\naws_access_key_id=%s\naws_secret_access_key=%s\n"


class Provider:
    def __init__(self, resources, endpoint, spec, wanted):
        self.resources, self.backend, self.spec, self.wanted = resources, endpoint.backend, spec, wanted
        self.kind = next(key for key in spec if key.startswith("vendor") or key == "custom")
        self.own, self.model, self.whole = spec[self.kind] or {}, None, None
        self.policy = effective(resources, endpoint, spec.get("name"), spec.get("policies", {}))
        for name, (source, value) in self.policy.items():
            if name not in ("ai", "auth", "http") or name == "http" and set(value) - {"requestTimeout"}:
                raise Refused(source, "backend.%s" % name, "%s is not implemented" % name)
        self.source, self.block = self.policy.get("ai", (self.backend, {}))
        for name in set(self.block) - {"routes", "overrides", "modelAliases"}:
            raise Refused(self.source, "backend.ai.%s" % name, "%s is not implemented" % name)
        self.address = self.place()
        self.host = "%s:%d" % self.address

    def place(self):
        reference = self.spec.get("backendRef", self.own.get("backendRef"))
        if reference is not None and reference.get("kind", "Service") == "Service":
            service = self.resources.get("Service", identity(self.backend)[0], reference["name"])
            port = reference.get("port", self.spec.get("port"))
            return (service and self.resources.of_service(service, port) or [NOWHERE])[0]
        if "host" not in self.spec:
            raise self.refused("host", "only providers with an address of their own are implemented")
        return self.spec["host"], self.spec.get("port", 80)

    def aliases(self):
        return self.block.get("modelAliases", {})

    def asked_for(self, model):
        """The same for requests that ask for this model, None for all others."""
        found = copy.copy(self)
        found.model = self.aliases().get(self.own.get("model", model))
        return found

    def entry(self):
        schema, auth = WORDS.get(self.kind, unknown)(self)
        model = self.model or self.own.get("model") or self.own.get("deploymentName")
        found = {"schema": schema, "modelNameOverride": model or ""}
        if auth is not None:
            found["auth"] = auth
        if self.whole is not None:
            found["httpHeaderMutation"] = {"set": [{"name": PATH, "value": self.whole}]}
        changes = {each["field"]: each["value"] for each in self.block.get("overrides", [])}
        if "guardrail" in self.own:
            identifier, number = self.own["guardrail"]["identifier"], self.own["guardrail"]["version"]
            changes["guardrailConfig"] = {"guardrailIdentifier": identifier, "guardrailVersion": number}
        if changes:
            fields = [{"path": name, "value": json.dumps(value)} for name, value in changes.items()]
            found["httpBodyMutation"] = {"set": fields}
        return found

    def refused(self, path, message):
        return Refused(self.backend, "spec.ai.provider.%s" % path, message)

    def prefix(self, usual, wanted):
        """What stands before the part of a path that the gateway writes itself. Another path than that is `whole`."""
        path = self.spec.get("path")
        if path is None:
            return usual.strip("/")
        tail = TAILS.get(wanted)
        if tail is not None and path.endswith(tail):
            return path[: -len(tail)].strip("/")
        self.whole = path
        return ""

    def key(self, place=None):
        """`place` is the location where the gateway shows such a key, and no other, if a location can say it."""
        source, auth = self.policy.get("auth", (None, {}))
        if set(auth) - {"key", "secretRef", "passthrough", "location"} or auth.get("location", place) != place:
            raise Refused(source, "backend.auth", "only keys at their usual places are implemented")
        found = auth.get("key")
        if "secretRef" in auth:
            found = self.secret(source, auth["secretRef"]).get(auth["secretRef"].get("key", "Authorization"), "")
        return found if found is None or "location" in auth else bare(found)

    def secret(self, source, reference):
        found = self.resources.get("Secret", identity(source)[0], reference["name"]) or {}
        coded = {key: base64.b64decode(value).decode() for key, value in found.get("data", {}).items()}
        return {**coded, **found.get("stringData", {})}

    def keys_of_cloud(self):
        source, auth = self.policy.get("auth", (None, {}))
        if not auth:
            return None
        cloud = auth.get("cloudA", {})
        if set(auth) != {"cloudA"} or set(cloud) - {"secretRef", "region", "serviceName"} or "secretRef" not in cloud:
            raise Refused(source, "backend.auth", "only keys of a Secret are implemented")
        if cloud.get("serviceName", "bedrock") != "bedrock":
            raise Refused(source, "backend.auth.cloudA.serviceName", "only bedrock is implemented")
        keys = self.secret(source, cloud["secretRef"])
        text = FILE % (keys.get("accessKey", ""), keys.get("secretKey", ""))
        if "sessionToken" in keys:
            text += "aws_session_token=%s\n" % keys["sessionToken"]
        return {"aws": {"credentialFileLiteral": text, "region": cloud.get("region", self.region())}}

    def region(self):
        return self.own.get("region", "us-east-1")


def effective(resources, endpoint, name, inline):
    found = {**endpoint.policy}
    if name is not None:
        found.update(resources.effective("backend", [*endpoint.places, ("ProxyBackend", endpoint.backend, name)]))
        found.update(endpoint.inline)
    found.update({key: (endpoint.backend, value) for key, value in inline.items()})
    return found


def bare(key):
    return key.removeprefix("Bearer ")


def bearer(provider):
    key = provider.key(BEARER)
    return None if key is None else {"apiKey": {"key": key}}


def vendor1(provider):
    wanted = "Completions" if provider.wanted == "Messages" else provider.wanted
    return openai(provider.prefix(provider.spec.get("pathPrefix", "/v1"), wanted)), bearer(provider)


def vendor2(provider):
    provider.whole = provider.spec.get("path")
    return {"name": "AzureOpenAI", "version": provider.own.get("apiVersion", "v1")}, bearer(provider)


def vendor3(provider):
    project = "/api/projects/%s" % provider.own.get("projectName") if provider.own.get("resourceType") == "ResourceTypeB" else ""
    wanted = "Completions" if provider.wanted == "Messages" else provider.wanted
    return openai(provider.prefix(project + "/openai/v1", wanted)), bearer(provider)


def vendor4(provider):
    key = provider.key()
    prefix = provider.prefix(provider.spec.get("pathPrefix", "/v1"), "Messages")
    return {"name": "Anthropic", "prefix": prefix}, None if key is None else {"anthropicAPIKey": {"key": key}}


def vendor6(provider):
    provider.whole = provider.spec.get("path")
    key = provider.key()
    if key is None:
        raise provider.refused("policies", "without a token the gateway looks for one that is not here")
    own = {"accessToken": key, "region": provider.own.get("region", ""), "projectName": provider.own.get("projectId", "")}
    return {"name": "GCPVertexAI"}, {"gcp": own}


def vendor7(provider):
    if "path" in provider.spec:
        raise provider.refused("path", "the gateway signs the path that it writes itself")
    auth = provider.keys_of_cloud()
    if auth is not None:
        provider.host = "bedrock-runtime.%s.amazonaws.com" % auth["aws"]["region"]  # the one that is signed
    return {"name": "AWSBedrock"}, auth


def custom(provider):
    """The format of the client where it is listed; of others the gateway translates messages to completions."""
    paths = {each["type"]: each.get("path", PATHS.get(each["type"])) for each in provider.own["formats"]}
    listed = next((each for each in (provider.wanted, *OTHERS.get(provider.wanted, ())) if each in paths), None)
    if listed is None:
        return {"name": "Cohere"}, None  # has no other format than ranks, so that the gateway says no itself
    provider.spec = {"path": paths[listed], **provider.spec}
    prefix = provider.prefix("", listed)
    if listed == "Rerank":
        return {"name": "Cohere", "version": prefix}, bearer(provider)
    return {"name": "Anthropic" if listed == "Messages" else "OpenAI", "prefix": prefix}, bearer(provider)


def unknown(provider):
    raise provider.refused(provider.kind, "%s is not implemented" % provider.kind)


def openai(prefix):
    return {"name": "OpenAI", "prefix": prefix}


WORDS = {
    "vendor1": vendor1,
    "vendor2": vendor2,
    "vendor3": vendor3,
    "vendor4": vendor4,
    "vendor6": vendor6,
    "vendor7": vendor7,
    "custom": custom,
}
