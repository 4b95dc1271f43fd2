"""The carrier behind Kannel's generic HTTP link: carrier.py PORT REPORTS-PORT

The last two digits of a number select the outcome of a message:
  01  delivered                02  accepted, then not delivered
  03  waits, then delivered    11  rejected permanently
  others like 01
"""

import itertools
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

port, reports_port = int(sys.argv[1]), int(sys.argv[2])
numbers = itertools.count(1)

DELIVERED, UNDELIVERED, BUFFERED = 1, 2, 4
OUTCOMES = {
    "02": [UNDELIVERED],
    "03": [BUFFERED, DELIVERED],
}


def report(message, to, states):
    # Kannel loses a report that arrives before it has read the response.
    for state in states:
        time.sleep(0.3)
        query = urlencode(
            {
                "username": "carrier", "password": "carrier", "from": to, "to": "40404",
                "dlr-mid": message, "dlr-mask": state, "text": "report",
            }
        )
        urllib.request.urlopen(f"http://127.0.0.1:{reports_port}/?{query}", timeout=5).read()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        # In this query, a plus is a plus and not a space.
        query = urlsplit(self.path).query.replace("+", "%2B")
        to = parse_qs(query).get("to", [""])[0]
        if to.endswith("11"):
            response = "rejected: unknown subscriber"
        else:
            message = next(numbers)
            response = f"accepted id={message}"
            states = OUTCOMES.get(to[-2:], [DELIVERED])
            threading.Thread(target=report, args=(message, to, states), daemon=True).start()
        body = response.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
