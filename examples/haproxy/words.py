"""How single things are said in the words of haproxy.cfg."""

import hashlib
import os
import re


def quote(text):
    """One word that stands for itself. Within single quotes nothing is special but the quote."""
    return "'%s'" % str(text).replace("'", "'\\''")


def literal(text):
    """The same where HAProxy expects a format, in which a percent sign begins a variable."""
    return quote(str(text).replace("%", "%%"))


def milliseconds(text):
    number, unit = re.fullmatch(r"([0-9.]+)(ms|s|m|h)", text).groups()
    return round(float(number) * {"ms": 1, "s": 1000, "m": 60000, "h": 3600000}[unit])


def limit(text):
    return "%dms" % milliseconds(text)


def seconds(text):
    return "%ds" % max(1, milliseconds(text) // 1000)


def stored(folder, text, ending=""):
    """A file that never changes: its name comes from its text, for an old worker still reads the one it knows."""
    path = os.path.join(folder, hashlib.sha256(text.encode()).hexdigest()[:32] + ending)
    if not os.path.exists(path):
        with open(path + ".draft", "w", encoding="utf8") as file:
            file.write(text)
        os.replace(path + ".draft", path)
    return path
