"""A real receiver of traces on loopback: OTLP over HTTP, decoded with OpenTelemetry's own messages."""

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


class Collector:
    """Keeps what it gets. `status` is what it answers with."""

    def __init__(self) -> None:
        self.status = 200
        self.spans: list[Any] = []
        self.resources: list[dict[str, str]] = []
        self.requests = 0
        self._came = threading.Condition()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                status = outer.take(self.path, body)
                answer = ExportTraceServiceResponse().SerializeToString()
                self.send_response(status)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1/traces"

    def take(self, path: str, body: bytes) -> int:
        request = ExportTraceServiceRequest.FromString(body)
        with self._came:
            self.requests += 1
            self._came.notify_all()
            if path != "/v1/traces" or self.status != 200:
                return 404 if path != "/v1/traces" else self.status
            for resource in request.resource_spans:
                told = resource.resource.attributes
                self.resources.append({one.key: one.value.string_value for one in told})
                for scope in resource.scope_spans:
                    self.spans += scope.spans
        return 200

    def wait(self, spans: int = 0, requests: int = 0, seconds: float = 60.0) -> None:
        with self._came:
            assert self._came.wait_for(lambda: len(self.spans) >= spans and self.requests >= requests, seconds), (
                f"{len(self.spans)} spans and {self.requests} requests came"
            )

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def told(one: Any) -> dict[str, Any]:
    """The attributes of a span or of an event in it."""
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in one.attributes}
