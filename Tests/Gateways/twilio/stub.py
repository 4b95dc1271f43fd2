"""Serves Messages.json like Twilio: stub.py PORT

Account AC1, token s3cret. The last two digits of the number select the outcome:
  10  400, the recipient replied STOP    11  400, invalid number
  29  429, too many requests             50  500
  others 201, then the callbacks sent and delivered
Each accepted message is printed as one line of JSON.
"""

import base64
import itertools
import json
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlencode

numbers = itertools.count(1)
login = "Basic " + base64.b64encode(b"AC1:s3cret").decode()
ERRORS = {
    "10": (400, 21610, "Attempt to send to unsubscribed recipient"),
    "11": (400, 21211, "Invalid 'To' Phone Number"),
    "29": (429, 20429, "Too Many Requests"),
    "50": (500, 20500, "Internal Server Error"),
}


def call_back(url, sid, form):
    for status in ["sent", "delivered"]:
        time.sleep(0.2)
        fields = {
            "MessageSid": sid, "MessageStatus": status, "To": form["To"], "From": form["From"],
            "AccountSid": "AC1",
        }
        try:
            urllib.request.urlopen(url, urlencode(fields).encode(), timeout=5).read()
        except OSError:
            pass


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def respond(self, status, members):
        body = json.dumps(members).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if status == 429:
            self.send_header("Retry-After", "2")
        self.end_headers()
        self.wfile.write(body)

    def reject(self, status, code, message):
        self.respond(status, {"code": code, "message": message, "status": status})

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        form = dict(parse_qsl(self.rfile.read(length).decode()))
        if self.headers.get("Authorization") != login:
            return self.reject(401, 20003, "Authenticate")
        if self.path != "/2010-04-01/Accounts/AC1/Messages.json":
            return self.reject(404, 20404, "not found")
        error = ERRORS.get(form["To"][-2:])
        if error:
            return self.reject(*error)
        sid = f"SM{next(numbers):032d}"
        print(json.dumps(form), flush=True)
        if "StatusCallback" in form:
            arguments = (form["StatusCallback"], sid, form)
            threading.Thread(target=call_back, args=arguments, daemon=True).start()
        members = {"sid": sid, "status": "queued", "num_segments": "1", "error_code": None}
        return self.respond(201, members)

    def log_message(self, *words):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
