"""Which rule takes a request, and what becomes of it: a chain of conditions in the frontend, a backend for each end."""

import re

from policies import answer, api_keys, basic, csrf, rate_limit, response_headers
from routing import Refused
from servers import server
from words import limit, literal, quote

FILTERS = ("RequestRedirect", "URLRewrite", "RequestHeaderModifier", "ResponseHeaderModifier")


class Rules:
    def __init__(self, resources, folder):
        self.resources, self.folder = resources, folder
        self.sections, self.tables = [], {}
        self.count = 0

    def new(self, word):
        self.count += 1
        return "%s%d" % (word, self.count)

    def choice(self, hosts):
        """Lines of a frontend that set txn.host, the site (which host of ours that is) and at last the name of a backend."""
        lines = ["http-request set-var(txn.host) req.hdr(host),field(1,:),lower"]
        sites = [(self.new("h"), host) for host in sorted(hosts, key=lambda each: (each.host[:1] in "*", -len(each.host)))]
        undecided = "!{ var(txn.site) -m found }"
        for name, host in sites:
            wanted = host.host.removeprefix("*")
            how = "str" if wanted == host.host else "end"
            there = "{ var(txn.host) -m %s %s }" % (how, quote(wanted)) if wanted else ""
            lines.append("http-request set-var(txn.site) str(%s) if %s %s" % (name, undecided, there))
        for name, host in sites:
            for rule in host.rules:
                # A line has 64 words at the most, so that what a match asks for is named before it.
                asked = [(self.new("a"), each) for each in conditions(rule.match)]
                lines += ["acl %s %s" % each for each in asked]
                taken = ["{ var(txn.site) -m str %s }" % name, "!{ var(txn.rule) -m found }", *(a for a, _ in asked)]
                lines += self.ends(rule, " ".join(taken))
        return [*lines, "use_backend %[var(txn.rule)] if { var(txn.rule) -m found }", "default_backend none"]

    def ends(self, rule, condition):
        """The backends of a rule, by weight: with what is left of the sum, each takes its part."""
        policy = {key: value for key, (_, value) in rule.policy.items()}
        redirects = any(each["type"] == "RequestRedirect" for each in rule.filters)
        chosen = [each for each in rule.endpoints if each.weight > 0]
        if "directResponse" in policy or redirects or not chosen:
            yield "http-request set-var(txn.rule) str(%s) if %s" % (self.section(rule, None), condition)
            return
        left = sum(each.weight for each in chosen)
        for each in chosen:
            share = "" if each.weight == left else "{ rand(%d) lt %d }" % (left, each.weight)
            yield "http-request set-var(txn.rule) str(%s) if %s %s" % (self.section(rule, each), condition, share)
            left -= each.weight

    def section(self, rule, endpoint):
        name = self.new("r")
        self.sections += ["backend " + name, *("  " + line for line in self.body(rule, endpoint, name))]
        return name

    def body(self, rule, endpoint, name):
        policy = {key: value for key, (_, value) in rule.policy.items()}
        for each in rule.filters:
            if each["type"] not in FILTERS:
                raise Refused(rule.route, "spec.rules.filters", "filter %s is not implemented" % each["type"])
        if "basicAuthentication" in policy:
            yield from basic(self, *rule.policy["basicAuthentication"])
        if "apiKeyAuthentication" in policy:
            yield from api_keys(self, *rule.policy["apiKeyAuthentication"])
        if "csrf" in policy:
            yield from csrf(self, *rule.policy["csrf"])
        if "rateLimit" in policy:
            yield from rate_limit(self, *rule.policy["rateLimit"])
        modifiers = policy.get("headerModifiers", {})
        named = [each["responseHeaderModifier"] for each in rule.filters if "responseHeaderModifier" in each]
        changes = [*named, modifiers.get("response", {})]
        redirects = [each["requestRedirect"] for each in rule.filters if each["type"] == "RequestRedirect"]
        if "directResponse" in policy:
            yield from response_headers("http-after-response", changes)
            yield from answer(self, *rule.policy["directResponse"])
        elif redirects:
            yield from redirect(redirects[0], rule)
        elif endpoint is None or endpoint.address is None:
            yield "http-request return status 500"
        else:
            yield from response_headers("http-response", changes)
            yield from self.forward(rule, endpoint, policy)

    def forward(self, rule, endpoint, policy):
        named = [each["requestHeaderModifier"] for each in rule.filters if "requestHeaderModifier" in each]
        yield from host(rule, endpoint)
        for each in rule.filters:
            if each["type"] == "URLRewrite" and "path" in each["urlRewrite"]:
                yield replacement(each["urlRewrite"]["path"], rule)
        for change in [*named, policy.get("headerModifiers", {}).get("request", {})]:
            for each in change.get("set", []):
                yield "http-request set-header %s %s" % (each["name"], literal(each["value"]))
            for each in change.get("add", []):
                yield "http-request add-header %s %s" % (each["name"], literal(each["value"]))
            for each in change.get("remove", []):
                yield "http-request del-header %s" % each
        backend = {key: value for key, (_, value) in endpoint.policy.items()}
        limits = [policy.get("timeouts", {}).get("request"), backend.get("http", {}).get("requestTimeout")]
        for each in limits:
            if each:
                yield "timeout server %s" % limit(each)
        if "retry" in policy:
            yield from retry(*rule.policy["retry"])
        yield from server(endpoint)


