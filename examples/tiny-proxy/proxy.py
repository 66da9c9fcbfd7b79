"""A tiny HTTP/1.1 proxy: python3 proxy.py DATA_PORT ADMIN_PORT. The configuration is what was last PUT to /config."""
import http.client
import http.server
import ipaddress
import json
import re
import socket
import socketserver
import sys
import threading

from routes import Routes, problems

HEAD_LIMIT = 64 * 1024
BODY_LIMIT = 16 * 1024 * 1024
REQUEST_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([\x21-\x7e]+) HTTP/1\.([01])")
FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*")
HOP_BY_HOP = {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}


class Refused(Exception):
    """A request that is answered by the proxy itself; the connection closes after it."""

    def __init__(self, status, why):
        super().__init__(why)
        self.status = status


class Data(socketserver.StreamRequestHandler):
    """One client connection."""

    timeout = 60
    disable_nagle_algorithm = True

    def handle(self):
        try:
            while self.exchange():
                pass
        except Refused as refused:
            self.answer(refused.status, str(refused), close=True)
            self.linger()
        except (OSError, http.client.HTTPException):
            pass  # the client is gone, or a response broke off in the middle: closing is all that is left to say

    def linger(self):
        """Reads on for a moment: closing over unread bytes would take the answer away from the client again."""
        try:
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(1)
            for _ in range(64):
                if self.connection.recv(64 * 1024) == b"":
                    break
        except OSError:
            pass  # the client is gone, which is what this waits for

    def exchange(self):
        """Handles one request; True when another one may follow."""
        head = self.read_head()
        if head is None:
            return False
        method, target, version, fields = head
        body = self.read_body(fields)
        persistent = version == 1 and "close" not in tokens(fields, "connection")
        host, path = destination(target, fields)
        found, static = self.server.routes.find(host, path.split("?", 1)[0])
        if not found or static is None:
            status, why = (500, "no such backend") if found else (404, "no route")
            self.answer(status, why, close=not persistent)
            return persistent
        return self.relay(method, path, fields, body, static, persistent)

    def read_head(self):
        line = self.read_line()
        while line == b"":
            line = self.read_line()
        if line is None:
            return None
        start = REQUEST_LINE.fullmatch(line)
        if start is None:
            raise Refused(400, "malformed request line")
        fields, size = [], len(line)
        while True:
            line = self.read_line()
            if line is None:
                raise Refused(400, "incomplete head")
            if line == b"":
                break
            field = FIELD.fullmatch(line)
            size += len(line)
            if field is None or size > HEAD_LIMIT:
                raise Refused(400 if field is None else 431, "malformed or oversized header fields")
            fields.append((field[1].decode("latin1"), field[2].decode("latin1")))
        if len(values(fields, "host")) != 1:
            raise Refused(400, "exactly one Host is needed")
        return start[1].decode(), start[2].decode(), int(start[3]), fields

    def read_line(self):
        """A line without its end, or None at the end of the connection."""
        line = self.rfile.readline(HEAD_LIMIT)
        if line == b"":
            return None
        if not line.endswith(b"\n"):
            raise Refused(400, "line too long or cut off")
        return line[:-1].removesuffix(b"\r")

    def read_body(self, fields):
        """The whole body, or None when the request has none."""
        lengths, codings = values(fields, "content-length"), tokens(fields, "transfer-encoding")
        if codings:
            if lengths or codings != ["chunked"]:
                raise Refused(400, "ambiguous or unknown framing")
            return self.read_chunks()
        if not lengths:
            return None
        if len(lengths) > 1 or not re.fullmatch("[0-9]{1,15}", lengths[0]):
            raise Refused(400, "malformed Content-Length")
        return self.read_exactly(int(lengths[0]))

    def read_chunks(self):
        body = b""
        while True:
            size = re.fullmatch(rb"([0-9A-Fa-f]{1,8})[ \t]*(;.*)?", self.read_line() or b"")
            if size is None:
                raise Refused(400, "malformed chunk")
            if int(size[1], 16) == 0:
                while self.read_line():
                    pass  # trailer fields are dropped
                return body
            body += self.read_exactly(int(size[1], 16), len(body))
            if self.read_line() != b"":
                raise Refused(400, "malformed chunk")

    def read_exactly(self, size, already=0):
        if size + already > BODY_LIMIT:
            raise Refused(413, "body too large")
        data = self.rfile.read(size)
        if len(data) < size:
            raise Refused(400, "incomplete body")
        return data

    def relay(self, method, path, fields, body, static, persistent):
        upstream = http.client.HTTPConnection(static["host"], static["port"], timeout=30)
        try:
            upstream.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in end_to_end(fields):
                upstream.putheader(name, host_for(static, value) if name.lower() == "host" else value)
            if body is not None:
                upstream.putheader("Content-Length", str(len(body)))
            upstream.endheaders(body)
            response = upstream.getresponse()
        except (OSError, http.client.HTTPException) as error:
            upstream.close()
            self.answer(502, "upstream: %s" % type(error).__name__, close=not persistent)
            return persistent
        with response:
            self.send_response(method, response, persistent)
        upstream.close()
        return persistent

    def send_response(self, method, response, persistent):
        fields = end_to_end(response.getheaders())
        length = response.getheader("content-length")
        bodyless = method == "HEAD" or response.status in (204, 304)
        if length is not None:
            fields.append(("Content-Length", length))
        elif not bodyless:
            fields.append(("Transfer-Encoding", "chunked"))
        self.send_head(response.status, response.reason, fields, not persistent)
        sent = 0
        while not bodyless:
            piece = response.read1(64 * 1024)
            if piece == b"":
                break
            sent += len(piece)
            self.wfile.write(piece if length is not None else b"%x\r\n%s\r\n" % (len(piece), piece))
        if not bodyless and length is None:
            self.wfile.write(b"0\r\n\r\n")
        elif not bodyless and sent != int(length):
            raise http.client.IncompleteRead(b"")

    def answer(self, status, why, close):
        body = (why + "\n").encode()
        fields = [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))]
        try:
            self.send_head(status, http.client.responses.get(status, ""), fields, close)
            self.wfile.write(body)
        except OSError:
            pass  # nobody is there to hear it

    def send_head(self, status, reason, fields, close):
        lines = ["HTTP/1.1 %d %s" % (status, reason)] + ["%s: %s" % field for field in fields]
        if close:
            lines.append("Connection: close")
        self.wfile.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin1"))


