# A collector of OpenTelemetry: reads OTLP as JSON with the schema that OpenTelemetry
# publishes, answers as it says, and prints what it got, one JSON object a line.
import http.server
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

schemas = {
    "/v1/traces": trace_service_pb2.ExportTraceServiceRequest,
    "/v1/metrics": metrics_service_pb2.ExportMetricsServiceRequest,
}


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        got = {"path": self.path, "authorization": self.headers["Authorization"], "type": self.headers["Content-Type"], "body": json.loads(body)}
        try:
            json_format.Parse(body, schemas[self.path]())  # refuses what the schema does not have
        except Exception as e:
            got["fault"] = str(e)
        print(json.dumps(got), flush=True)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
print(server.server_address[1], flush=True)
server.serve_forever()
