"""Adapter of the conformance suite for FastMCP.

`apply` works out which host and path lead to which gateway, and what each gateway is made of, and writes that as one line
to the server, which answers with a line when it serves it.
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))

from gateways import gateway_of, path_of  # noqa: E402
from protocol import serve  # noqa: E402
from routing import Refused, Resources, of_kind, virtual_hosts  # noqa: E402

CACHED = os.path.join(HERE, "..", "..", ".cache", "fastmcp", "bin", "python")
PYTHON = os.environ.get("FASTMCP_PYTHON") or CACHED
VERSION = "from importlib.metadata import version; print(version('fastmcp'))"
data_port, server = None, None


def hello(_):
    if not os.path.exists(PYTHON):
        raise OSError("no FastMCP in .cache/fastmcp or in the variable FASTMCP_PYTHON; README.md says how to get it")
    version = subprocess.run([PYTHON, "-c", VERSION], capture_output=True, text=True, check=True).stdout.strip()
    return {"protocol": 1, "implementation": {"name": "fastmcp", "version": version, "language": "python"}}


def start(message):
    global data_port, server
    data_port = message["ports"]["data"]
    command = [PYTHON, "-B", os.path.join(HERE, "server.py"), str(data_port)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return hand_over([])


def apply(message):
    if server is None:
        return {"error": {"message": "start comes before apply"}}
    return hand_over(rules(Resources(message["resources"], backends={"mcp"})))


def stop(_):
    if server is not None:
        server.stdin.close()
        server.terminate()
        server.wait()
    return {"ok": True}


def hand_over(wanted):
    server.stdin.write(json.dumps(wanted) + "\n")
    server.stdin.flush()
    answer = server.stdout.readline()
    if answer == "":
        return {"error": {"message": "the server ended with code %s" % server.wait()}}
    return json.loads(answer)


def rules(resources):
    """Every rule with its host, the first one that matches a request is the one that counts."""
    for policy in of_kind(resources.all, "ProxyPolicy"):
        for section in policy["spec"].keys() - {"targetRefs", "targetSelectors", "backend"}:
            raise Refused(policy, "spec.%s" % section, "a gateway of MCP knows policies of backends only")
    return [
        {"host": host.host, **path_of(rule), "gateway": gateway_of(resources, rule)}
        for host in virtual_hosts(resources)
        if on_data_port(host)
        for rule in host.rules
    ]


def on_data_port(host):
    if host.port != data_port:
        raise ValueError("there is one port, %d" % data_port)
    return True


if __name__ == "__main__":
    serve(hello=hello, start=start, apply=apply, stop=stop)
