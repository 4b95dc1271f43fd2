import TestSupport
import Testing

@Suite struct `Personal data in a log line` {
    private let data = PersonalData(names: ["Anna", "Home"], secrets: ["pass word 12"])

    @Test(arguments: [
        ("time=x msg=fix lat=3.13901", "a coordinate"),
        ("time=x msg=fix at=[101.6869,-3.1390]", "a coordinate"),
        ("time=x msg=sent to=+60123456789", "a number"),
        ("time=x msg=sent to=anna@jaga.example", "a mail address"),
        (
            "time=x msg=call path=/osmand?token=" + String(repeating: "aB3_-", count: 9).prefix(43),
            "a token"
        ),
        ("time=x msg=\"Anna has left\"", "a name"),
        ("time=x msg=zone name=Home", "a name"),
        ("time=x msg=x secret=\"pass word 12\"", "a secret"),
        ("time=x msg=\"log lines dropped\" lines=3", "a gap"),
        ("jaga: 3 log lines dropped", "a gap"),
    ]) func `is detected`(line: String, kind: String) {
        let found = data.findings(in: "time=x msg=ready\n" + line + "\n")
        #expect(found.map(\.kind) == [kind])
    }

    @Test(arguments: [
        "time=2026-11-20T10:20:00.123Z level=info service=ingest msg=ready port=8101",
        "time=x msg=accepted seconds=0.25 trace=3qfv06r9gmnms41n0xhc7mmf86 took=12.345",
        "time=x msg=Annabel home=/tmp/Home/x id=per_31dgay0z29yqm865c7d3vs9hr8",
        "time=x msg=hash is=" + String(repeating: "0af3", count: 16),
        "libmicrohttpd 0.9.75 and 127.0.0.1:8080",
    ]) func `is not confused with other values`(line: String) {
        #expect(data.findings(in: line).isEmpty)
    }

    @Test func `is reported with the event of its line`() {
        let found = data.findings(in: "time=x msg=\"was notified\" name=Anna")
        #expect(found.map(\.event) == ["was notified"])
    }
}