def destination(target, fields):
    """Host without its port, in lower case, and the path with its query."""
    authority = values(fields, "host")[0]
    if target.lower().startswith("http://"):
        authority, slash, rest = target[len("http://") :].partition("/")
        target = slash + rest or "/"
    if not target.startswith("/"):
        raise Refused(400, "only paths and http URLs are understood")
    return re.sub(r":[0-9]*$", "", authority).lower(), target


def host_for(static, value):
    """A backend known by name is called by its name; by address, the client's Host stays."""
    try:
        ipaddress.ip_address(static["host"])
        return value
    except ValueError:
        return "%s:%d" % (static["host"], static["port"])


def end_to_end(fields):
    dropped = HOP_BY_HOP | set(tokens(fields, "connection")) - {"host"} | {"content-length"}
    return [(name, value) for name, value in fields if name.lower() not in dropped]


def values(fields, wanted):
    return [value for name, value in fields if name.lower() == wanted]


def tokens(fields, wanted):
    return [token.strip().lower() for value in values(fields, wanted) for token in value.split(",") if token.strip()]


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 512
    routes = Routes([])


class Admin(http.server.BaseHTTPRequestHandler):
    """PUT /config replaces the whole configuration: 204, or 422 with the reasons and nothing changed."""

    def do_PUT(self):
        resources = json.loads(self.rfile.read(int(self.headers["content-length"])))
        refused = list(problems(resources, self.server.data.server_address[1]))
        if not refused:
            self.server.data.routes = Routes(resources)
        body = json.dumps(refused).encode() if refused else b""
        self.send_response(422 if refused else 204)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main(data_port, admin_port):
    data = Server(("127.0.0.1", data_port), Data)
    admin = http.server.HTTPServer(("127.0.0.1", admin_port), Admin)
    admin.data = data
    threading.Thread(target=admin.serve_forever, daemon=True).start()
    data.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
