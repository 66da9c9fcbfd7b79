"""What becomes of requests: rules as routes of Envoy."""

from changes import left
from clusters import Clusters
from expressions import KEY, USER
from filters import anywhere, per_route
from frontend import http
from routes import headers, matching, redirection, rewriting, share
from routing import ANYWHERE, Endpoint, Refused
from words import seconds, typed

PLAIN_FILTERS = ("RequestHeaderModifier", "ResponseHeaderModifier")


class Actions(Clusters):
    def connects(self, host, filters):
        """Routes for CONNECT, which stand before all others and have no path."""
        mode = self.resources.frontend(host.gateway, host.port).get("connect", (None, {}))[1].get("mode")
        if mode == "Route":
            for rule in host.rules:
                endpoints = [each for each in rule.endpoints if each.address is not None]
                if any(each.weight for each in endpoints) and rule.match.get("path", {}).get("value", "/") == "/":
                    match = {**matching({**rule.match, "path": {}}), "connect_matcher": {}}
                    match.pop("prefix")
                    own = {"typed_per_filter_config": per_route(rule, filters, self)}
                    yield {"match": match, "route": {**self.toward(endpoints, False), **TUNNEL}, **own}
        elif mode == "Tunnel":
            ports = {listener["port"] for listener in host.gateway["spec"]["listeners"]}
            for port in sorted(ports):
                named = [{"name": ":authority", "string_match": {"suffix": ":%d" % port}}]
                inside = self.toward([Endpoint(1, ("127.0.0.1", port))], False)
                yield {"match": {"connect_matcher": {}, "headers": named}, "route": {**inside, **TUNNEL}}
        yield self.refused_connect()

    def refused_connect(self):
        return {"match": {"connect_matcher": {}}, "direct_response": {"status": 405}}

    def route(self, rule, filters, frontend):
        """A route of Envoy: what it matches, what it does, and which filters of the listener take part."""
        policy = {key: value for key, (_, value) in rule.policy.items()}
        route = {"match": matching(rule.match), **headers(rule, policy.get("headerModifiers", {}))}
        endpoints = [each for each in rule.endpoints if each.address is not None]
        if {"apiKeyAuthentication", "basicAuthentication"} & set(policy):
            route["request_headers_to_remove"] += [KEY, USER]
        route["typed_per_filter_config"] = per_route(rule, filters, self)
        if any(each.address == ANYWHERE for each in endpoints):
            filters["anywhere"] = anywhere()
            route["typed_per_filter_config"]["anywhere"] = typed("config.route.v3.FilterConfig", {"config": {}})
        redirect = [each["requestRedirect"] for each in rule.filters if each["type"] == "RequestRedirect"]
        if "directResponse" in policy:
            answer = policy["directResponse"]
            body = {"body": {"inline_string": answer["body"]}} if answer.get("body") else {}
            route["direct_response"] = {"status": answer["status"], **body}
        elif redirect:
            route["redirect"] = redirection(redirect[0], rule)
        elif not any(each.weight for each in endpoints):
            route["direct_response"] = {"status": 500}
        else:
            route["route"] = self.action(rule, policy, endpoints, http(frontend).get("http1HeaderCase") == "Preserve")
        return route

    def action(self, rule, policy, endpoints, preserve):
        backend = {key: value for key, (_, value) in endpoints[0].policy.items()}
        limits = [policy.get("timeouts", {}).get("request"), backend.get("http", {}).get("requestTimeout")]
        action = {"timeout": "%fs" % left(rule.policy, min([seconds(each) for each in limits if each] or [0]))}
        action.update(self.toward(endpoints, preserve))
        mode = policy.get("hostRewrite", {}).get("mode")
        auto = endpoints[0].by_name if mode is None else mode == "Auto" and isinstance(endpoints[0].address, tuple)
        auto = auto and endpoints[0].address != ANYWHERE
        if auto:
            action["host_rewrite_literal"] = "%s:%d" % endpoints[0].address
        for each in rule.filters:
            if each["type"] == "URLRewrite":
                action.update(rewriting(each["urlRewrite"].get("path"), rule))
                if "hostname" in each["urlRewrite"]:
                    action["host_rewrite_literal"] = each["urlRewrite"]["hostname"]
            elif each["type"] == "RequestMirror":
                copy = self.resources.endpoint(each["requestMirror"]["backendRef"], rule.route)
                own = {"cluster": self.cluster(copy, preserve=preserve), "disable_shadow_host_suffix_append": True}
                action.setdefault("request_mirror_policies", []).append({**own, **share(each["requestMirror"])})
            elif each["type"] not in PLAIN_FILTERS:
                raise Refused(rule.route, "spec.rules.filters", "filter %s is not implemented" % each["type"])
        if "retry" in policy:
            retry = policy["retry"]
            codes = {"retry_on": "retriable-status-codes", "retriable_status_codes": retry.get("codes", [])}
            pause = {"retry_back_off": {"base_interval": "%fs" % seconds(retry["backoff"])}} if "backoff" in retry else {}
            action["retry_policy"] = {**codes, **pause, "num_retries": retry.get("attempts", 1)}
        return action

    def toward(self, endpoints, preserve):
        weights = [{"name": self.cluster(each, preserve=preserve), "weight": each.weight} for each in endpoints]
        return {"cluster": weights[0]["name"]} if len(weights) == 1 else {"weighted_clusters": {"clusters": weights}}


TUNNEL = {"upgrade_configs": [{"upgrade_type": "CONNECT", "connect_config": {}}], "timeout": "0s"}
