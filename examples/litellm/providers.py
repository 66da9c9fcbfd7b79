"""One provider of a ProxyBackend as LiteLLM's parameters: its word for the provider and the model, the address, the credential."""

from routing import Refused, identity

KEYS = {
    "accessKey": "aws_access_key_id",
    "secretKey": "aws_secret_access_key",
    "sessionToken": "aws_session_token",
}
# Where LiteLLM shows the key of vendor1, and can show no other.
BEARER = {"header": {"name": "Authorization", "prefix": "Bearer "}}
# Formats of clients that LiteLLM has a path for.
FORMATS = {"Completions", "Messages", "Responses", "Embeddings", "Rerank", "Vendor4TokenCount"}


class Provider:
    def __init__(self, resources, backend, spec, source, auth):
        self.resources, self.backend, self.spec, self.source, self.auth = resources, backend, spec, source, auth
        self.kind = next(key for key in spec if key.startswith("vendor") or key == "custom")
        self.own = spec[self.kind] or {}

    def deployment(self, wanted):
        """How LiteLLM reaches it for clients of this format; None when that is not possible."""
        if wanted not in FORMATS:
            raise self.refused("routes", "LiteLLM has no path of its own for %s" % wanted)
        words = WORDS.get(self.kind)
        if words is None:
            raise self.refused(self.kind, "%s is not implemented" % self.kind)
        if "host" not in self.spec:
            raise self.refused("host", "only providers with an address of their own are implemented")
        address = "http://%s:%d" % (self.spec["host"], self.spec.get("port", 80))
        found = words(self, address, wanted)
        return found and {**found, **self.credential()}

    def model(self, provider):
        return "%s/%s" % (provider, self.own.get("model") or "*")

    def prefix(self):
        return self.spec.get("pathPrefix", "/v1").rstrip("/")

    def before(self, tail, path):
        """What stands before the part of a path that LiteLLM writes itself."""
        if not path.endswith(tail):
            raise self.refused("path", "LiteLLM puts %s behind the address of such a provider" % tail)
        return path[: -len(tail)]

    def refused(self, path, message):
        return Refused(self.backend, "spec.ai.provider.%s" % path, message)

    def credential(self):
        if not self.auth:
            return {"api_key": "none"}  # without one LiteLLM asks nobody
        cloud = self.auth.get("cloudA", {})
        if self.kind == "vendor7" and set(cloud) <= {"secretRef", "region", "serviceName"} and "secretRef" in cloud:
            keys = self.secret(cloud["secretRef"])
            words = {each: keys[name] for name, each in KEYS.items() if name in keys}
            # Of the region and the service of a signature LiteLLM knows only the former.
            if cloud.get("serviceName", "bedrock") == "bedrock" and len(words) > 1:
                return {**words, **({"aws_region_name": cloud["region"]} if "region" in cloud else {})}
        place = self.auth.get("location")
        if "key" in self.auth and (place is None or (place == BEARER and self.kind == "vendor1")):
            return {"api_key": self.auth["key"]}
        raise Refused(self.source, "backend.auth", "only keys at their usual places are implemented")

    def secret(self, reference):
        found = self.resources.get("Secret", identity(self.source)[0], reference["name"]) or {}
        return found.get("stringData", {})


def vendor1(provider, address, wanted):
    tail = AT["Completions" if wanted == "Messages" else wanted][1]
    base = provider.before(tail, provider.spec.get("path", provider.prefix() + tail))
    return {"model": provider.model("openai"), "api_base": address + base, "allowed_openai_params": [*TAKEN, "user"]}


def vendor2(provider, address, _):
    name = "azure/" + provider.own["deploymentName"] if "deploymentName" in provider.own else "azure/*"
    return {"model": name, "api_base": address, "api_version": provider.own.get("apiVersion", "v1")}


def vendor4(provider, address, wanted):
    tail = AT["Vendor4TokenCount"][1] if wanted == "Vendor4TokenCount" else "/v1/messages"
    usual = provider.prefix() + tail[len("/v1") :]
    base = provider.before(tail, provider.spec.get("path", usual))
    return {"model": provider.model("anthropic"), "api_base": address + base + "/v1/messages"}


def vendor5(provider, address, _):
    if "path" in provider.spec:
        raise provider.refused("path", "LiteLLM names the model in the path of this provider")
    return {"model": provider.model("gemini"), "api_base": address + "/v1beta"}


def vendor7(provider, address, _):
    if "path" in provider.spec or "guardrail" in provider.own:
        raise provider.refused("vendor7", "neither a path nor a guardrail is implemented")
    name = provider.model("bedrock/converse")
    region = provider.own.get("region", "us-east-1")
    return {"model": name, "api_base": address, "aws_region_name": region, "allowed_openai_params": TAKEN}


def custom(provider, address, wanted):
    """The format of the client where it is listed, or one that LiteLLM translates it to."""
    paths = {each["type"]: each.get("path", USUAL_PATHS.get(each["type"])) for each in provider.own["formats"]}
    for listed in (wanted, *PREFERRED.get(wanted, ())):
        if listed not in paths:
            continue
        name, tail = AT[listed]
        base = address + provider.before(tail, provider.spec.get("path", paths[listed]))
        if name == "openai/responses" and wanted == "Responses":
            name = "openai"
        if name in ("anthropic", "cohere"):
            base += "/v1/messages" if name == "anthropic" else tail
        more = {"use_chat_completions_api": True, "allowed_openai_params": [*TAKEN, "user"]} if listed == "Completions" else {}
        return {"model": provider.model(name), "api_base": base, **more}
    return None


# What LiteLLM would refuse for models that are not in its list.
TAKEN = ["dimensions", "reasoning_effort", "tools", "tool_choice"]
USUAL_PATHS = {
    "Completions": "/v1/chat/completions",
    "Messages": "/v1/messages",
    "Responses": "/v1/responses",
    "Embeddings": "/v1/embeddings",
    "Rerank": "/v1/rerank",
    "Vendor4TokenCount": "/v1/messages/count_tokens",
}
# LiteLLM's word for a server of the format, and the end of the path that it puts there.
AT = {
    "Completions": ("custom_openai", "/chat/completions"),
    "Messages": ("anthropic", "/v1/messages"),
    "Responses": ("openai/responses", "/responses"),
    "Embeddings": ("openai", "/embeddings"),
    "Rerank": ("cohere", "/v1/rerank"),
    "Vendor4TokenCount": ("anthropic", "/v1/messages/count_tokens"),
}
PREFERRED = {
    "Completions": ("Messages", "Responses"),
    "Messages": ("Completions", "Responses"),
    "Responses": ("Completions", "Messages"),
}
WORDS = {
    "vendor1": vendor1,
    "vendor2": vendor2,
    "vendor4": vendor4,
    "vendor5": vendor5,
    "vendor7": vendor7,
    "custom": custom,
}
