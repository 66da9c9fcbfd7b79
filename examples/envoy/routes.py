"""What a rule matches and changes, as parts of a route of Envoy."""

CODES = {301: "MOVED_PERMANENTLY", 302: "FOUND", 303: "SEE_OTHER", 307: "TEMPORARY_REDIRECT", 308: "PERMANENT_REDIRECT"}


def matching(match):
    path = match.get("path", {})
    kind, value = path.get("type", "PathPrefix"), path.get("value", "/")
    prefix = {"path_separated_prefix": value.rstrip("/")} if value.rstrip("/") else {"prefix": "/"}
    place = {"Exact": {"path": value}, "PathPrefix": prefix, "RegularExpression": {"safe_regex": {"regex": value}}}[kind]
    wanted = [(each["name"], each["value"]) for each in match.get("headers", [])]
    wanted += [(":method", match["method"])] if "method" in match else []
    asked = [{"name": each["name"], "string_match": {"exact": each["value"]}} for each in match.get("queryParams", [])]
    exact = [{"name": name, "string_match": {"exact": value}} for name, value in wanted]
    return {**place, "headers": exact, "query_parameters": asked}


def headers(rule, modifiers):
    """Header changes of the rule's filters and of headerModifiers."""
    result = {}
    for way in ("request", "response"):
        member = way + "HeaderModifier"
        found = [each[member] for each in rule.filters if member in each] + [modifiers.get(way, {})]
        added = [(each, "OVERWRITE_IF_EXISTS_OR_ADD") for change in found for each in change.get("set", [])]
        added += [(each, "APPEND_IF_EXISTS_OR_ADD") for change in found for each in change.get("add", [])]
        result[way + "_headers_to_add"] = [
            {
                "header": {"key": each["name"], "value": each["value"].replace("%", "%%")},
                "append_action": action,
                "keep_empty_value": True,
            }
            for each, action in added
        ]
        result[way + "_headers_to_remove"] = [name for change in found for name in change.get("remove", [])]
    return result


def redirection(wanted, rule):
    result = {"response_code": CODES[wanted.get("statusCode", 302)]}
    for key, name in (("hostname", "host_redirect"), ("scheme", "scheme_redirect"), ("port", "port_redirect")):
        if key in wanted:
            result[name] = wanted[key]
    path = wanted.get("path")
    if path is None:
        return result
    return {
        **result,
        **({"path_redirect": path["replaceFullPath"]} if path["type"] == "ReplaceFullPath" else rewriting(path, rule)),
    }


def rewriting(path, rule):
    if path is None:
        return {}
    if path["type"] == "ReplaceFullPath":
        return {"regex_rewrite": {"pattern": {"regex": "^.*$"}, "substitution": path["replaceFullPath"]}}
    if path["replacePrefixMatch"].rstrip("/") == "":
        old = rule.match["path"]["value"].rstrip("/")
        return {"regex_rewrite": {"pattern": {"regex": "^%s/?" % old}, "substitution": "/"}}
    # A route of everything has the slash as its prefix, which is cut off too.
    end = "" if rule.match.get("path", {}).get("value", "/").rstrip("/") else "/"
    return {"prefix_rewrite": path["replacePrefixMatch"].rstrip("/") + end}


def share(mirror):
    """How many requests are copied; all of them where nothing is said."""
    fraction = {"numerator": mirror["percent"]} if "percent" in mirror else mirror.get("fraction")
    if fraction is None:
        return {}
    millionths = round(fraction["numerator"] * 1_000_000 / fraction.get("denominator", 100))
    return {"runtime_fraction": {"default_value": {"numerator": millionths, "denominator": "MILLION"}}}
