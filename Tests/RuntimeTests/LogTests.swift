import Glibc
import Model
import TestSupport
import Testing

@testable import Runtime

@Suite struct `A log line` {
    private func line(_ message: String, _ fields: LogFields = [:]) -> String {
        let bytes = Log.line(
            time: Timestamp(milliseconds: 1_700_000_000_123), level: .info, service: "timer",
            message: message, fields: fields)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `is logfmt with its fields in order`() {
        #expect(
            line("ready", ["port": 8104, "home": "./var"])
                == "time=2023-11-14T22:13:20.123Z level=info service=timer msg=ready port=8104 "
                + "home=./var\n")
    }

    @Test(arguments: [
        ("two words", "\"two words\""), ("", "\"\""), ("a=b", "\"a=b\""),
        ("say \"no\"", "\"say \\\"no\\\"\""), ("one\ntwo\r\u{1B}", "\"one\\ntwo\\r\\u001b\""),
        ("grün", "grün"), ("back\\slash", "\"back\\\\slash\""),
    ])
    func `quotes values that are not plain words`(value: String, shown: String) {
        #expect(line("x", ["k": value]).hasSuffix(" k=\(shown)\n"))
    }

    @Test func `never exceeds an atomic pipe write, and stays text`() {
        for extra in 0..<8 {
            let text = line(
                String(repeating: "ü", count: 3000) + String(repeating: "a", count: extra))
            #expect(text.utf8.count <= Log.lineBytesMax)
            #expect(text.hasSuffix("...\n"))
            #expect(!text.contains("\u{FFFD}"))
        }
    }

    @Test func `is written at or above the level, with an error's hint`() throws {
        let folder = try TemporaryFolder()
        let descriptor = open(folder.file("log"), O_WRONLY | O_CREAT, 0o600)
        let log = Log(service: "timer", level: .warning, descriptor: descriptor)
        log.debug("no")
        log.info("no")
        log.warning("slow")
        log.error(SystemError(ENOSPC, "write x"), ["turn": 3])
        close(descriptor)
        let lines = String(decoding: try Files.read(folder.file("log")), as: UTF8.self)
            .split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].contains("level=warning service=timer msg=slow"))
        #expect(lines[1].contains("code=disk-full turn=3 hint=\"Free space"))
    }

    @Test func `that was dropped is reported by its own log only`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        // Missing lines are detected without waiting.
        try #require(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
        func read() -> [Substring] {
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            let count = Glibc.read(ends[0], &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
                .split(separator: "\n")
        }
        let log = Log(service: "timer", descriptor: ends[1])
        for _ in 0..<1000 { log.info(String(repeating: "a", count: 1000)) }
        let written = read().count
        #expect(written > 0 && written < 1000)
        Log(service: "ingest", descriptor: ends[1]).info("whole")
        log.info("after")
        let lines = read()
        try #require(lines.count == 3)
        #expect(lines[0].hasSuffix("service=ingest msg=whole"))
        #expect(lines[1].hasSuffix(" lines=\(1000 - written)"))
        #expect(lines[2].hasSuffix("service=timer msg=after"))
        for _ in 0..<1000 { log.info(String(repeating: "a", count: 1000)) }
        let last = read().count
        log.flush(within: .zero)
        let notice = read()
        #expect(notice.count == 1 && notice[0].hasSuffix(" lines=\(1000 - last)"))
    }
}
