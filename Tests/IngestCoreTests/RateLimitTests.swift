import Model
import TestSupport
import Testing
import Timing

@testable import IngestCore

@Suite struct `The admission of requests` {
    private let start = Timestamp("2026-11-20T10:20:00.000Z")!
    private let limits = IngestLimits(
        callsOfDevicePerSecond: 2, callsOfAddressPerSecond: 10, failuresOfAddressPerMinute: 3)

    private func caller(_ number: UInt64) -> ID128 { ID128(high: 2, low: number) }

    @Test func `admits a minute's requests at once, then one at a time`() {
        var limiter = IngestLimiter(limits)
        for _ in 1...120 { #expect(limiter.admit(caller(1), from: "127.0.0.1", at: start) == nil) }
        let wait = limiter.admit(caller(1), from: "127.0.0.1", at: start)
        #expect(wait == IngestLimiter.Wait(limit: .device, seconds: 1))
        #expect(limiter.admit(caller(2), from: "127.0.0.1", at: start) == nil)
        let later = start + .milliseconds(500)
        #expect(limiter.admit(caller(1), from: "127.0.0.1", at: later) == nil)
        #expect(limiter.admit(caller(1), from: "127.0.0.1", at: later) != nil)
        let full = start + .seconds(200)
        for _ in 1...120 { #expect(limiter.admit(caller(1), from: "127.0.0.1", at: full) == nil) }
        #expect(limiter.admit(caller(1), from: "127.0.0.1", at: full) != nil)
    }

    @Test func `counts many reports as more requests, and never blocks a large batch`() {
        var limiter = IngestLimiter(limits)
        for _ in 1...10 {
            #expect(limiter.admit(caller(1), from: "127.0.0.1", reports: 220, at: start) == nil)
        }
        #expect(limiter.admit(caller(1), from: "127.0.0.1", at: start)?.limit == .device)
        // 2,000 reports and more than a bucket holds: as soon as it is full.
        #expect(limiter.admit(caller(2), from: "127.0.0.1", reports: 100_000, at: start) == nil)
        let wait = limiter.admit(caller(2), from: "127.0.0.1", reports: 100_000, at: start)
        #expect(wait?.seconds == 60)
    }

    @Test func `counts large bodies as more requests`() {
        var limiter = IngestLimiter(limits)
        for _ in 1...12 {
            #expect(
                limiter.admit(caller(1), from: "127.0.0.1", bytes: 9 * 65_536, at: start) == nil)
        }
        #expect(limiter.admit(caller(1), from: "127.0.0.1", at: start)?.limit == .device)
        for _ in 1...120 {
            #expect(limiter.admit(caller(2), from: "127.0.0.1", bytes: 65_535, at: start) == nil)
        }
    }

    @Test func `counts an address over all its devices, but not the local host`() {
        var limiter = IngestLimiter(limits)
        for number in 1...100 as ClosedRange<UInt64> {
            #expect(limiter.admit(caller(number), from: "192.0.2.1", at: start) == nil)
        }
        #expect(limiter.admit(caller(101), from: "192.0.2.1", at: start)?.limit == .address)
        #expect(limiter.admit(caller(102), from: "192.0.2.2", at: start) == nil)
        for number in 200...400 as ClosedRange<UInt64> {
            #expect(limiter.admit(caller(number), from: "127.0.0.1", at: start) == nil)
        }
        for _ in 1...1000 { #expect(limiter.admit(nil, from: "192.0.2.1", at: start) == nil) }
    }

    @Test(
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("127.0.0.53", nil), ("::1", nil),
            ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("2001:db8:1:2::9", "2001:db8:1:2::"), ("2001:db8::9", "2001:db8::"),
        ] as [(String, String?)])
    func `counts an IPv6 network as one address`(address: String, key: String?) {
        #expect(RequestLimiter.key(of: address) == key)
    }

    @Test func `delays addresses with too many failures`() {
        var limiter = IngestLimiter(limits)
        for _ in 1...3 { #expect(limiter.recordFailure(from: "192.0.2.1", at: start) == nil) }
        #expect(
            limiter.recordFailure(from: "192.0.2.1", at: start)
                == IngestLimiter.Wait(limit: .failures, seconds: 20))
        #expect(limiter.recordFailure(from: "192.0.2.2", at: start) == nil)
        #expect(limiter.recordFailure(from: "192.0.2.1", at: start + .seconds(20)) == nil)
        // Who has the right ones is not held up by others of that address.
        #expect(limiter.admit(caller(1), from: "192.0.2.1", at: start) == nil)
    }

    @Test func `admits everything without limits`() {
        var limiter = IngestLimiter(.none)
        for _ in 1...10_000 {
            #expect(limiter.admit(caller(1), from: "192.0.2.1", reports: 2000, at: start) == nil)
            #expect(limiter.recordFailure(from: "192.0.2.1", at: start) == nil)
        }
    }

    @Test func `admits all calls with a replaced secret if nothing is limited`() {
        var limiter = IngestLimiter(.none)
        limiter.recordReplaced("former", of: DeviceID(caller(1)), at: start)
        for _ in 1...1000 {
            #expect(
                limiter.admitCallByReplaced("former", from: "192.0.2.1", opens: false, at: start)
                    == nil)
        }
    }

