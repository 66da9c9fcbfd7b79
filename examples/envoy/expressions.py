"""Expressions of the documents in the words of Envoy, which evaluates the same language and has other names in it."""

import ipaddress
import json
import re

from routing import Refused
from words import typed

# A text in quotes, or what stands between two of them.
PIECES = re.compile(r"""[rRbB]?'(?:[^'\\]|\\.)*'|[rRbB]?"(?:[^"\\]|\\.)*"|[^'"]+""")
CIDR = re.compile(r"""cidr\(\s*(['"])([^'"]+)\1\s*\)\.containsIP\(\s*source\.address\s*\)""")
CALL = re.compile(r"(\w+)\s*\(")
UNKNOWN = re.compile(r"\b(?:request\.body|response\.body|llm|llmRequest|mcp|extauthz|extproc|destination\.hostname|env)\b")
FUNCTIONS = {"has", "size", "contains", "startsWith", "endsWith", "matches", "in", "int", "uint", "double", "bytes", "type"}
FUNCTIONS |= {"dyn", "duration", "timestamp"}
# With functions of texts, which the places that take a formatter of their own can have.
MORE = FUNCTIONS | {"string"}
SWITCHES = ("enable_string_conversion", "enable_string_concat", "enable_string_functions")
FORMATTER = {
    "name": "envoy.formatter.cel",
    "typed_config": typed("extensions.formatter.cel.v3.Cel", {"cel_config": {each: True for each in SWITCHES}}),
}
CLAIMS = "metadata.filter_metadata['envoy.filters.http.jwt_authn'].claims"
# Headers in which filters tell who a client is. Nobody outside of Envoy may send them or gets to see them.
KEY, USER = "x-conform-key", "x-conform-user"


def translated(policy, place, text, keys=None, functions=MORE):
    """The expression for Envoy. `keys` are the metadata of API keys by the name of their entry."""
    names = {
        "request.path": "request.url_path",
        "source.address": "source.address.substring(0, source.address.lastIndexOf(':'))",
        "basicAuth.username": "request.headers['%s']" % USER,
        "jwt": CLAIMS,
        "apiKey": "%s[request.headers['%s']]" % (json.dumps(keys or {}), KEY),
    }
    result = []
    for piece in PIECES.findall(CIDR.sub(lambda found: within(policy, place, found[2]), text)):
        if piece[-1] not in "'\"":
            unknown = UNKNOWN.findall(piece) + [each for each in CALL.findall(piece) if each not in functions]
            if unknown:
                raise Refused(policy, place, "Envoy has no %s in expressions" % unknown[0])
            words = "|".join(re.escape(each) for each in names)
            piece = re.sub(r"(?<![\w.])(?:%s)\b" % words, lambda found: names[found[0]], piece)
        result.append(piece)
    return "".join(result).replace("raw_source", "source.address")


def within(policy, place, text):
    """Whether the source is in a network, as a pattern of its address, which Envoy gives as a text with a port."""
    network = ipaddress.ip_network(text, strict=False)
    if network.version != 4:
        raise Refused(policy, place, "only networks of IPv4")
    octets, rest = divmod(network.prefixlen, 8)
    first = str(network.network_address).split(".")
    pattern = [re.escape(each) for each in first[:octets]]
    if rest:
        pattern.append("(?:%s)" % "|".join(str(int(first[octets]) + each) for each in range(2 ** (8 - rest))))
    end = ":" if network.prefixlen == 32 else "\\\\." if pattern else ""
    return "raw_source.matches('^%s%s')" % ("\\\\.".join(pattern), end)


def computed(text):
    """What a formatter makes of an expression."""
    return "%%CEL(%s)%%" % text


def true_or_nothing(text):
    """A condition that is only met by true, not by a text that reads the same."""
    return "(%s) == true" % text


def format_string(text):
    return {"text_format_source": {"inline_string": computed(text)}, "omit_empty_values": True, "formatters": [FORMATTER]}
