"""Adapter of the conformance suite: JSON lines on stdin and stdout, one answer per command."""
import http.client
import json
import os
import subprocess
import sys
import time

from policies import effective_policy

HERE = os.path.dirname(os.path.abspath(__file__))
proxy, admin_port = None, None


def hello(_):
    return {
        "protocol": 1,
        "implementation": {"name": "tiny-proxy", "version": "1.0.0", "language": "python"},
        "ops": ["effective-policy"],
    }


def start(message):
    global proxy, admin_port
    ports = message["ports"]
    admin_port = ports["admin"]
    command = [sys.executable, "-B", os.path.join(HERE, "proxy.py"), str(ports["data"]), str(admin_port)]
    proxy = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    deadline = time.monotonic() + 60
    while put([]) is None:
        if proxy.poll() is not None or time.monotonic() > deadline:
            return {"error": {"message": "proxy.py does not answer on its admin port"}}
        time.sleep(0.01)
    return {"ok": True, "data": ports["data"], "admin": admin_port}


def apply(message):
    if proxy is None:
        return {"error": {"message": "start comes before apply"}}
    refused = put(message["resources"])
    if refused is None:
        return {"error": {"message": "proxy.py is gone"}}
    return {"rejected": refused} if refused else {"ok": True}


def put(resources):
    """Hands the configuration to the proxy; the reasons why it was refused, or None when nobody listens."""
    connection = http.client.HTTPConnection("127.0.0.1", admin_port, timeout=10)
    try:
        connection.request("PUT", "/config", json.dumps(resources))
        body = connection.getresponse().read()
        return json.loads(body) if body else []
    except OSError:
        return None
    finally:
        connection.close()


def op(message):
    if message["op"] != "effective-policy":
        return {"unsupported": "op " + message["op"]}
    return {"result": effective_policy(message["input"])}


def stop(_):
    if proxy is not None:
        proxy.terminate()
        proxy.wait()
    return {"ok": True}


HANDLERS = {"hello": hello, "start": start, "apply": apply, "op": op, "stop": stop}


def main():
    for line in sys.stdin:
        message = json.loads(line)
        handler = HANDLERS.get(message.get("cmd"), lambda m: {"unsupported": "cmd %s" % m.get("cmd")})
        try:
            answer = handler(message)
        except (LookupError, OSError, TypeError, ValueError) as error:
            answer = {"error": {"message": "%s: %s" % (type(error).__name__, error)}}
        print(json.dumps({"seq": message.get("seq"), **answer}), flush=True)
    stop(None)  # the suite is gone; so is the proxy


if __name__ == "__main__":
    main()
