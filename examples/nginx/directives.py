"""How single things are said in the words of nginx.conf."""

import re

from routing import Refused


def pattern(match, headers, queries):
    path = match.get("path", {})
    kind, value = path.get("type", "PathPrefix"), path.get("value", "/")
    prefix = re.escape(value.rstrip("/")) + r"(?:/[^?\n]*)?"
    # What is looked for is not at the beginning of the text, and the whole of it has to fit in any case.
    described = value.removeprefix("^").removesuffix("$")
    target = {"Exact": re.escape(value), "PathPrefix": prefix, "RegularExpression": "(?:%s)" % described}[kind]
    wanted = {each["name"].lower(): each["value"] for each in match.get("headers", [])}
    asked = {each["name"]: each["value"] for each in match.get("queryParams", [])}
    values = [wanted.get(name) for name in headers] + [asked.get(name) for name in queries]
    parts = [r"[^\n]*" if each is None else re.escape(each) for each in values]
    return r"\n".join(["%s %s(?:\\?[^\\n]*)?" % (match.get("method", "[^ ]+"), target), *parts, ""])


def direct_response(policy, answer):
    texts = {each["name"]: re.fullmatch(r"'([^'\\\\]*)'", each["value"]) for each in answer.get("headers", [])}
    if "bodyExpression" in answer or "conditional" in answer or None in texts.values():
        raise Refused(policy, "spec.traffic.directResponse", "nginx has no expressions")
    headers = ["add_header %s %s always;" % (name, quote(text[1])) for name, text in texts.items()]
    return [*headers, "return %d %s;" % (answer["status"], quote(answer.get("body", "")))]


def response_headers(change):
    for each in change.get("set", []):
        yield "proxy_hide_header %s; add_header %s %s always;" % (each["name"], each["name"], quote(each["value"]))
    for each in change.get("add", []):
        yield "add_header %s %s always;" % (each["name"], quote(each["value"]))
    for each in change.get("remove", []):
        yield "proxy_hide_header %s;" % each


def redirect(wanted, rule):
    scheme, host = wanted.get("scheme", "http"), wanted.get("hostname", "$host")
    port = ":%d" % wanted["port"] if "port" in wanted else "" if "scheme" in wanted else ":$server_port"
    target = "$request_uri"
    if "path" in wanted:
        yield "rewrite %s;" % " ".join(replacement(wanted["path"], rule))
        target = "$uri$is_args$args"
    yield "return %d %s://%s%s%s;" % (wanted.get("statusCode", 302), scheme, host, port, target)


def replacement(path, rule):
    """A regular expression over the path and what takes the place of what it matches."""
    if path["type"] == "ReplaceFullPath":
        return "^", quote(path["replaceFullPath"])
    old, new = re.escape(rule.match["path"]["value"].rstrip("/")), path["replacePrefixMatch"].rstrip("/")
    return quote_raw("^%s%s(.*)$" % (old, "/?" if new == "" else "")), quote(new or "/")[:-1] + '$1"'


def variable(prefix, name):
    return "$" + prefix + name.replace("-", "_")


def address(where):
    return "unix:" + where if isinstance(where, str) else "%s:%d" % where


def quote(text):
    """A value that stands for itself: nginx knows no escape for the dollar sign, so a variable holds one."""
    return quote_raw(text.replace("$", "${dollar}"))


def quote_raw(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')
