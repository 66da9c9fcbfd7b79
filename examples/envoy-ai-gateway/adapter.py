"""Adapter of the conformance suite for Envoy AI Gateway.

The gateway is two programs: Envoy and the external processor that it asks. `apply` translates what plain HTTP is as the example
of Envoy does; of a backend for models or MCP it makes an entry of the processor's configuration and the clusters and routes
that lead there.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[0:0] = [os.path.join(HERE, "..", "envoy"), os.path.join(HERE, "..", "lib")]
sys.path.append(HERE)

import adapter as envoy  # noqa: E402 -- that of ../envoy, which stands before this folder
from gateway import Gateway, Resources  # noqa: E402
from processor import PROGRAM, Processor, version  # noqa: E402
from protocol import serve  # noqa: E402

ROUTES = ("rds", "route.v3.RouteConfiguration")
processor = None


def hello(_):
    if not os.path.exists(PROGRAM):
        raise OSError("no extproc in .cache/envoy-ai-gateway or in the variable AI_GATEWAY; README.md says how to get it")
    envoy.hello(_)
    return {"protocol": 1, "implementation": {"name": "envoy-ai-gateway", "version": version(), "language": "go"}}


def start(message):
    global processor
    processor = Processor(message["dir"])
    if not processor.start():
        return {"error": {"message": "the external processor does not start"}}
    answer = envoy.start(message)
    hand_over(Gateway(Resources([]), processor))
    return answer


def apply(message):
    if processor is None:
        return {"error": {"message": "start comes before apply"}}
    hand_over(Gateway(Resources(message["resources"]), processor))
    return {"ok": True}


def hand_over(configuration):
    """From the last place to the first, so that whatever leads to a place comes after it."""
    listeners = configuration.listeners()
    processor.take(configuration.backends, configuration.routes_of_tools)
    envoy.replace("cds", "cluster.v3.Cluster", configuration.clusters, "cluster_manager.cds")
    if processor.served:
        envoy.replace(*ROUTES, configuration.routes(), "http.inner.rds.inner")
    else:
        envoy.put(*ROUTES, configuration.routes())  # nobody reads it before there is a listener
    envoy.replace("lds", "listener.v3.Listener", listeners, "listener_manager.lds")
    processor.served = True


def stop(_):
    envoy.stop(_)
    if processor is not None:
        processor.stop()
    return {"ok": True}


if __name__ == "__main__":
    serve(hello=hello, start=start, apply=apply, stop=stop)
