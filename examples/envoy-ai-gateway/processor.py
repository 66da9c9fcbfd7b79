"""The external processor as a program: it reads one file, and looks every five seconds whether there is a newer one."""

import json
import os
import re
import socket
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
CACHED = os.path.join(HERE, "..", "..", ".cache", "envoy-ai-gateway", "extproc")
PROGRAM = os.environ.get("AI_GATEWAY", CACHED)
READS = "loading a new config"
READERS = 2  # the processor of models and the gateway of MCP read the file each for itself


def version():
    """A file for another version is not read."""
    listed = subprocess.run(["go", "version", "-m", PROGRAM], capture_output=True, text=True).stdout
    found = re.search(r"^\s*(?:mod|dep)\s+github\.com/envoyproxy/ai-gateway\s+(\S+)", listed, re.M)
    return found[1] if found else "dev"


class Processor:
    def __init__(self, folder):
        self.folder, self.known, self.process = folder, None, None
        self.file, self.models, self.tools = (os.path.join(folder, each) for each in ("filter.json", "models", "tools"))
        self.routes, self.served = os.path.join(folder, "rds"), False  # of that listener, and whether it is there
        self.said, self.version = threading.Condition(), "dev"
        self.reads, self.failures, self.ready = 0, 0, False
        with socket.socket() as place:
            place.bind(("127.0.0.1", 0))
            self.port = place.getsockname()[1]  # of the listener of Envoy behind it

    def start(self):
        self.write({}, {})
        places = ["-extProcAddr", "unix://" + self.models, "-mcpAddr", "unix://" + self.tools, "-adminPort", "0"]
        places += ["-endpointPrefixes", "openai:/,cohere:/,anthropic:/"]
        # Session ids are sealed with a key that is made of this; fewer rounds of it make no difference here.
        sessions = ["-mcpSessionEncryptionSeed", "conform", "-mcpSessionEncryptionIterations", "1000"]
        self.process = subprocess.Popen(
            [PROGRAM, "-configPath", self.file, "-logLevel", "info", *places, *sessions],
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
            stderr=subprocess.PIPE,
            text=True,
        )
        threading.Thread(target=self.listen, daemon=True).start()
        with self.said:
            return self.said.wait_for(lambda: self.ready, 30)

    def listen(self):
        for line in self.process.stderr:
            sys.stderr.write(line)
            with self.said:
                self.reads += READS in line
                self.failures += "failed to update config" in line
                self.ready = self.ready or "is ready" in line
                self.said.notify_all()

    def write(self, backends, routes):
        found = {
            "version": self.version,
            "backends": list(backends.values()),
            "mcpConfig": {
                "backendListenerAddr": "http://127.0.0.1:%d" % self.port,
                "routes": [{"name": name, "backends": [{"name": each} for each in names]} for name, names in routes.items()],
            },
        }
        draft = self.file + ".draft"
        with open(draft, "w", encoding="utf8") as file:
            json.dump(found, file)  # JSON is YAML
        os.replace(draft, self.file)

    def take(self, backends, routes):
        """Waits until what is new is known; what is only gone nobody asks for."""
        known, self.known = self.known or ({}, {}), (backends, routes)
        if backends.keys() <= known[0].keys() and routes.keys() <= known[1].keys():
            return
        with self.said:
            wanted, failures = self.reads + READERS, self.failures
            self.write(backends, routes)
            self.said.wait_for(lambda: self.reads >= wanted or self.failures > failures, 9)
            if self.failures > failures or self.reads < wanted:
                raise ValueError("the external processor does not take its configuration; its log says why")

    def stop(self):
        self.process.terminate()
        self.process.wait()
