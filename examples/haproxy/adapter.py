"""Adapter of the conformance suite for HAProxy.

`apply` writes haproxy.cfg anew and sends SIGUSR2 to the master process, which starts a worker with the new configuration
and lets the one before it finish what it has begun. A port is a `frontend`, each backendRef of a rule a `backend`.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))

from frontends import frontend  # noqa: E402
from protocol import serve  # noqa: E402
from readiness import answers  # noqa: E402
from routing import Refused, Resources, listeners, of_kind, virtual_hosts  # noqa: E402
from rules import Rules  # noqa: E402

PROGRAM = os.environ.get("HAPROXY") or shutil.which("haproxy") or "/usr/sbin/haproxy"
TRAFFIC = {"phase", "directResponse", "headerModifiers", "hostRewrite", "timeouts", "retry"}
TRAFFIC |= {"basicAuthentication", "apiKeyAuthentication", "csrf", "rateLimit"}
BACKEND = {"http", "tcp", "tls"}
FRONTEND = {"tcp", "tls", "http", "proxyProtocol", "networkAuthorization"}
HEAD = """
global
  maxconn 4000
  # With one thread a request is counted before the next one is looked at.
  nbthread 1
  tune.bufsize 131072
  tune.http.maxhdr 8192
  hard-stop-after 10s
defaults
  mode http
  option idle-close-on-response
  retries 0
  timeout connect 5s
  timeout client 10m
  timeout server 10m
  timeout tunnel 1h
  timeout http-request 10m
  timeout http-keep-alive 10m
peers workers
  peer worker 127.0.0.1:%d
backend none
  http-request return status 404
"""
folder, data_port, peer_port, haproxy = None, None, None, None


def hello(_):
    version = subprocess.run([PROGRAM, "-v"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"version (\d+\.\d+\.\d+)", version)[1]
    return {"protocol": 1, "implementation": {"name": "haproxy", "version": version, "language": "C"}}


def start(message):
    global folder, data_port, peer_port, haproxy
    folder, data_port, peer_port = message["dir"], message["ports"]["data"], message["ports"]["admin"]
    write_configuration([])
    command = [PROGRAM, "-W", "-db", "-q", "-L", "worker", "-f", os.path.join(folder, "haproxy.cfg")]
    haproxy = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    # Before its first worker answers, the master may not know yet what SIGUSR2 means.
    while haproxy.poll() is None and not answers(data_port):
        time.sleep(0.01)
    return {"ok": True} if haproxy.poll() is None else ended()


def apply(message):
    if haproxy is None:
        return {"error": {"message": "start comes before apply"}}
    write_configuration(message["resources"])
    if haproxy.poll() is not None:
        return ended()
    haproxy.send_signal(signal.SIGUSR2)
    return {"ok": True}


def stop(_):
    if haproxy is not None:
        haproxy.terminate()
        haproxy.wait()
    return {"ok": True}


def ended():
    return {"error": {"message": "HAProxy ended with code %d" % haproxy.returncode}}


def write_configuration(resources):
    draft, final = os.path.join(folder, "draft.cfg"), os.path.join(folder, "haproxy.cfg")
    with open(draft, "w", encoding="utf8") as file:
        file.write(configuration(Resources(resources)))
    tested = subprocess.run([PROGRAM, "-c", "-L", "worker", "-f", draft], capture_output=True, text=True)
    if tested.returncode != 0:
        alerts = [line for line in tested.stderr.splitlines() if "[ALERT]" in line]
        raise ValueError("HAProxy does not take its configuration: " + " ".join(alerts))
    os.replace(draft, final)


def configuration(resources):
    for policy in of_kind(resources.all, "ProxyPolicy"):
        check_fields(policy)
    hosts = virtual_hosts(resources, ("HTTP", "HTTPS"))
    places = list(listeners(resources))
    rules = Rules(resources, folder)
    parts = [HEAD % peer_port]
    for port in sorted({data_port, *(host.port for host in hosts)}):
        choice = rules.choice([host for host in hosts if host.port == port])
        parts += frontend(resources, port, [each for each in places if each[2]["port"] == port], choice, folder)
    return "\n".join([*parts, *rules.sections, *rules.tables.values(), ""])


def check_fields(policy):
    for section, known in (("traffic", TRAFFIC), ("backend", BACKEND), ("frontend", FRONTEND)):
        unknown = sorted(set(policy["spec"].get(section, {})) - known)
        if unknown:
            raise Refused(policy, "spec.%s.%s" % (section, unknown[0]), "%s is not implemented" % unknown[0])


if __name__ == "__main__":
    serve(hello=hello, start=start, apply=apply, stop=stop)
