"""Adapter of the conformance suite for the proxy of LiteLLM.

One process: LiteLLM's own application serves in a thread, behind a front that knows which host and path leads to which of
its models; this thread speaks the adapter protocol. `apply` turns resources into what both of them need and hands it over.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
from application import Application  # noqa: E402
from backends import Gateway  # noqa: E402
from protocol import serve  # noqa: E402
from routing import virtual_hosts  # noqa: E402

sys.stdout = sys.stderr  # LiteLLM prints; the protocol has standard output for itself
application = Application()


def hello(_):
    implementation = {"name": "litellm", "version": application.load(), "language": "python"}
    return {"protocol": 1, "implementation": implementation}


def start(message):
    application.start(message["dir"], message["ports"]["data"])
    return {"ok": True}


def apply(message):
    if not application.started:
        return {"error": {"message": "start comes before apply"}}
    everything = Gateway(message["resources"])
    application.take(virtual_hosts(everything), everything.deployments)
    return {"ok": True}


def stop(_):
    application.stop()
    return {"ok": True}


if __name__ == "__main__":
    serve(hello=hello, start=start, apply=apply, stop=stop)
