"""Rules about items as FastMCP's own AuthMiddleware asks them: of every item in a list, and before each call, get or read."""

import cel
from fastmcp.prompts import Prompt
from fastmcp.resources import Resource, ResourceTemplate
from fastmcp.server.dependencies import get_http_headers
from fastmcp.server.middleware import AuthMiddleware
from fastmcp.tools import Tool

KINDS = ((Tool, "tool"), (Prompt, "prompt"), (Resource, "resource"), (ResourceTemplate, "resource"))


def middleware(authorization):
    """No rule, no middleware. An expression that is none raises ValueError, so that its gateway is not built."""
    if authorization is None:
        return []
    programs = [cel.compile(each) for each in authorization["policy"]["matchExpressions"]]
    action = authorization.get("action", "Allow")
    return [AuthMiddleware(auth=lambda asked: matches(programs, asked.component) == (action != "Deny"))]


def matches(programs, component):
    """All expressions must be true; one that fails is not."""
    names = {"mcp": about(component), "request": {"headers": get_http_headers(include_all=True)}}
    return all(is_true(each, names) for each in programs)


def is_true(program, names):
    try:
        return program.execute(names) is True
    except Exception:  # whatever an evaluation fails with
        return False


def about(component):
    """What rules know of an item: the name under which clients see it, of a resource its URI."""
    kind = next(word for each, word in KINDS if isinstance(component, each))
    uri = getattr(component, "uri", None) or getattr(component, "uri_template", None)
    return {kind: {"name": str(uri or component.name)}}
