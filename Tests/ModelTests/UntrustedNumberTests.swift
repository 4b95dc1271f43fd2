import Model
import Testing

@Suite struct `An untrusted number` {
    static let extremes: [Int64] = [
        .min, .min + 1, -9_223_372_036_855, -(1 << 53) - 1, -1, 0, 1, 1 << 53, 1 << 62, .max - 1,
        .max,
    ]

    @Test(arguments: extremes) func `never overflows as a time`(_ at: Int64) {
        let time = Timestamp(microseconds: at)
        for other in `An untrusted number`.extremes {
            let second = Timestamp(microseconds: other)
            let span = time - second
            _ = (time + span, time - span, second + span, time + .seconds(other))
            _ = Timestamp(seconds: other).description + Timestamp(milliseconds: other).description
            #expect((time < second) == (span < .zero))
            #expect(span.microseconds == (time - second).milliseconds * 1000 || span != .zero)
        }
        #expect(!time.description.isEmpty)
        #expect(time + .seconds(Int64.max) == Timestamp(microseconds: .max) || at < 0)
        #expect(Duration.seconds(Int64.max).microseconds == .max)
        #expect(Duration.seconds(Int64.min).microseconds == .min)
    }

    @Test func `is parsed within its range only`() {
        let all = -UntrustedNumber.most...UntrustedNumber.most
        #expect(UntrustedNumber.integer("9007199254740992", in: all) == 1 << 53)
        for text in [
            "9007199254740993", "9223372036854775807", "-9223372036854775808", "", "1e3",
            "0x10", " 1", "1 ", "18446744073709551616", "٣", "nan",
        ] {
            #expect(UntrustedNumber.integer(text, in: all) == nil, "\(text)")
        }
        #expect(UntrustedNumber.integer("+7", in: 0...9) == 7)
        #expect(UntrustedNumber.integer("10", in: 0...9) == nil)
        #expect(UntrustedNumber.bits(hexadecimal: "ffff", UInt16.self) == 65_535)
        #expect(UntrustedNumber.bits(hexadecimal: "10000", UInt16.self) == nil)
    }

    @Test func `is rounded to the nearest integer of the type`() {
        #expect(Int32(nearest: 1e308) == .max)
        #expect(Int32(nearest: -.infinity) == .min)
        #expect(UInt8(nearest: -0.6) == 0)
        #expect(UInt8(nearest: 255.4) == 255)
        #expect(Int64(nearest: 1e300) == 1 << 53)
        #expect(Int(nearest: -1e300) == -(1 << 53))
        #expect(Int(nearest: .nan) == 0)
        #expect(Int32(nearest: 2.5) == 3)
        #expect(Int32(nearest: 2.1, .up) == 3)
        #expect(Int32(nearest: -2.9, .towardZero) == -2)
    }
}
