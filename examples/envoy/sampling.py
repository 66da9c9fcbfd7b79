"""Which requests are traced, as a sampler of Envoy: a tree of an expression, because a sampler takes no text."""

import itertools
import re

from expressions import CIDR, within
from routing import Refused
from words import typed

SAMPLER = "extensions.tracers.opentelemetry.samplers.v3.CELSamplerConfig"
CHOICE = re.compile(r"(.+?)\s*\?\s*1(?:\.0)?\s*:\s*0(?:\.0)?")
HEADER = re.compile(r"""request\.headers\[(['"])([\w-]+)\1\]\s*==\s*(['"])([^'"]*)\3""")
CONSTANTS = {"true": True, "1.0": True, "1": True, "false": False, "0.0": False, "0": False}


def sampler(policy, wanted):
    """A trace that a client began is told by its header; without a word of the policy it goes on, and no other begins."""
    number = itertools.count(1)
    traced = call(number, "@in", constant(number, "string", "traceparent"), member(number, "request", "headers"))
    client = condition(policy, wanted.get("clientSampling", "true"), number)
    new = condition(policy, wanted.get("randomSampling", "false"), number)
    tree = {"cel_expr_parsed": {"expr": call(number, "_?_:_", traced, client, new)}}
    return {"name": "envoy.tracers.opentelemetry.samplers.cel", "typed_config": typed(SAMPLER, {"expression": tree})}


def condition(policy, text, number):
    place, text = "spec.frontend.tracing", CHOICE.sub(r"\1", text.strip())
    if text in CONSTANTS:
        return constant(number, "bool", CONSTANTS[text])
    if CIDR.fullmatch(text):
        pattern = re.search("'(.*)'", within(policy, place, CIDR.fullmatch(text)[2]))[1].replace("\\\\", "\\")
        return call(number, "matches", constant(number, "string", pattern), target=member(number, "source", "address"))
    if HEADER.fullmatch(text):
        _, name, _, value = HEADER.fullmatch(text).groups()
        header = call(number, "_[_]", member(number, "request", "headers"), constant(number, "string", name))
        return call(number, "_==_", header, constant(number, "string", value))
    raise Refused(policy, place, "a sampler takes all requests, none, those of a network or those with a header")


def call(number, function, *arguments, target=None):
    of = {"target": target} if target else {}
    return {"id": str(next(number)), "call_expr": {"function": function, "args": list(arguments), **of}}


def member(number, name, field):
    operand = {"id": str(next(number)), "ident_expr": {"name": name}}
    return {"id": str(next(number)), "select_expr": {"operand": operand, "field": field}}


def constant(number, kind, value):
    return {"id": str(next(number)), "const_expr": {kind + "_value": value}}
