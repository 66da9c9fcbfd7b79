"""traffic.authorization: what its expressions come to is kept in the state of the request, and RBAC decides by that."""

import hashlib
import json

from expressions import format_string, translated, true_or_nothing
from words import typed

PLACE = "spec.traffic.authorization"


def authorization(policy, value, keys):
    """The filter that computes and the one that decides."""
    rule = value["policy"]["matchExpressions"]
    conditions = [true_or_nothing(translated(policy, PLACE, each, keys)) for each in rule]
    name = "rule." + hashlib.sha256(json.dumps(conditions).encode()).hexdigest()[:16]
    names = ["%s.%d" % (name, index) for index in range(len(conditions))]
    yield state(zip(names, conditions))
    met = [{"filter_state": {"key": each, "string_match": {"exact": "true"}}} for each in names]
    action = "DENY" if value.get("action") == "Deny" else "ALLOW"
    rules = {"rule": {"permissions": [{"any": True}], "principals": [{"and_ids": {"ids": met}}]}}
    yield typed("extensions.filters.http.rbac.v3.RBAC", {"rules": {"action": action, "policies": rules}})


def state(values):
    """A filter that keeps values of expressions with the request. What fails is not there."""
    kept = [
        {"object_key": name, "factory_key": "envoy.string", "format_string": format_string(text)} for name, text in values
    ]
    return typed("extensions.filters.http.set_filter_state.v3.Config", {"on_request_headers": kept})
