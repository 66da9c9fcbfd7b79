"""Patterns of hosts: a name, "*.x" for any below x, and "" for any host."""


def covers(pattern, host):
    return pattern in ("", host) or (pattern.startswith("*.") and host.endswith(pattern[1:]))


def narrower(listener, route):
    """The host that both patterns cover; None when they have nothing in common."""
    if covers(listener, route):
        return route
    return listener if covers(route, listener) else None
