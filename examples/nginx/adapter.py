"""Adapter of the conformance suite for nginx.

`apply` writes nginx.conf anew and sends HUP. Which rule a request belongs to is decided by one `map` per host: its key is
what the rules look at, its lines are the rules as regular expressions in order of precedence, its value names a location.
"""

import hashlib
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

from directives import address, direct_response, pattern, quote, quote_raw, redirect, replacement  # noqa: E402
from directives import response_headers, variable  # noqa: E402
from protocol import serve  # noqa: E402
from readiness import answers  # noqa: E402
from routing import Refused, Resources, identity, of_kind, virtual_hosts  # noqa: E402

WORKERS = os.environ.get("NGINX_WORKERS", "4")
TRAFFIC = {"directResponse", "headerModifiers", "hostRewrite", "timeouts", "basicAuthentication", "phase"}
BACKEND = {"http"}
HEAD = """
daemon off; worker_processes %(workers)s; worker_shutdown_timeout 5s; pid %(dir)s/nginx.pid; error_log stderr error; %(user)s
events { worker_connections 1024; }
http {
access_log off; default_type text/plain; server_tokens off; merge_slashes off; underscores_in_headers on;
server_names_hash_max_size 65536; server_names_hash_bucket_size 256; variables_hash_max_size 8192; map_hash_bucket_size 256;
client_max_body_size 0; client_body_temp_path %(dir)s/body; proxy_temp_path %(dir)s/proxy;
fastcgi_temp_path %(dir)s/fastcgi; uwsgi_temp_path %(dir)s/uwsgi; scgi_temp_path %(dir)s/scgi;
proxy_http_version 1.1; proxy_buffering off; proxy_request_buffering off; proxy_next_upstream off;
geo $dollar { default "$"; }
"""
folder, data_port, nginx = None, None, None


def hello(_):
    version = subprocess.run(["nginx", "-v"], capture_output=True, text=True, check=True).stderr.strip()
    return {"protocol": 1, "implementation": {"name": "nginx", "version": version.split("/")[-1], "language": "C"}}


def start(message):
    global folder, data_port, nginx
    folder, data_port = message["dir"], message["ports"]["data"]
    write_configuration([])
    command = ["nginx", "-c", os.path.join(folder, "nginx.conf"), "-e", "stderr"]
    nginx = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    # HUP kills it, or is lost, until it has workers, and that is later than its port and its pid file: only an answer tells. How
    # long that may take is for the suite to say, which knows how busy the machine is.
    while nginx.poll() is None and not answers(data_port):
        time.sleep(0.01)
    return {"ok": True} if nginx.poll() is None else ended()


def apply(message):
    if nginx is None:
        return {"error": {"message": "start comes before apply"}}
    write_configuration(message["resources"])
    if nginx.poll() is not None:
        return ended()
    nginx.send_signal(signal.SIGHUP)
    return {"ok": True}


def stop(_):
    if nginx is not None:
        nginx.terminate()
        nginx.wait()
    return {"ok": True}


def ended():
    return {"error": {"message": "nginx ended with code %d" % nginx.returncode}}


def write_configuration(resources):
    draft, final = os.path.join(folder, "draft.conf"), os.path.join(folder, "nginx.conf")
    with open(draft, "w", encoding="utf8") as file:
        file.write(Configuration(Resources(resources)).text())
    tested = subprocess.run(["nginx", "-t", "-q", "-c", draft, "-e", "stderr"], capture_output=True, text=True)
    if tested.returncode != 0:
        raise ValueError("nginx does not take its configuration: " + tested.stderr)
    os.replace(draft, final)


