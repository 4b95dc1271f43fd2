import Model
import TestSupport
import Testing
import Timing

@testable import IngestCore

@Suite struct `The gate` {
    private let start = Timestamp("2026-11-20T10:20:00.000Z")!
    private let limits = GateLimits(
        callsOfDevicePerSecond: 2, callsOfAddressPerSecond: 10, failuresOfAddressPerMinute: 3)

    private func caller(_ number: UInt64) -> ID128 { ID128(high: 2, low: number) }

    @Test func `lets a minute's calls through at once, then one at a time`() {
        var gate = Gate(limits)
        for _ in 1...120 { #expect(gate.pass(caller(1), from: "127.0.0.1", at: start) == nil) }
        let wait = gate.pass(caller(1), from: "127.0.0.1", at: start)
        #expect(wait == Gate.Wait(limit: .device, seconds: 1))
        #expect(gate.pass(caller(2), from: "127.0.0.1", at: start) == nil)
        let later = start + .milliseconds(500)
        #expect(gate.pass(caller(1), from: "127.0.0.1", at: later) == nil)
        #expect(gate.pass(caller(1), from: "127.0.0.1", at: later) != nil)
        let full = start + .seconds(200)
        for _ in 1...120 { #expect(gate.pass(caller(1), from: "127.0.0.1", at: full) == nil) }
        #expect(gate.pass(caller(1), from: "127.0.0.1", at: full) != nil)
    }

    @Test func `counts many reports as more calls, and never shuts out a large batch`() {
        var gate = Gate(limits)
        for _ in 1...10 {
            #expect(gate.pass(caller(1), from: "127.0.0.1", reports: 220, at: start) == nil)
        }
        #expect(gate.pass(caller(1), from: "127.0.0.1", at: start)?.limit == .device)
        // 2,000 reports and more than a bucket holds: as soon as it is full.
        #expect(gate.pass(caller(2), from: "127.0.0.1", reports: 100_000, at: start) == nil)
        let wait = gate.pass(caller(2), from: "127.0.0.1", reports: 100_000, at: start)
        #expect(wait?.seconds == 60)
    }

    @Test func `counts large bodies as more calls`() {
        var gate = Gate(limits)
        for _ in 1...12 {
            #expect(gate.pass(caller(1), from: "127.0.0.1", bytes: 9 * 65_536, at: start) == nil)
        }
        #expect(gate.pass(caller(1), from: "127.0.0.1", at: start)?.limit == .device)
        for _ in 1...120 {
            #expect(gate.pass(caller(2), from: "127.0.0.1", bytes: 65_535, at: start) == nil)
        }
    }

    @Test func `counts an address over all its devices, but not this machine`() {
        var gate = Gate(limits)
        for number in 1...100 as ClosedRange<UInt64> {
            #expect(gate.pass(caller(number), from: "192.0.2.1", at: start) == nil)
        }
        #expect(gate.pass(caller(101), from: "192.0.2.1", at: start)?.limit == .address)
        #expect(gate.pass(caller(102), from: "192.0.2.2", at: start) == nil)
        for number in 200...400 as ClosedRange<UInt64> {
            #expect(gate.pass(caller(number), from: "127.0.0.1", at: start) == nil)
        }
        for _ in 1...1000 { #expect(gate.pass(nil, from: "192.0.2.1", at: start) == nil) }
    }

    @Test(
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("127.0.0.53", nil), ("::1", nil),
            ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("2001:db8:1:2::9", "2001:db8:1:2::"), ("2001:db8::9", "2001:db8::"),
        ] as [(String, String?)])
    func `takes a network for an address`(address: String, key: String?) {
        #expect(RequestLimiter.key(of: address) == key)
    }

    @Test func `has those wait who fail too often`() {
        var gate = Gate(limits)
        for _ in 1...3 { #expect(gate.fail(from: "192.0.2.1", at: start) == nil) }
        #expect(
            gate.fail(from: "192.0.2.1", at: start) == Gate.Wait(limit: .failures, seconds: 20))
        #expect(gate.fail(from: "192.0.2.2", at: start) == nil)
        #expect(gate.fail(from: "192.0.2.1", at: start + .seconds(20)) == nil)
        // Who has the right ones is not held up by others of that address.
        #expect(gate.pass(caller(1), from: "192.0.2.1", at: start) == nil)
    }

    @Test func `lets everything through without limits`() {
        var gate = Gate(.none)
        for _ in 1...10_000 {
            #expect(gate.pass(caller(1), from: "192.0.2.1", reports: 2000, at: start) == nil)
            #expect(gate.fail(from: "192.0.2.1", at: start) == nil)
        }
    }

    @Test func `hears calls by a replaced secret for ever where nothing is limited`() {
        var gate = Gate(.none)
        gate.replace("former", of: DeviceID(caller(1)), at: start)
        for _ in 1...1000 {
            #expect(
                gate.callByReplaced("former", from: "192.0.2.1", opens: false, at: start) == nil)
        }
    }

    @Test func `lets a replaced secret open one emergency an hour`() {
        var gate = Gate(.none)
        gate.replace("former", of: DeviceID(caller(1)), at: start)
        func call(_ opens: Bool, after seconds: Int64) -> Gate.Wait? {
            gate.callByReplaced(
                "former", from: "192.0.2.1", opens: opens, at: start + .seconds(seconds))
        }
        #expect(call(true, after: 0) == nil)
        #expect(call(true, after: 1) == nil, "the first was not committed")
        gate.opened(byReplaced: "former", at: start + .seconds(1))
        #expect(call(false, after: 2) == nil, "it joins")
        #expect(call(true, after: 2) == Gate.Wait(limit: .failures, seconds: 3599))
        #expect(call(true, after: 3600)?.seconds == 1)
        #expect(call(true, after: 3601) == nil)
    }

    @Test func `remembers a replaced secret for an hour`() {
        let device = DeviceID(caller(1))
        var gate = Gate(.none)
        gate.replace("former", of: device, at: start)
        #expect(gate.deviceOfReplaced("former", at: start + .seconds(3599)) == device)
        #expect(gate.deviceOfReplaced("former", at: start + .seconds(3600)) == nil)
        #expect(gate.deviceOfReplaced("another", at: start) == nil)
    }
}

@Suite struct `A limiter of rates` {
    private let start = Timestamp("2026-11-20T10:20:00.000Z")!