def conditions(match):
    path = match.get("path", {})
    kind, value = path.get("type", "PathPrefix"), path.get("value", "/")
    if kind == "Exact":
        yield "path -m str -- %s" % quote(value)
    elif kind == "RegularExpression":
        yield "path -m reg -- %s" % quote("^(?:%s)$" % value)
    elif value.rstrip("/"):
        yield "path,concat(/) -m beg -- %s" % quote(value.rstrip("/") + "/")
    if "method" in match:
        yield "method -m str -- %s" % quote(match["method"])
    for fetch, member in (("req.fhdr(%s)", "headers"), ("url_param(%s),url_dec", "queryParams")):
        for each in match.get(member, []):
            regular = each.get("type") == "RegularExpression"
            how, text = ("reg", "^(?:%s)$" % each["value"]) if regular else ("str", each["value"])
            yield "%s -m %s -- %s" % (fetch % each["name"], how, quote(text))


def host(rule, endpoint):
    # Fields that Connection names cannot be found out, but for those that are known to be of one connection.
    yield "http-request del-header keep-alive"
    yield "http-request del-header proxy-connection"
    named = [each["urlRewrite"]["hostname"] for each in rule.filters if "hostname" in each.get("urlRewrite", {})]
    mode = rule.policy.get("hostRewrite", (None, {}))[1].get("mode")
    auto = endpoint.by_name if mode is None else mode == "Auto" and isinstance(endpoint.address, tuple)
    if named:
        yield "http-request set-header Host %s" % literal(named[0])
    elif auto:
        yield "http-request set-header Host %s" % literal("%s:%d" % endpoint.address)


def redirect(wanted, rule):
    """The new target; what the filter does not name stays as the client sent it."""
    if "path" in wanted:
        yield replacement(wanted["path"], rule)
    name = literal(wanted["hostname"])[1:-1] if "hostname" in wanted else "%[var(txn.host)]"
    scheme = wanted.get("scheme", "%[ssl_fc,iif(https,http)]")
    port = ":%d" % wanted["port"] if "port" in wanted else "" if "scheme" in wanted else ":%[dst_port]"
    if (wanted.get("scheme"), wanted.get("port")) in (("http", 80), ("https", 443)):
        port = ""
    yield "http-request redirect code %d location '%s://%s%s%%[pathq]'" % (wanted.get("statusCode", 302), scheme, name, port)


def replacement(path, rule):
    if path["type"] == "ReplaceFullPath":
        return "http-request set-path %s" % literal(path["replaceFullPath"])
    old, new = re.escape(rule.match["path"]["value"].rstrip("/")), path["replacePrefixMatch"].rstrip("/")
    pattern = "^%s%s(.*)$" % (old, "" if new else "/?")
    return "http-request replace-path %s %s" % (quote(pattern), literal(new.replace("\\", "\\\\") or "/")[:-1] + "\\1'")


def retry(policy, wanted):
    """HAProxy keeps the request in a buffer and sends it again for the statuses that it knows."""
    known = {401, 403, 404, 408, 425, 500, 501, 502, 503, 504}
    codes = wanted.get("codes", [])
    if set(wanted) - {"codes", "attempts", "backoff"} or "backoff" in wanted or set(codes) - known:
        raise Refused(policy, "spec.traffic.retry", "only statuses that retry-on knows, without a pause")
    yield "option http-buffer-request"
    yield "retries %d" % wanted.get("attempts", 1)
    yield "retry-on %s" % (" ".join(str(each) for each in codes) or "none")