class Configuration:
    def __init__(self, resources):
        self.resources = resources
        self.lines = []
        self.count = 0

    def text(self):
        for policy in of_kind(self.resources.all, "ProxyPolicy"):
            check_fields(policy)
        hosts = virtual_hosts(self.resources)
        user = "user root;" if os.geteuid() == 0 else ""
        self.lines.append(HEAD % {"workers": WORKERS, "dir": folder, "user": user})
        ports = {data_port, *(host.port for host in hosts)}
        for port in sorted(ports - {host.port for host in hosts if host.host == ""}):
            self.lines.append("server { listen 127.0.0.1:%d default_server; return 404; }" % port)
        for host in hosts:
            self.server(host)
        return "\n".join(self.lines + ["}", ""])

    def new(self, word):
        self.count += 1
        return "%s%d" % (word, self.count)

    def server(self, host):
        headers = sorted({each["name"].lower() for rule in host.rules for each in rule.match.get("headers", [])})
        queries = sorted({each["name"] for rule in host.rules for each in rule.match.get("queryParams", [])})
        looked_at = [variable("http_", name) for name in headers] + [variable("arg_", name) for name in queries]
        choice = self.new("rule")
        names = [self.new("r") for _ in host.rules]
        # In a map the first regular expression that matches wins, so the order of the lines is the precedence.
        key = "\n".join(["$request_method $request_uri", *looked_at, ""])
        self.lines.append("map %s $%s {" % (quote_raw(key), choice))
        for name, rule in zip(names, host.rules):
            self.lines.append("  %s %s;" % (quote_raw("~^" + pattern(rule.match, headers, queries) + "$"), name))
        self.lines.append("  default none;\n}")
        locations = [self.location(name, rule) for name, rule in zip(names, host.rules)]
        # 418 is how a request gets into the location of its rule with method, body and target untouched.
        default = "" if host.host else " default_server"
        self.lines.append("server {\nlisten 127.0.0.1:%d%s; server_name %s;" % (host.port, default, quote(host.host)))
        self.lines.append("error_page 418 = @$%s;\nlocation / { return 418; }\nlocation @none { return 404; }" % choice)
        self.lines.extend(locations + ["}"])

    def location(self, name, rule):
        """The location of a rule; upstreams and maps it needs are written before the server."""
        policy = {key: value for key, (_, value) in rule.policy.items()}
        body = [*self.authentication(rule), *self.filters(rule)]
        if "directResponse" in policy:
            body += direct_response(*rule.policy["directResponse"])
        elif not any(each["type"] == "RequestRedirect" for each in rule.filters):
            body += self.forward(rule, policy)
        extra = [line for line in body if line.startswith("location")]
        inner = [line for line in body if not line.startswith("location")]
        return "\n  ".join(["location @%s {" % name, *inner]) + "\n}" + "".join("\n" + line for line in extra)

    def forward(self, rule, policy):
        endpoints = [each for each in rule.endpoints if each.address is not None and each.weight > 0]
        if not endpoints:
            return ["return 500;"]
        backend = {key: value for key, (_, value) in endpoints[0].policy.items()}
        modifiers = policy.get("headerModifiers", {})
        # Sent once each, an empty one not at all. Fields that Connection names cannot be found out: they are passed on.
        sent = {"host": self.host(rule, endpoints[0]), "connection": '""', "proxy-connection": '""'}
        requests = [each["requestHeaderModifier"] for each in rule.filters if "requestHeaderModifier" in each]
        answers = [each["responseHeaderModifier"] for each in rule.filters if "responseHeaderModifier" in each]
        for change in requests + [modifiers.get("request", {})]:
            for each in change.get("set", []):
                sent[each["name"].lower()] = quote(each["value"])
            for each in change.get("add", []):
                sent[each["name"].lower()] = "$" + self.appended(each)
            for each in change.get("remove", []):
                sent[each.lower()] = '""'
        if "basicAuthentication" in policy:
            sent["authorization"] = '""'
        limit = policy.get("timeouts", {}).get("request") or backend.get("http", {}).get("requestTimeout")
        return [
            *("proxy_set_header %s %s;" % each for each in sent.items()),
            *(line for change in answers + [modifiers.get("response", {})] for line in response_headers(change)),
            *(["proxy_read_timeout %s; proxy_connect_timeout %s;" % (limit, limit)] if limit else []),
            "proxy_pass http://%s;" % self.upstream(endpoints),
        ]

    def host(self, rule, endpoint):
        named = [each["urlRewrite"]["hostname"] for each in rule.filters if "hostname" in each.get("urlRewrite", {})]
        if named:
            return quote(named[0])
        mode = rule.policy.get("hostRewrite", (None, {}))[1].get("mode")
        auto = endpoint.by_name if mode is None else mode == "Auto" and isinstance(endpoint.address, tuple)
        return quote("%s:%d" % endpoint.address) if auto else "$http_host"

    def appended(self, header):
        """A map from what the client sent to that with a value more; its name."""
        name, sent = self.new("added"), variable("http_", header["name"].lower())
        more = header["value"]
        both = '"%s, %s' % (sent, quote(more)[1:])
        self.lines.append('map %s $%s { "" %s; default %s; }' % (sent, name, quote(more), both))
        return name

    def upstream(self, endpoints):
        name = self.new("up")
        servers = ["server %s weight=%d;" % (address(each.address), each.weight) for each in endpoints]
        self.lines.append("upstream %s { zone %s 64k; %s }" % (name, name, " ".join(servers)))
        return name

    def filters(self, rule):
        for each in rule.filters:
            if each["type"] == "RequestRedirect":
                yield from redirect(each["requestRedirect"], rule)
            elif each["type"] == "URLRewrite" and "path" in each["urlRewrite"]:
                yield "rewrite %s break;" % " ".join(replacement(each["urlRewrite"]["path"], rule))
            elif each["type"] == "RequestMirror":
                endpoint = self.resources.endpoint(each["requestMirror"]["backendRef"], rule.route)
                place, target = "/." + self.new("mirror"), "http://%s$request_uri" % self.upstream([endpoint])
                yield "mirror %s;" % place
                yield "location = %s { internal; proxy_set_header Host $http_host; proxy_pass %s; }" % (place, target)
            elif each["type"] not in ("URLRewrite", "RequestHeaderModifier", "ResponseHeaderModifier"):
                raise Refused(rule.route, "spec.rules.filters", "filter %s is not implemented" % each["type"])

    def authentication(self, rule):
        policy, wanted = rule.policy.get("basicAuthentication", (None, None))
        if wanted is None:
            return
        if wanted.get("mode", "Strict") != "Strict" or "location" in wanted:
            raise Refused(policy, "spec.traffic.basicAuthentication", "only mode Strict and the Authorization header")
        reference = wanted.get("secretRef", {})
        secret = self.resources.get("Secret", identity(policy)[0], reference.get("name")) or {}
        entries = secret.get("stringData", {}).get(reference.get("key", ".htaccess"), "")
        yield "auth_basic %s;" % quote(wanted.get("realm", "Restricted"))
        yield "auth_basic_user_file %s;" % self.file("\n".join(wanted.get("users", [entries])) + "\n")

    def file(self, text):
        """A file that never changes: its name comes from its text, for old workers still read the one they know."""
        path = os.path.join(folder, hashlib.sha256(text.encode()).hexdigest())
        if not os.path.exists(path):
            with open(path + ".draft", "w", encoding="utf8") as file:
                file.write(text)
            os.replace(path + ".draft", path)
        return path


def check_fields(policy):
    for section, known in (("traffic", TRAFFIC), ("backend", BACKEND), ("frontend", set())):
        unknown = sorted(set(policy["spec"].get(section, {})) - known)
        if unknown:
            raise Refused(policy, "spec.%s.%s" % (section, unknown[0]), "%s is not implemented" % unknown[0])


if __name__ == "__main__":
    serve(hello=hello, start=start, apply=apply, stop=stop)
