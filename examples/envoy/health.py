"""backend.health as outlier detection: answers that count against an endpoint, and how long it is evicted."""

import re

from routing import Refused
from words import seconds, span

CODE = r"response\.code\s*(==|!=|>=|<=|>|<)\s*(\d+)"
HEADER = r"response\.headers\[(['\"])([\w-]+)\3\]\s*==\s*(['\"])([^'\"]*)\5"
TERM = re.compile(CODE + "|" + HEADER)
FOREVER = "360000s"


def outliers(policy, health):
    """(the settings, which answers are failures or None for those of 5xx)"""
    eviction = health.get("eviction")
    # Who returns has no failures, which is full health.
    if "healthThreshold" in (eviction or {}) or (eviction or {}).get("restoreHealth", 100) != 100:
        raise Refused(policy, "spec.backend.health.eviction", "Envoy counts failures and knows no degree of health")
    failures = (eviction or {}).get("consecutiveFailures", 1)
    enforced = 0 if eviction is None or failures == 0 else 100
    duration = (eviction or {}).get("duration", "3s")
    settings = {
        "consecutive_5xx": max(failures, 1),
        "enforcing_consecutive_5xx": enforced,
        "enforcing_success_rate": 0,
        "enforcing_consecutive_gateway_failure": 0,
        "interval": "0.500s",
        "base_ejection_time": span(duration),
        "max_ejection_time": FOREVER if seconds(duration) < 360000 else span(duration),
        "max_ejection_percent": 100,
    }
    condition = health.get("unhealthyCondition")
    if condition is None and enforced and "consecutiveFailures" not in eviction:
        settings["enforcing_consecutive_5xx"] = 0  # lowers the health without evicting by itself
    return settings, None if condition is None else disjunction(policy, condition)


def disjunction(policy, condition):
    """An expression over status and headers of an answer as a predicate of Envoy."""
    either = [conjunction(policy, part) for part in condition.split("||")]
    return either[0] if len(either) == 1 else {"or_match": {"rules": either}}


def conjunction(policy, condition):
    both = [term(policy, part.strip()) for part in condition.split("&&")]
    return both[0] if len(both) == 1 else {"and_match": {"rules": both}}


def term(policy, text):
    found = TERM.fullmatch(text)
    if not found:
        place = "spec.backend.health.unhealthyCondition"
        raise Refused(policy, place, "only comparisons of response.code and response.headers")
    operator, number, _, header, _, value = found.groups()
    if header:
        match = {"name": header, "string_match": {"exact": value}}
    else:
        match = {"name": ":status", "range_match": codes(operator, int(number)), "invert_match": operator == "!="}
    return {"http_response_headers_match": {"headers": [match]}}


def codes(operator, number):
    """The statuses from start to before end."""
    start = {">=": number, ">": number + 1}.get(operator, number if operator in ("==", "!=") else 0)
    end = {"<=": number + 1, "<": number}.get(operator, number + 1 if operator in ("==", "!=") else 1000)
    return {"start": start, "end": end}
