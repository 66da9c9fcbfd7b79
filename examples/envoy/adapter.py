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

from clusters import Clusters, address  # noqa: E402
from filters import ROUTER, check_fields, http_filters, per_route  # noqa: E402
from protocol import serve  # noqa: E402
from routes import headers, matching, redirection, rewriting  # noqa: E402
from routing import Refused, Resources, of_kind, virtual_hosts  # noqa: E402
from words import seconds, typed  # noqa: E402

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
    configuration = Configuration(Resources(resources))
    listeners = configuration.listeners()
    # Clusters first, and taken over: Envoy refuses a route to one that it does not know.
    replace("cds", "cluster.v3.Cluster", configuration.clusters, "cluster_manager.cds")
    replace("lds", "listener.v3.Listener", listeners, "listener_manager.lds")


def replace(name, kind, found, stat):
    """Moves a new version of a file into place and waits until Envoy has taken it over. Raises ValueError if it does not."""
    before, draft = counts(stat), os.path.join(folder, name + ".draft")
    with open(draft, "w", encoding="utf8") as file:
        json.dump(
            {"resources": [{"@type": "type.googleapis.com/envoy.config." + kind, **each} for each in found.values()]}, file
        )
    os.replace(draft, os.path.join(folder, name))
    deadline = time.monotonic() + 60
    while envoy is not None and time.monotonic() < deadline:
        now = counts(stat)
        if now["rejected"] > before["rejected"]:
            raise ValueError("Envoy does not take its configuration; its log says why")
        if now["success"] > before["success"]:
            return
        time.sleep(0.005)


def counts(stat):
    """How many versions Envoy has taken over and refused."""
    if envoy is None:
        return {}
    with urllib.request.urlopen("http://127.0.0.1:%d/stats?filter=%s.update_" % (admin, stat), timeout=5) as answer:
        found = dict(line.split(": ") for line in answer.read().decode().splitlines() if line)
    return {word: int(found.get("%s.update_%s" % (stat, word), 0)) for word in ("success", "rejected")}


class Configuration(Clusters):
    """Listeners, with the clusters that they turn out to need."""

    def listeners(self):
        for policy in of_kind(self.resources.all, "ProxyPolicy"):
            check_fields(policy)
        hosts = virtual_hosts(self.resources)
        return {
            port: self.listener(port, [host for host in hosts if host.port == port])
            for port in {host.port for host in hosts}
        }

    def listener(self, port, hosts):
        filters = {}
        virtual = [
            {
                "name": host.host or "any",
                "domains": [host.host or "*"],
                "routes": [self.route(rule, filters) for rule in host.rules],
            }
            for host in hosts
        ]
        manager = {
            "stat_prefix": "data",
            "route_config": {"name": "routes", "virtual_hosts": virtual, "ignore_port_in_host_matching": True},
            "http_filters": [*http_filters(filters), ROUTER],
            "generate_request_id": False,
            "server_header_transformation": "PASS_THROUGH",
            "http_protocol_options": {"enable_trailers": True},
            "stream_idle_timeout": "0s",
        }
        chain = {
            "filters": [
                {
                    "name": "http",
                    "typed_config": typed(
                        "extensions.filters.network.http_connection_manager.v3.HttpConnectionManager", manager
                    ),
                }
            ]
        }
        return {"name": "port-%d" % port, "address": address(("127.0.0.1", port)), "filter_chains": [chain]}

    def route(self, rule, filters):
        """A route of Envoy: what it matches, what it does, and which filters of the listener take part."""
        policy = {key: value for key, (_, value) in rule.policy.items()}
        route = {"match": matching(rule.match), **headers(rule, policy.get("headerModifiers", {}))}
        route["typed_per_filter_config"] = per_route(rule, filters, self)
        redirect = [each["requestRedirect"] for each in rule.filters if each["type"] == "RequestRedirect"]
        endpoints = [each for each in rule.endpoints if each.address is not None]
        if "directResponse" in policy:
            answer = policy["directResponse"]
            body = {"body": {"inline_string": answer["body"]}} if answer.get("body") else {}
            route["direct_response"] = {"status": answer["status"], **body}
        elif redirect:
            route["redirect"] = redirection(redirect[0], rule)
        elif not any(each.weight for each in endpoints):
            route["direct_response"] = {"status": 500}
        else:
            route["route"] = self.action(rule, policy, endpoints)
        return route

    def action(self, rule, policy, endpoints):
        backend = {key: value for key, (_, value) in endpoints[0].policy.items()}
        limits = [policy.get("timeouts", {}).get("request"), backend.get("http", {}).get("requestTimeout")]
        action = {"timeout": "%fs" % min([seconds(each) for each in limits if each] or [0])}
        weights = [{"name": self.cluster(each), "weight": each.weight} for each in endpoints]
        action.update({"cluster": weights[0]["name"]} if len(weights) == 1 else {"weighted_clusters": {"clusters": weights}})
        mode = policy.get("hostRewrite", {}).get("mode")
        auto = endpoints[0].by_name if mode is None else mode == "Auto" and isinstance(endpoints[0].address, tuple)
        if auto:
            action["host_rewrite_literal"] = "%s:%d" % endpoints[0].address
        for each in rule.filters:
            if each["type"] == "URLRewrite":
                action.update(rewriting(each["urlRewrite"].get("path"), rule))
                if "hostname" in each["urlRewrite"]:
                    action["host_rewrite_literal"] = each["urlRewrite"]["hostname"]
            elif each["type"] == "RequestMirror":
                copy = self.resources.endpoint(each["requestMirror"]["backendRef"], rule.route)
                action.setdefault("request_mirror_policies", []).append(
                    {"cluster": self.cluster(copy), "disable_shadow_host_suffix_append": True}
                )
            elif each["type"] not in ("RequestHeaderModifier", "ResponseHeaderModifier"):
                raise Refused(rule.route, "spec.rules.filters", "filter %s is not implemented" % each["type"])
        if "retry" in policy:
            retry = policy["retry"]
            codes = {"retry_on": "retriable-status-codes", "retriable_status_codes": retry.get("codes", [])}
            pause = {"retry_back_off": {"base_interval": "%fs" % seconds(retry["backoff"])}} if "backoff" in retry else {}
            action["retry_policy"] = {**codes, **pause, "num_retries": retry.get("attempts", 1)}
        return action


if __name__ == "__main__":
    serve(hello=hello, start=start, apply=apply, stop=stop)
