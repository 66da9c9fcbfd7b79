"""The adapter protocol: JSON lines on stdin and stdout, one answer per command, with the number of the command."""

import json
import sys

from routing import Refused

ANSWERS = sys.stdout  # also where an adapter gives another one to what else it runs


def serve(**handlers):
    """Answers commands until the suite goes away. A handler takes the message and returns the members of the answer."""
    for line in sys.stdin:
        message = json.loads(line)
        handler = handlers.get(message.get("cmd"), lambda m: {"unsupported": "cmd %s" % m.get("cmd")})
        try:
            answer = handler(message)
        except Refused as refused:
            answer = {"rejected": [refused.violation]}
        except (AttributeError, LookupError, OSError, TypeError, ValueError) as error:
            answer = {"error": {"message": "%s: %s" % (type(error).__name__, error)}}
        print(json.dumps({"seq": message.get("seq"), **answer}), file=ANSWERS, flush=True)
    handlers["stop"]({})  # whatever the adapter started does not outlive the suite