    @Test func `lets a replaced secret open one emergency per hour`() {
        var limiter = IngestLimiter(.none)
        limiter.recordReplaced("former", of: DeviceID(caller(1)), at: start)
        func call(_ opens: Bool, after seconds: Int64) -> IngestLimiter.Wait? {
            limiter.admitCallByReplaced(
                "former", from: "192.0.2.1", opens: opens, at: start + .seconds(seconds))
        }
        #expect(call(true, after: 0) == nil)
        #expect(call(true, after: 1) == nil, "the first was not committed")
        limiter.recordOpened(byReplaced: "former", at: start + .seconds(1))
        #expect(call(false, after: 2) == nil, "it joins")
        #expect(call(true, after: 2) == IngestLimiter.Wait(limit: .failures, seconds: 3599))
        #expect(call(true, after: 3600)?.seconds == 1)
        #expect(call(true, after: 3601) == nil)
    }

    @Test func `remembers a replaced secret for an hour`() {
        let device = DeviceID(caller(1))
        var limiter = IngestLimiter(.none)
        limiter.recordReplaced("former", of: device, at: start)
        #expect(limiter.deviceOfReplaced("former", at: start + .seconds(3599)) == device)
        #expect(limiter.deviceOfReplaced("former", at: start + .seconds(3600)) == nil)
        #expect(limiter.deviceOfReplaced("another", at: start) == nil)
    }
}

@Suite struct `A rate limiter` {
    private let start = Timestamp("2026-11-20T10:20:00.000Z")!

    @Test func `keeps recent callers only, up to a maximum`() {
        var limiter = RateLimiter<Int>(perMinute: 60, burst: 10, keysMax: 100)
        for key in 1...100 { #expect(limiter.consume(of: key, at: start) == nil) }
        // Further keys share one bucket; those that are known keep theirs.
        for key in 101...110 { #expect(limiter.consume(of: key, at: start) == nil) }
        #expect(limiter.consume(of: 111, at: start) == .seconds(1))
        #expect(limiter.consume(of: 1, at: start) == nil)
        #expect(limiter.count == 100)
        for step in 1...3 as ClosedRange<Int64> {
            #expect(limiter.consume(of: 1, at: start + .seconds(step * 10)) == nil)
        }
        #expect(limiter.count <= 2)
    }

    @Test func `blocks nobody when the clock is set back`() {
        var limiter = RateLimiter<Int>(perMinute: 60, burst: 2, keysMax: 10)
        for _ in 1...2 { #expect(limiter.consume(of: 1, at: start) == nil) }
        #expect(limiter.consume(of: 1, at: start - .seconds(3600)) == nil)
    }

    /// As slow and plain as can be: tokens as a number that grows with time.
    @Test func `is a token bucket`() {
        var generator = SeededGenerator(seed: 7)
        var limiter = RateLimiter<Int>(perMinute: 60, burst: 5, keysMax: 10)
        var tokens: Int64 = 5_000_000
        var now = start
        for _ in 1...20_000 {
            let pause = Int64(generator.next() % 2_500_000)
            now = now + .microseconds(pause)
            tokens = min(5_000_000, tokens + pause)
            let cost = Int64(1 + generator.next() % 3)
            let isTaken = tokens >= cost * 1_000_000
            #expect((limiter.consume(cost, of: 1, at: now) == nil) == isTaken)
            if isTaken { tokens -= cost * 1_000_000 }
        }
    }
}
