"""Adapter between the conformance suite and {{name}}: one JSON object per line comes in, one goes out with the same seq.
The protocol: docs/guide/adapter-protocol.md of proxy-conformance. Only answers may go to standard output."""
import json
import subprocess
import sys

COMMAND = ["{{words}}"]  # what starts the implementation
program = None


def hello(_):
    return {"protocol": 1, "implementation": {"name": "{{name}}"}, "ops": []}


def start(message):
    """Starts the implementation on the ports of the message. It need not serve yet: the suite waits for its canary."""
    global program
    ports = message["ports"]
    values = {"{data}": str(ports["data"]), "{admin}": str(ports["admin"]), "{dir}": message["dir"]}
    command = [fill(word, values) for word in COMMAND]
    program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    return {"ok": True}


def apply(message):
    """Hands over everything that shall exist from now on. What cannot be expressed has to be refused by name."""
    if program is None:
        return {"error": {"message": "start comes before apply"}}
    refused = [refusal(resource) for resource in message["resources"] if not can_express(resource)]
    if refused:
        return {"rejected": refused}
    # TODO write the resources in the language of the implementation, and make it read them.
    return {"error": {"message": "this adapter does not hand over a configuration yet"}}


def can_express(resource):
    # TODO also look into the resource: a field that is left out in silence would accuse the implementation.
    return resource["kind"] in ("Namespace", "Gateway", "HTTPRoute", "ProxyBackend")


def refusal(resource):
    kind, metadata = resource["kind"], resource["metadata"]
    place = "%s/%s" % (metadata.get("namespace", ""), metadata["name"])
    return {"resource": "%s %s" % (kind, place), "message": "%s cannot be expressed" % kind}


def op(message):
    return {"unsupported": "op %s" % message["op"]}


def stop(_):
    if program is not None:
        program.terminate()
        program.wait()
    return {"ok": True}


def fill(word, values):
    for name, value in values.items():
        word = word.replace(name, value)
    return word


HANDLERS = {"hello": hello, "start": start, "apply": apply, "op": op, "stop": stop}

for line in sys.stdin:
    message = json.loads(line)
    handler = HANDLERS.get(message.get("cmd"), lambda unknown: {"unsupported": "cmd %s" % unknown.get("cmd")})
    try:
        answer = handler(message)
    except (LookupError, OSError, TypeError, ValueError) as error:
        answer = {"error": {"message": "%s: %s" % (type(error).__name__, error)}}
    print(json.dumps({"seq": message.get("seq"), **answer}), flush=True)
stop(None)  # the suite is gone; so is the implementation
