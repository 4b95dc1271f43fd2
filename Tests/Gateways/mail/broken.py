"""A mail server with STARTTLS and faults that Exim cannot produce: broken.py PORT TLS-FOLDER BOX

The local part of the recipient selects the fault:
  cut      stores the message, then closes the connection before the response
  half     closes the connection at the beginning of the message
  silent   550, then no further response
Stored messages are files in the folder BOX.
"""

import itertools
import os
import socketserver
import ssl
import sys
import time

port, tls, box = int(sys.argv[1]), sys.argv[2], sys.argv[3]
os.makedirs(box, exist_ok=True)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(f"{tls}/server.pem", f"{tls}/server.key")
numbers = itertools.count(1)


class Session(socketserver.BaseRequestHandler):
    def send(self, line):
        self.request.sendall(line.encode() + b"\r\n")

    def receive(self):
        line = b""
        while not line.endswith(b"\n"):
            byte = self.request.recv(1)
            if not byte:
                raise ConnectionError
            line += byte
        return line.decode("latin-1").rstrip()

    def handle(self):
        try:
            self.serve()
        except (ConnectionError, OSError):
            pass

    def serve(self):
        self.send("220 broken.example.test")
        is_secure = False
        while True:
            line = self.receive()
            word = line.upper()
            if word.startswith("EHLO"):
                self.send("250-broken.example.test")
                self.send("250 AUTH PLAIN" if is_secure else "250 STARTTLS")
            elif word == "STARTTLS":
                self.send("220 ready")
                self.request = context.wrap_socket(self.request, server_side=True)
                is_secure = True
            elif word.startswith("AUTH PLAIN"):
                if line.count(" ") == 1:
                    self.send("334 ")
                    self.receive()
                self.send("235 welcome")
            elif word.startswith("RCPT"):
                recipient = word.split("<")[1].split("@")[0]
                if recipient == "SILENT":
                    self.send("550 5.1.1 no")
                    time.sleep(600)
                self.send("250 ok")
            elif word == "DATA":
                self.send("354 end with .")
                self.store(recipient)
                return
            else:
                self.send("250 ok")

    def store(self, recipient):
        lines = []
        while True:
            line = self.receive()
            if line == ".":
                break
            lines.append(line)
            if recipient == "HALF":
                return
        with open(f"{box}/{next(numbers)}", "w", encoding="latin-1") as file:
            file.write("\n".join(lines) + "\n")


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


Server(("127.0.0.1", port), Session).serve_forever()
