"""ClickHouse's HTTP interface over chdb, the engine in a process: shim.py DATA [PORT].

It prints its port. Not shown by it: users, rights, quotas, readonly, KILL QUERY, and how
a server frames an error behind rows.
"""

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlparse

from chdb import session

engine = session.Session(sys.argv[1])
lock = threading.Lock()

# What is no setting of a statement, or one that the engine in a process has not.
NOT_SET = {"query", "default_format", "database", "query_id", "readonly", "enable_http_compression", "wait_end_of_query"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # as the server does: small answers came 40 ms late

    def log_message(self, *args):
        pass

    def do_POST(self):
        given = parse_qsl(urlparse(self.path).query)
        args = dict(given)
        statement = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        settings = ", ".join(f"{k} = '{v}'" for k, v in given if k not in NOT_SET)
        if settings and statement.startswith("SELECT"):
            statement += " SETTINGS " + settings
        try:
            with lock:
                answer = bytes(engine.query(statement, args.get("default_format", "TabSeparated")).bytes())
            self.answer(200, answer)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        except Exception as fault:
            self.answer(500, str(fault).encode())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for at in range(0, len(body), 1 << 16):
            part = body[at : at + (1 << 16)]
            self.wfile.write(b"%x\r\n" % len(part) + part + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")


server = ThreadingHTTPServer(("127.0.0.1", int((sys.argv[2:] or [0])[0] or 0)), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
