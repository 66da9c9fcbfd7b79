"""Policies as HTTP filters of Envoy.

Each policy is a filter of its own on the listener, disabled, and the routes it applies to enable it. The order of ORDER is
the order in which policies act.
"""

import hashlib
import json
import re

from authorization import authorization
from changes import buffer, delay, transformation
from clusters import DNS
from credentials import api_key, api_keys, basic
from routing import Refused, identity
from servers import ext_authz, ext_proc, global_rate_limit, reach
from words import seconds, typed

ORDER = ("cors", "csrf", "jwtAuthentication", "apiKeyAuthentication", "basicAuthentication", "extAuth", "authorization")
ORDER += ("extProc", "localRateLimit", "globalRateLimit", "buffer", "transformation", "delay", "anywhere")
TRAFFIC = {"directResponse", "headerModifiers", "hostRewrite", "timeouts", "retry", "phase", "rateLimit"}
TRAFFIC |= set(ORDER) - {"localRateLimit", "globalRateLimit", "anywhere"}
BACKEND = {"tls", "http", "tcp", "tunnel", "health"}
FRONTEND = {"tcp", "networkAuthorization", "tls", "http", "proxyProtocol", "connect", "accessLog", "tracing"}
UNITS = {"Seconds": "1s", "Minutes": "60s", "Hours": "3600s"}


ROUTER = {
    "name": "router",
    "typed_config": typed("extensions.filters.http.router.v3.Router", {"suppress_envoy_headers": True}),
}


def check_fields(policy):
    """Refuses what would otherwise be left out."""
    spec = policy["spec"]
    for section, known in (("traffic", TRAFFIC), ("backend", BACKEND), ("frontend", FRONTEND)):
        for name in set(spec.get(section, {})) - known:
            raise Refused(policy, "spec.%s.%s" % (section, name), "%s is not implemented" % name)
    traffic = spec.get("traffic", {})
    for name, value in traffic.items():
        if isinstance(value, dict) and "conditional" in value:
            raise Refused(policy, "spec.traffic.%s.conditional" % name, "conditions are not implemented")
    refuse(policy, "directResponse", {"bodyExpression", "headers"}, "no expressions in direct responses")
    refuse(policy, "retry", {"condition", "precondition"}, "a retry is decided by codes, not by expressions")
    refuse(policy, "extAuth", {"cache"}, "ext_authz keeps no answers")
    refuse(
        policy,
        "extProc",
        {"requestAttributes", "responseAttributes", "metadataContext"},
        "Envoy sends attributes of its own choice",
    )
    if traffic.get("phase", "PostRouting") != "PostRouting":
        raise Refused(policy, "spec.traffic.phase", "only PostRouting")


def refuse(policy, field, members, why):
    for member in members & set(policy["spec"].get("traffic", {}).get(field, {})):
        raise Refused(policy, "spec.traffic.%s.%s" % (field, member), why)


def http_filters(filters):
    """The filters of a listener in their order."""
    for name, (_, config) in sorted(filters.items(), key=lambda item: item[1][0]):
        yield {"name": name, "disabled": True, "typed_config": config}


def per_route(rule, filters, configuration):
    """Which filters take part in a rule. They are entered into `filters`, those of the listener."""
    enabled = {}
    keys = None
    if "apiKeyAuthentication" in rule.policy:
        keys = api_keys(*rule.policy["apiKeyAuthentication"], configuration.resources)
    for field, (policy, value) in sorted(rule.policy.items()):
        for place, config, own in made(field, policy, value, configuration, rule.policy, keys):
            name = "%s-%s" % (field, hashlib.sha256(json.dumps([config, identity(policy)]).encode()).hexdigest()[:16])
            filters[name] = (ORDER.index(place), config)
            enabled[name] = own or typed("config.route.v3.FilterConfig", {"config": {}})
    return enabled


def anywhere():
    """The filter that finds out where the Host of a request is, for a dynamicForwardProxy."""
    config = typed("extensions.filters.http.dynamic_forward_proxy.v3.FilterConfig", {"dns_cache_config": DNS})
    return ORDER.index("anywhere"), config


