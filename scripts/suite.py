"""Starts a suite for test scripts, on free ports with an empty home."""
import json
import os
import signal
import socket
import subprocess
import time
import urllib.request

SERVICES = ["ingest", "membership", "evaluator", "timer", "notifier"]


def free_base():
    """A port base whose ports are all free."""
    offsets = [n + k for n in (0, 100, 200) for k in range(1, 8)] + [301, 302, 400]
    for base in range(20100, 31000, 500):
        try:
            for offset in offsets:
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", base + offset))
            return base
        except OSError:
            continue
    raise SystemExit("no free ports")


class Suite:
    """A suite started by `jaga up` from a folder of built programs."""

    def __init__(self, programs, home, settings=(), arguments=()):
        self.home = home
        self.base = free_base()
        self.port = self.base + 400
        self.url = f"http://127.0.0.1:{self.port}"
        with open(home + "/jaga.conf", "w", encoding="utf-8") as file:
            file.writelines(f"{name}={value}\n" for name, value in settings)
        self.log = open(home + "/log", "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [programs + "/jaga", "up", "--home", home, "--port", str(self.port), "--port-base",
             str(self.base), *arguments], stdout=self.log, stderr=self.log)
        for _ in range(600):
            with open(self.log.name, encoding="utf-8") as lines:
                if "Jaga is ready" in lines.read():
                    break
            if self.process.poll() is not None:
                raise SystemExit(f"the suite did not start; see {self.log.name}")
            time.sleep(0.1)
        else:
            raise SystemExit(f"the suite was not ready within 60 s; see {self.log.name}")
        with open(home + "/secrets/operator.token", encoding="utf-8") as file:
            self.token = file.read().strip()

    def call(self, method, path, body=None, token=None):
        """Returns the JSON of a response; raises an error of urllib unless it is a success."""
        return self.send(self.url, method, path, body, token)

    def at(self, service, method, path, body=None, token=None):
        """Like `call`, sent to one service without nginx."""
        url = f"http://127.0.0.1:{self.http_port(service)}"
        return self.send(url, method, path, body, token)

    def send(self, url, method, path, body, token):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            url + path, data=data, method=method,
            headers={"Authorization": "Bearer " + (token or self.token),
                     "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as response:
            text = response.read()
            return json.loads(text) if text else None

    def person(self, name, number):
        """Creates a person; returns id and token."""
        made = self.call("POST", "/v1/people", {
            "name": name, "contacts": [{"channel": "sms", "address": number, "vouched": True}]})
        created = made["id"]
        token = self.call("POST", f"/v1/people/{created}/activation", {
            "code": made["activation"]["code"]})["credential"]["token"]
        return created, token

    def device(self, person):
        """Creates a device; returns its id, the id of its credential, and the token."""
        created = self.call("POST", f"/v1/people/{person}/devices", {"name": "phone"})
        credential = created["credential"]
        return created["device"]["id"], credential["id"], credential["token"]

    def http_port(self, service):
        return self.base + SERVICES.index(service) + 1

    def process_ids(self):
        """Process ids by service."""
        found = {}
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8") as stat:
                    parent = stat.read().rsplit(") ", 1)[1].split()[1]
                with open(f"/proc/{entry}/comm", encoding="utf-8") as comm:
                    name = comm.read().strip()
            except (OSError, IndexError):
                continue
            for service in SERVICES:
                if parent == str(self.process.pid) and name == f"jaga-{service}"[:15]:
                    found[service] = int(entry)
        return found

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        self.log.close()