    @Test func `holds only who called of late, and no more than it may`() {
        var limiter = RateLimiter<Int>(perMinute: 60, burst: 10, keysMax: 100)
        for key in 1...100 { #expect(limiter.take(of: key, at: start) == nil) }
        // Further keys share one bucket; those that are known keep theirs.
        for key in 101...110 { #expect(limiter.take(of: key, at: start) == nil) }
        #expect(limiter.take(of: 111, at: start) == .seconds(1))
        #expect(limiter.take(of: 1, at: start) == nil)
        #expect(limiter.count == 100)
        for step in 1...3 as ClosedRange<Int64> {
            #expect(limiter.take(of: 1, at: start + .seconds(step * 10)) == nil)
        }
        #expect(limiter.count <= 2)
    }

    @Test func `does not shut anybody out when the clock is put back`() {
        var limiter = RateLimiter<Int>(perMinute: 60, burst: 2, keysMax: 10)
        for _ in 1...2 { #expect(limiter.take(of: 1, at: start) == nil) }
        #expect(limiter.take(of: 1, at: start - .seconds(3600)) == nil)
    }

    /// As slow and plain as can be: tokens as a number that grows with time.
    @Test func `is a bucket of tokens`() {
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
            #expect((limiter.take(cost, of: 1, at: now) == nil) == isTaken)
            if isTaken { tokens -= cost * 1_000_000 }
        }
    }
}
