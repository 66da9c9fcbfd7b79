"""Policies of the traffic section as rules of a backend."""

import base64
import hashlib
import json
import re

from routing import Refused, identity, of_kind
from words import literal, quote, stored


def response_headers(when, changes):
    for change in changes:
        for each in change.get("set", []):
            yield "%s set-header %s %s" % (when, each["name"], literal(each["value"]))
        for each in change.get("add", []):
            yield "%s add-header %s %s" % (when, each["name"], literal(each["value"]))
        for each in change.get("remove", []):
            yield "%s del-header %s" % (when, each)


def answer(rules, policy, wanted):
    texts = [(each["name"], re.fullmatch(r"'([^'\\\\]*)'", each["value"])) for each in wanted.get("headers", [])]
    if "bodyExpression" in wanted or "conditional" in wanted or any(text is None for _, text in texts):
        raise Refused(policy, "spec.traffic.directResponse", "HAProxy has no expressions")
    headers = "".join(" hdr %s %s" % (name, literal(text[1])) for name, text in texts)
    # A file, because a configuration cannot hold the end of a line.
    body = " content-type text/plain file %s" % stored(rules.folder, wanted["body"]) if wanted.get("body") else ""
    yield "http-request return status %d%s%s" % (wanted["status"], body, headers)


def basic(rules, policy, wanted):
    """A userlist, whose passwords crypt(3) of the C library checks, and a map from users to what SHA-1 makes of theirs."""
    mode = wanted.get("mode", "Strict")
    if "location" in wanted:
        raise Refused(policy, "spec.traffic.basicAuthentication.location", "only the Authorization header")
    if mode not in ("Strict", "Optional"):
        raise Refused(policy, "spec.traffic.basicAuthentication.mode", "mode %s is not implemented" % mode)
    reference = wanted.get("secretRef", {})
    secret = rules.resources.get("Secret", identity(policy)[0], reference.get("name")) or {}
    entries = contents(secret).get(reference.get("key", ".htaccess"), "").splitlines()
    users = [each.split(":", 1) for each in wanted.get("users", entries) if ":" in each]
    if any(word.startswith("$apr1$") for _, word in users):
        raise Refused(policy, "spec.traffic.basicAuthentication", "crypt(3) does not know $apr1$")
    hashed = [(user, word[5:]) for user, word in users if word.startswith("{SHA}")]
    name = rules.new("users")
    rules.sections += ["userlist " + name]
    rules.sections += ["  user %s password %s" % (quote(user), quote(word)) for user, word in users if word[:5] != "{SHA}"]
    path = stored(rules.folder, "".join("%s %s\n" % each for each in hashed), ".map")
    realm = wanted.get("realm", "Restricted").replace("\\", "\\\\").replace('"', '\\"')
    present = " { req.hdr(authorization) -m found }" if mode == "Optional" else ""
    # Together they are two conditions: neither the one nor the other knows who it is.
    yield "http-request set-var(txn.word) http_auth_pass,sha1,base64"
    unknown = "!{ http_auth(%s) } !{ http_auth_user,map_str(%s),strcmp(txn.word) eq 0 }" % (name, path)
    yield "http-request auth realm %s if %s%s" % (quote(realm), unknown, present)
    yield "http-request del-header authorization"


def contents(secret):
    """Entries of a Secret or ConfigMap; what a Secret has under data is in base64."""
    plain = secret.get("data", {})
    if secret.get("kind") == "Secret":
        plain = {key: base64.b64decode(each).decode("utf8", "replace") for key, each in plain.items()}
    return {**plain, **secret.get("stringData", {})}


