"""Shared by fuzz-http and fuzz-mqtt: requests of phone apps, mutations, and normal clients."""
import glob
import json
import os
import time
import urllib.error

from suite import SERVICES

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NUMBERS = [b"9223372036854775807", b"-9223372036854775808", b"18446744073709551616", b"1e308",
           b"-1e400", b"1e999999999", b"-0", b"NaN", b"9" * 400, b"4294967296", b"null", b"\"\"",
           b"9999-12-31T23:59:59Z", b"[]", b"{}", b"\xff\xfe", b"\x00", b"\xf0\x9f\x98\x80"]
# Without rate limits, every request reaches its parser.
UNLIMITED = [(name, 0) for name in (
    "JAGA_INGEST_DEVICE_CALLS_PER_SECOND", "JAGA_INGEST_ADDRESS_CALLS_PER_SECOND",
    "JAGA_INGEST_AUTH_FAILURES_PER_MINUTE", "JAGA_CREDENTIAL_CALLS_PER_SECOND",
    "JAGA_ADDRESS_CALLS_PER_SECOND", "JAGA_AUTH_FAILURES_PER_MINUTE")]


def phone_requests():
    """Requests of phone apps from the golden files: method, target, headers and body."""
    found = []
    for path in sorted(glob.glob(TOP + "/Tests/DialectsTests/Golden/*/*.txt")):
        with open(path, "rb") as file:
            text = file.read().split(b"\n---\n")[0]
        head, _, body = text.partition(b"\n\n")
        lines = [line for line in head.split(b"\n") if not line.startswith(b"#")]
        method, _, target = lines[0].partition(b" ")
        found.append((method.decode(), target.decode(), [line.decode() for line in lines[1:]],
                      body))
    return found


def mutated(chance, data):
    """Mutates bytes: changes, cuts or repeats some, or replaces numbers by extreme ones."""
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 8])):
        at = chance.randrange(len(data)) if data else 0
        what = chance.randrange(7)
        if what == 0 and data:
            data[at] ^= 1 << chance.randrange(8)
        elif what == 1 and data:
            data[at] = chance.choice(b"\x00\xff\r\n\"{}[],:;=&%+/\\ 09-")
        elif what == 2:
            del data[at:at + chance.choice([1, 2, 8, 64])]
        elif what == 3:
            data[at:at] = chance.randbytes(chance.choice([1, 4, 16, 300]))
        elif what == 4:
            data += data[at:]
        else:
            digits = [index for index, byte in enumerate(data) if chr(byte).isdigit()]
            if digits:
                start = chance.choice(digits)
                end = start
                while end < len(data) and chr(data[end]) in "0123456789.eE":
                    end += 1
                data[start:end] = chance.choice(NUMBERS)
    return bytes(data[:200_000])


class NormalClients:
    """People who report and raise emergencies during an attack."""

    def __init__(self, suite):
        self.suite = suite
        self.circle = suite.call("POST", "/v1/circles", {"name": "Fuzz"})["id"]
        self.bob, self.bob_token = self.member("Bob", "guardian")
        self.anna, self.anna_token = self.member("Anna", "member")
        self.device, _, self.phone = suite.device(self.anna)
        # Each raises one emergency, because requests of one person within 30 s join.
        self.callers = []
        for number in range(60):
            person, _ = self.member(f"Caller {number}", "member", f"+1555003{number:04d}")
            self.callers.append(suite.device(person)[2])
        self.before = suite.process_ids()
        self.problems, self.calls, self.reports, self.waits = [], [], 0, []

    def member(self, name, role, number="+15550000001"):
        person, token = self.suite.person(name, number)
        self.suite.call("POST", f"/v1/circles/{self.circle}/members",
                        {"person": person, "role": role})
        return person, token

    def raise_emergency(self):
        """Raises an emergency as the next caller; `close` checks that it was notified."""
        if len(self.calls) == len(self.callers):
            return
        number, start = len(self.calls), time.monotonic()
        self.calls.append(f"press-{number:04d}")
        try:
            self.suite.call("POST", "/v1/emergencies", {
                "trigger": "panic", "countdown": 0, "id": f"press {number}",
                "note": self.calls[-1]}, self.callers[number])
        except OSError as error:
            self.problems.append(f"an emergency request failed: {error}")
        self.waits.append(time.monotonic() - start)

    def report(self, latitude):
        """A report by HTTP."""
        self.reports += 1
        try:
            self.suite.call("POST", "/v1/reports", {
                "lat": latitude, "lon": 101.6869, "accuracy": 5,
                "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}, self.phone)
        except OSError as error:
            self.problems.append(f"a report failed: {error}")

    def latitude(self):
        """Anna's position as seen by Bob."""
        seen = self.suite.call("GET", f"/v1/circles/{self.circle}/positions", None,
                               self.bob_token)
        for feature in seen["features"]:
            if feature["id"] == self.anna and feature.get("geometry"):
                return feature["geometry"]["coordinates"][1]
        return None

    def expect_latitude(self, latitude, seconds=20):
        """Checks that Bob soon sees a report of Anna's phone."""
        end, seen = time.monotonic() + seconds, None
        while time.monotonic() < end:
            try:
                seen = self.latitude()
            except OSError as error:
                seen = error
            if seen == latitude:
                return
            time.sleep(0.2)
        self.problems.append(f"the report at {latitude} is lost; position: {seen}")

    def close(self):
        """Adds the problems at the end to `problems`; returns a summary."""
        time.sleep(3)
        after = self.suite.process_ids()
        self.problems += [f"{name} ended" for name in SERVICES
                          if after.get(name) != self.before[name]]
        notified = set()
        for _ in range(100):
            notified = self.notified()
            if notified.issuperset(self.calls):
                break
            time.sleep(0.3)
        self.problems += [f"nobody was notified of {call}" for call in self.calls
                          if call not in notified]
        # The suite may have to catch up.
        end = time.monotonic() + 120
        for service in SERVICES:
            for path in ("/readyz", "/healthz"):
                status, text = self.state(service, path)
                while status != 200 and not self.is_expected(text) and time.monotonic() < end:
                    time.sleep(1)
                    status, text = self.state(service, path)
                if status != 200 and not self.is_expected(text):
                    self.problems.append(f"{path} of {service}: {status} {text[:300]}")
        waits = sorted(self.waits)
        p50, p99 = (waits[int(len(waits) * share)] * 1000 for share in (0.5, 0.99))
        return (f"{len(self.calls)} emergency requests: p50 {p50:.0f} ms, p99 {p99:.0f} ms; "
                f"{self.reports} reports")

    @staticmethod
    def is_expected(text):
        """Whether /healthz only reports that these emergencies are not acknowledged."""
        return "acknowledged" in text and "not caught up" not in text

    def notified(self):
        """Notes of emergencies whose messages left the suite."""
        found, cursor = set(), ""
        while cursor is not None:
            page = self.suite.call("GET", "/v1/outbox?limit=100" + cursor)
            for item in page["items"]:
                found.update(call for call in self.calls if call in item["text"])
            cursor = page.get("next") and "&cursor=" + page["next"]
        return found

    def state(self, service, path):
        url, self.suite.url = self.suite.url, f"http://127.0.0.1:{self.suite.http_port(service)}"
        try:
            return 200, json.dumps(self.suite.call("GET", path))
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except ValueError:
            return 200, ""
        except OSError as error:
            return 0, str(error)
        finally:
            self.suite.url = url
