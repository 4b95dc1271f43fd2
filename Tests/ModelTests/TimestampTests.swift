import Foundation
import Model
import TestSupport
import Testing

@Suite struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_795_170_000_123, "2026-11-20T10:20:00.123Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (-2_208_988_800_000, "1900-01-01T00:00:00.000Z"),
    ])
    func `is written as RFC 3339 with milliseconds`(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
        #expect(Timestamp(text) == Timestamp(milliseconds: milliseconds))
    }

    @Test func `keeps microseconds if there are any`() {
        let time = Timestamp(microseconds: 1_000_001)
        #expect(time.description == "1970-01-01T00:00:01.000001Z")
        #expect(Timestamp(time.description) == time)
    }

    @Test(arguments: [
        ("2026-11-20T18:20:00+08:00", "2026-11-20T10:20:00.000Z"),
        ("2026-11-20T03:20:00-0700", "2026-11-20T10:20:00.000Z"),
        ("2026-11-20 10:20:00Z", "2026-11-20T10:20:00.000Z"),
        ("2026-11-20t10:20:00.5z", "2026-11-20T10:20:00.500Z"),
        ("2026-11-20T10:20:00.1234567Z", "2026-11-20T10:20:00.123456Z"),
    ])
    func `parses the forms that clients send`(text: String, canonical: String) {
        #expect(Timestamp(text)?.description == canonical)
    }

    @Test(arguments: [
        "", "now", "2026-11-20", "2026-11-20T10:20:00", "2026-13-20T10:20:00Z",
        "2026-02-29T10:20:00Z", "2026-11-20T24:00:00Z", "2026-11-20T10:60:00Z",
        "2026-11-20T10:20:00.Z", "2026-11-20T10:20:00Zx", "+026-11-20T10:20:00Z",
    ])
    func `rejects anything else`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func `agrees with Foundation on 10,000 times of 600 years`() {
        var generator = SeededGenerator(seed: 7)
        let formatter = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for _ in 0..<10_000 {
            let milliseconds = Int64.random(
                in: -6_000_000_000_000...12_000_000_000_000, using: &generator)
            let date = Date(timeIntervalSince1970: Double(milliseconds / 1000))
            let time = Timestamp(milliseconds: milliseconds / 1000 * 1000)
            #expect(time.description == date.formatted(formatter))
            #expect(Timestamp(time.description) == time)
        }
    }
}