def made(field, policy, value, configuration, policies, keys):
    """(place in the order, config on the listener, config on the route or None) of each filter of a field."""
    if field == "cors":
        yield "cors", typed("extensions.filters.http.cors.v3.Cors", {}), cors(value)
    elif field == "csrf":
        whole = {"default_value": {"numerator": 100}}
        origins = [{"exact": re.sub("^https?://", "", each)} for each in value.get("additionalOrigins", [])]
        yield "csrf", typed(
            "extensions.filters.http.csrf.v3.CsrfPolicy", {"filter_enabled": whole, "additional_origins": origins}
        ), None
    elif field == "jwtAuthentication":
        yield field, jwt(policy, value, configuration), None
    elif field == "extAuth":
        extensions = value.get("grpc", {}).get("contextExtensions")
        own = typed(
            "extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute", {"check_settings": {"context_extensions": extensions}}
        )
        yield field, ext_authz(policy, value, configuration), own if extensions else None
    elif field == "extProc":
        yield field, ext_proc(policy, value, configuration), None
    elif field == "authorization":
        for config in authorization(policy, value, metadata(keys)):
            yield field, config, None
    elif field == "transformation":
        for config in transformation(policy, value, metadata(keys)):
            yield field, config, None
    elif field == "apiKeyAuthentication":
        yield field, api_key(policy, value, keys), None
    elif field == "basicAuthentication":
        yield field, basic(policy, value, configuration.resources), None
    elif field == "buffer":
        for config in buffer(value, "2Mi"):
            yield field, config, None
    elif field == "delay":
        timeout = policies.get("timeouts", (None, {}))[1].get("request")
        yield field, delay(policy, value, timeout and seconds(timeout)), None
    elif field == "rateLimit":
        for limit in value.get("local", []):
            yield "localRateLimit", *local_rate_limit(policy, limit)
        if "global" in value:
            yield "globalRateLimit", *global_rate_limit(policy, value["global"], configuration)


def metadata(keys):
    """What expressions may know of API keys."""
    return {client: entry.get("metadata", {}) for client, entry in (keys or {}).items()}


def cors(policy):
    wide = policy.get("allowHeaders") == ["*"] and not policy.get("allowCredentials")
    result = {
        "allow_origin_string_match": [origin(each) for each in policy["allowOrigins"]],
        "allow_methods": ",".join(policy.get("allowMethods", [])),
        "allow_headers": "*" if wide else ",".join(policy.get("allowHeaders", [])),
        "expose_headers": ",".join(policy.get("exposeHeaders", [])),
        "allow_credentials": policy.get("allowCredentials", False),
        "forward_not_matching_preflights": True,
    }
    if "maxAge" in policy:
        result["max_age"] = str(policy["maxAge"])
    return typed("extensions.filters.http.cors.v3.CorsPolicy", result)


def origin(pattern):
    return {"safe_regex": {"regex": ".*".join(re.escape(part) for part in pattern.split("*"))}}


def jwt(policy, value, configuration):
    providers, requirements = {}, []
    for index, each in enumerate(value["providers"]):
        name = "p%d" % index
        keys = each["jwks"]
        provider = {
            "issuer": each["issuer"],
            "audiences": each.get("audiences", []),
            "forward": True,
            "payload_in_metadata": "claims",
            **token(policy, value),
        }
        if "inline" in keys:
            readable(policy, keys["inline"])
            provider["local_jwks"] = {"inline_string": keys["inline"]}
        else:
            endpoint = reach(policy, keys["remote"], configuration)
            uri = "http://jwks/%s" % keys["remote"]["jwksPath"].lstrip("/")
            http = {"uri": uri, "cluster": configuration.cluster(endpoint), "timeout": "5s"}
            provider["remote_jwks"] = {
                "http_uri": http,
                "cache_duration": "%fs" % seconds(keys["remote"].get("cacheDuration", "5m")),
            }
        providers[name] = provider
        requirements.append({"provider_name": name})
    missing = {"Optional": [{"allow_missing": {}}], "Permissive": [{"allow_missing_or_failed": {}}]}.get(
        value.get("mode", "Strict"), []
    )
    wanted = requirements + missing
    requires = wanted[0] if len(wanted) == 1 else {"requires_any": {"requirements": wanted}}
    rules = [{"match": {"prefix": "/"}, "requires": requires}]
    return typed("extensions.filters.http.jwt_authn.v3.JwtAuthentication", {"providers": providers, "rules": rules})


def readable(policy, keys):
    try:
        json.loads(keys)
    except ValueError as error:
        raise Refused(policy, "spec.traffic.jwtAuthentication.providers", "the keys are not JSON") from error


def token(policy, value):
    place = value.get("location", {})
    if "expression" in place:
        raise Refused(policy, "spec.traffic.jwtAuthentication.location", "no expressions")
    if "header" in place:
        prefix = {"value_prefix": place["header"]["prefix"]} if place["header"].get("prefix") else {}
        return {"from_headers": [{"name": place["header"]["name"], **prefix}]}
    if "queryParameter" in place:
        return {"from_params": [place["queryParameter"]["name"]]}
    if "cookie" in place:
        return {"from_cookies": [place["cookie"]["name"]]}
    return {"from_headers": [{"name": "Authorization", "value_prefix": "Bearer "}]}


def local_rate_limit(policy, limit):
    if "requests" not in limit:
        raise Refused(policy, "spec.traffic.rateLimit.local", "only requests are counted")
    whole = {"default_value": {"numerator": 100}}
    bucket = {
        "max_tokens": limit["requests"] + limit.get("burst", 0),
        "tokens_per_fill": limit["requests"],
        "fill_interval": UNITS[limit["unit"]],
    }
    own = {"stat_prefix": "local", "token_bucket": bucket, "filter_enabled": whole, "filter_enforced": whole}
    config = typed("extensions.filters.http.local_ratelimit.v3.LocalRateLimit", own)
    return config, None
