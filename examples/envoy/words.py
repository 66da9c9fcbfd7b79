"""Small things that Envoy says in its own way."""

import re


def typed(name, value):
    return {"@type": "type.googleapis.com/envoy." + name, **value}


def seconds(text):
    number, unit = re.fullmatch(r"([0-9.]+)(ms|s|m|h)", text).groups()
    return float(number) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600}[unit]


def quantity(text):
    number, unit = re.fullmatch(r"([0-9]+)(|k|M|Ki|Mi)", str(text)).groups()
    return int(number) * {"": 1, "k": 1000, "M": 10**6, "Ki": 1024, "Mi": 1024**2}[unit]
