"""Keys and passwords that clients show: api_key_auth and basic_auth."""

import base64
import json

from expressions import KEY, USER
from routing import Refused, identity, of_kind
from words import typed

KEYS = "spec.traffic.apiKeyAuthentication"
ANYTHING = {"google_re2": {}, "regex": ".*"}
BEARER = {"header": {"name": "Authorization", "prefix": "Bearer "}}
BASIC = {"header": {"name": "Authorization", "prefix": "Basic "}}


def api_keys(policy, value, resources):
    """What the entries of the sources say, by a name of the client that is theirs alone."""
    result = {}
    for source in sources(policy, value, resources):
        for name, text in contents(source).items():
            entry = parsed(text)
            if "keyHash" in entry:
                raise Refused(policy, KEYS, "api_key_auth compares keys and knows no hashes of them")
            if entry.get("key"):
                result["%s/%s/%s" % (*identity(source), name)] = entry
    return result


def sources(policy, value, resources):
    namespace = identity(policy)[0]
    if "configMapSelector" in value:
        raise Refused(policy, KEYS, "ConfigMaps have hashes of keys, which api_key_auth does not know")
    if "secretRef" in value:
        found = resources.get("Secret", namespace, value["secretRef"]["name"])
        return [found] if found else []
    wanted = value["secretSelector"]["matchLabels"].items()
    secrets = [each for each in of_kind(resources.all, "Secret") if identity(each)[0] == namespace]
    return [each for each in secrets if wanted <= each["metadata"].get("labels", {}).items()]


def contents(secret):
    encoded = {name: base64.b64decode(text).decode() for name, text in secret.get("data", {}).items()}
    return {**encoded, **secret.get("stringData", {})}


def parsed(text):
    """An entry is a key, or an object in JSON that has one."""
    try:
        entry = json.loads(text)
    except ValueError:
        entry = None
    return entry if isinstance(entry, dict) else {"key": text}


def api_key(policy, value, keys):
    mode, location = value.get("mode", "Strict"), value.get("location", BEARER)
    credentials = {}
    for client, entry in keys.items():
        credentials.setdefault(entry["key"], client)
    if "expression" in location:
        raise Refused(policy, KEYS + ".location", "no expressions")
    if "header" in location:
        source, prefix = {"header": location["header"]["name"]}, location["header"].get("prefix", "")
        usual = "Bearer " if source["header"].lower() == "authorization" else ""
        if prefix != usual:
            raise Refused(policy, KEYS + ".location", "api_key_auth takes Bearer away in Authorization, and nothing else")
    else:
        kind = "query" if "queryParameter" in location else "cookie"
        source = {kind: location.get("queryParameter", location.get("cookie"))["name"]}
    config = typed(
        "extensions.filters.http.api_key_auth.v3.ApiKeyAuth",
        {
            "credentials": [{"key": key, "client": client} for key, client in credentials.items()],
            "key_sources": [source],
            "forwarding": {"header": KEY},
        },
    )
    if mode == "Strict":
        return config
    if mode != "Optional" or "header" not in source:
        raise Refused(policy, KEYS + ".mode", "api_key_auth knows Strict, and Optional is told from a header")
    return where_shown(source["header"], config)


def where_shown(header, config):
    """A filter that is left out where a request does not have the header."""
    field = typed("type.matcher.v3.HttpRequestHeaderMatchInput", {"header_name": header})
    shown = {"input": {"name": "header", "typed_config": field}, "value_match": {"safe_regex": ANYTHING}}
    skip = {"name": "skip", "typed_config": typed("extensions.filters.common.matcher.action.v3.SkipFilter", {})}
    rule = {"predicate": {"not_matcher": {"single_predicate": shown}}, "on_match": {"action": skip}}
    return typed(
        "extensions.common.matching.v3.ExtensionWithMatcher",
        {
            "extension_config": {"name": "inner", "typed_config": config},
            "xds_matcher": {"matcher_list": {"matchers": [rule]}},
        },
    )


def basic(policy, value, resources):
    place, location = "spec.traffic.basicAuthentication", value.get("location", BASIC)
    if "header" not in location or location["header"].get("prefix") != "Basic ":
        raise Refused(policy, place + ".location", "basic_auth reads a header that begins with Basic")
    lines = value.get("users", [])
    if "secretRef" in value:
        secret = resources.get("Secret", identity(policy)[0], value["secretRef"]["name"])
        file = contents(secret).get(value["secretRef"].get("key", ".htaccess"), "") if secret else ""
        lines = [each.strip() for each in file.splitlines() if each.strip() and not each.startswith("#")]
    if not lines or not all(each.partition(":")[2].startswith("{SHA}") for each in lines):
        raise Refused(policy, place, "basic_auth knows hashes of SHA-1 only")
    if "realm" in value:
        raise Refused(policy, place + ".realm", "basic_auth names the address of the request")
    config = {
        "users": {"inline_string": "\n".join(lines) + "\n"},
        "forward_username_header": USER,
        "authentication_header": location["header"]["name"],
        "allow_missing": value.get("mode") == "Optional",
    }
    return typed("extensions.filters.http.basic_auth.v3.BasicAuth", config)
