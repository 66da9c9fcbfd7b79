"""Small things that Envoy says in its own way."""

import re
from fractions import Fraction

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 0.001, "s": 1, "m": 60, "h": 3600}
SUFFIXES = {"": 1, "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000)}
SUFFIXES.update({letter: 1000**power for power, letter in enumerate("kMGTPE", 1)})
SUFFIXES.update({letter + "i": 1024**power for power, letter in enumerate("KMGTPE", 1)})


def typed(name, value):
    return {"@type": "type.googleapis.com/envoy." + name, **value}


def seconds(text):
    if not re.fullmatch(r"(?:[0-9.]+(?:ns|us|ms|s|m|h))+", text):
        raise ValueError("no duration: %s" % text)
    return sum(float(number) * SECONDS[unit] for number, unit in re.findall(r"([0-9.]+)(ns|us|ms|s|m|h)", text))


def span(text):
    """A duration as Envoy writes it."""
    return "%.9fs" % seconds(text)


def quantity(text):
    """A quantity of bytes: a number with a suffix or an exponent."""
    number, exponent, suffix = re.fullmatch(r"([0-9.]+)(?:[eE]([+-]?[0-9]+)|([A-Za-z]*))", str(text)).groups()
    return -int(-Fraction(number) * Fraction(10) ** int(exponent or 0) * SUFFIXES[suffix or ""] // 1)
