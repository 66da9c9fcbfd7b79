"""Adapter of the conformance suite for Envoy.

`apply` writes two files, one with clusters and one with listeners, and moves them into place: Envoy watches them (xDS from
files) and takes a new version over without closing a port. A cluster is named after what it is made of, so a changed one
is another one and no request meets half a change.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))

from clusters import address  # noqa: E402
from configuration import Configuration  # noqa: E402
from protocol import serve  # noqa: E402
from routing import Resources  # noqa: E402
from words import typed  # noqa: E402

INTERNAL = "extensions.bootstrap.internal_listener.v3.InternalListener"
# Spans are sent soon, not every five seconds.
RUNTIME = {"tracing.opentelemetry.flush_interval_ms": 100, "tracing.opentelemetry.min_flush_spans": 1}
CACHED = os.path.join(HERE, "..", "..", ".cache", "envoy", "envoy")
ENVOY = os.environ.get("ENVOY") or shutil.which("envoy") or CACHED
folder, admin, envoy = None, None, None


def hello(_):
    if not os.path.exists(ENVOY):
        raise OSError(
            "no envoy in PATH, in the variable ENVOY or in .cache/envoy; examples/envoy/README.md says how to get one"
        )
    version = subprocess.run([ENVOY, "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"/(\d+\.\d+\.\d+)/", version)[1]
    return {"protocol": 1, "implementation": {"name": "envoy", "version": version, "language": "c++"}}


def start(message):
    global folder, admin, envoy
    folder, admin = message["dir"], message["ports"]["admin"]
    write_configuration([])
    files = {
        name: {"path_config_source": {"path": os.path.join(folder, name)}, "resource_api_version": "V3"}
        for name in ("cds", "lds")
    }
    bootstrap = {
        "node": {"id": "conform", "cluster": "conform"},
        "bootstrap_extensions": [{"name": "internal", "typed_config": typed(INTERNAL, {})}],
        "layered_runtime": {"layers": [{"name": "static", "static_layer": RUNTIME}]},
        "admin": {"address": address(("127.0.0.1", admin))},
        "dynamic_resources": {"cds_config": files["cds"], "lds_config": files["lds"]},
    }
    path = os.path.join(folder, "bootstrap.json")
    with open(path, "w", encoding="utf8") as file:
        json.dump(bootstrap, file)
    command = [ENVOY, "-c", path, "--concurrency", "2", "--use-dynamic-base-id", "--drain-time-s", "60", "-l", "warn"]
    envoy = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    deadline = time.monotonic() + 60
    while envoy.poll() is None and time.monotonic() < deadline:
        try:
            urllib.request.urlopen("http://127.0.0.1:%d/ready" % admin, timeout=1).close()
            return {"ok": True}
        except OSError:
            time.sleep(0.02)
    return {"error": {"message": "Envoy does not answer on its admin port"}}


def apply(message):
    if envoy is None:
        return {"error": {"message": "start comes before apply"}}
    write_configuration(message["resources"])
    return {"ok": True}


def stop(_):
    if envoy is not None:
        envoy.terminate()
        envoy.wait()
    return {"ok": True}


def write_configuration(resources):
    configuration = Configuration(Resources(resources, ("static", "dynamicForwardProxy")))
    listeners = configuration.listeners()
    # Clusters first, and taken over: Envoy refuses a route to one that it does not know.
    replace("cds", "cluster.v3.Cluster", configuration.clusters, "cluster_manager.cds")
    replace("lds", "listener.v3.Listener", listeners, "listener_manager.lds")


def replace(name, kind, found, stat):
    """Moves a new version of a file into place and waits until Envoy has taken it over. Raises ValueError if it does not."""
    before = counts(stat)
    put(name, kind, found)
    deadline = time.monotonic() + 60
    while envoy is not None and time.monotonic() < deadline:
        now = counts(stat)
        if now["rejected"] > before["rejected"]:
            raise ValueError("Envoy does not take its configuration; its log says why")
        if now["success"] > before["success"]:
            return
        time.sleep(0.005)


def put(name, kind, found):
    draft = os.path.join(folder, name + ".draft")
    with open(draft, "w", encoding="utf8") as file:
        json.dump(
            {"resources": [{"@type": "type.googleapis.com/envoy.config." + kind, **each} for each in found.values()]}, file
        )
    os.replace(draft, os.path.join(folder, name))


def counts(stat):
    """How many versions Envoy has taken over and refused."""
    if envoy is None:
        return {}
    with urllib.request.urlopen("http://127.0.0.1:%d/stats?filter=%s.update_" % (admin, stat), timeout=5) as answer:
        found = dict(line.split(": ") for line in answer.read().decode().splitlines() if line)
    return {word: int(found.get("%s.update_%s" % (stat, word), 0)) for word in ("success", "rejected")}


if __name__ == "__main__":
    serve(hello=hello, start=start, apply=apply, stop=stop)