def api_keys(rules, policy, wanted):
    """A map from the SHA-256 of a key to the name of its entry: hashed keys and plain ones are looked up alike."""
    mode = wanted.get("mode", "Strict")
    place = wanted.get("location", {"header": {"name": "authorization", "prefix": "Bearer "}})
    found = {}
    for source, hashed_only in sources(rules, policy, wanted):
        for text in contents(source).values():
            key = json.loads(text) if text.lstrip().startswith("{") else {"key": text}
            if "keyHash" in key:
                found[key["keyHash"].removeprefix("sha256:").lower()] = "known"
            elif not hashed_only and "key" in key:
                found[hashlib.sha256(key["key"].encode()).hexdigest()] = "known"
    path = stored(rules.folder, "".join("%s %s\n" % each for each in found.items()), ".map")
    if "header" in place:
        name, prefix = place["header"]["name"], place["header"].get("prefix", "")
        fetch = "req.fhdr(%s),bytes(%d)" % (name, len(prefix))
        there = " if { req.fhdr(%s) -m beg -- %s }" % (name, quote(prefix)) if prefix else ""
        remove = "http-request del-header %s" % name
    elif "queryParameter" in place:
        fetch, there, remove = parameter(policy, place["queryParameter"]["name"]), "", None
    elif "cookie" in place:
        fetch, there, remove = "req.cook(%s)" % place["cookie"]["name"], "", None
    else:
        raise Refused(policy, "spec.traffic.apiKeyAuthentication.location", "a header, a query parameter or a cookie")
    yield "http-request set-var(txn.key) %s%s" % (fetch, there)
    yield "http-request set-var(txn.owner) var(txn.key),sha2(256),hex,lower,map_str(%s)" % path
    bad = "!{ var(txn.owner) -m found }"
    present = {"Strict": "", "Optional": " { var(txn.key) -m found }"}
    if mode != "Permissive":
        yield "http-request return status 401 if %s%s" % (bad, present[mode])
    if remove:
        yield remove


def parameter(policy, name):
    """HAProxy compares names as they are written, so one that is never written plainly cannot be asked for."""
    if re.search(r"[^A-Za-z0-9._~-]", name):
        raise Refused(policy, "spec.traffic.apiKeyAuthentication.location", "names of parameters are not decoded")
    return "url_param(%s),url_dec(1)" % name


def sources(rules, policy, wanted):
    """(a Secret or ConfigMap with keys, whether its keys have to be hashed)"""
    own = identity(policy)[0]
    if "secretRef" in wanted:
        secret = rules.resources.get("Secret", own, wanted["secretRef"]["name"])
        if secret is not None:
            yield secret, False
    for member, kind in (("secretSelector", "Secret"), ("configMapSelector", "ConfigMap")):
        if member in wanted:
            labels = wanted[member]["matchLabels"].items()
            for each in of_kind(rules.resources.all, kind):
                if identity(each)[0] == own and labels <= each["metadata"].get("labels", {}).items():
                    yield each, kind == "ConfigMap"


def rate_limit(rules, policy, wanted):
    """
    A table for each limit, of requests that passed. Its rate covers the unit before now, which is neither a window nor a
    bucket, and at most as many pass within a unit. The peers of a table are the worker before and the one after a reload.
    """
    limits = wanted.get("local", [])
    if set(wanted) != {"local"} or len(limits) > 3 or any(set(each) - {"requests", "unit", "burst"} for each in limits):
        raise Refused(policy, "spec.traffic.rateLimit", "up to three local limits of requests")
    # The same limit has the same name after a reload, or its counts would begin anew.
    keys = [repr((identity(policy), index, each)) for index, each in enumerate(limits)]
    names = ["rate-" + hashlib.sha256(key.encode()).hexdigest()[:24] for key in keys]
    for index, (name, each) in enumerate(zip(names, limits)):
        unit = {"Seconds": 1, "Minutes": 60, "Hours": 3600}[each["unit"]]
        store = "gpc0,gpc0_rate(%ds) expire %ds peers workers" % (unit, 2 * unit + 10)
        rules.tables[name] = "backend %s\n  stick-table type string len 8 size 10 store %s" % (name, store)
        yield "http-request track-sc%d str(all) table %s" % (index, name)
    for index, each in enumerate(limits):
        most = each["requests"] + each.get("burst", 0)
        yield "http-request return status 429 if { sc%d_gpc0_rate ge %d }" % (index, most)
    for index in range(len(limits)):
        yield "http-request sc-inc-gpc0(%d)" % index


def csrf(rules, policy, wanted):
    """What changes something has to come from the origin it is sent to, or from one that is listed."""
    if set(wanted) - {"additionalOrigins"}:
        raise Refused(policy, "spec.traffic.csrf", "only additionalOrigins")
    path = stored(rules.folder, "".join(each.lower() + "\n" for each in wanted.get("additionalOrigins", [])), ".list")
    foreign = "!{ req.hdr(origin),lower,strcmp(txn.own) eq 0 } !{ req.hdr(origin),lower -m str -f %s }" % path
    yield "http-request set-var-fmt(txn.own) '%[ssl_fc,iif(https,http)]://%[req.hdr(host),lower]'"
    yield "http-request return status 403 if { req.hdr(origin) -m found } !{ method GET HEAD OPTIONS } " + foreign
