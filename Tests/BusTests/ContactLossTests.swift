import Model
import Testing
import Wire

@testable import Bus

@Suite(.closingWorlds) struct `Contact loss of a publisher` {
    /// Steps of a link at each 10 ms after the last frame, as (milliseconds, step).
    private func steps(upTo milliseconds: Int) -> [(at: Int, step: PeerLink.Step)] {
        var link = PeerLink(name: "writer", now: .zero)
        _ = link.recordFrame(.zero)
        return stride(from: 0, through: milliseconds, by: 10).compactMap { time in
            let step = link.step(.milliseconds(time))
            return step == .nothing ? nil : (time, step)
        }
    }

    @Test func `requests heads after 750 ms and reconnects after 1.5 s, repeatedly`() {
        let found = steps(upTo: 6000)
        #expect(found.map(\.at) == [750, 1500, 2250, 3000, 3750, 4500, 5250, 6000])
        #expect(found.filter { $0.step == .reconnect }.map(\.at) == [1500, 3000, 4500, 6000])
    }

    @Test func `is a health problem after 10 s, until a frame is received`() {
        var link = PeerLink(name: "writer", now: .zero)
        #expect(!link.isUnhealthy(.milliseconds(9999)))
        #expect(link.isUnhealthy(.seconds(10)))
        _ = link.recordFrame(.seconds(11))
        #expect(!link.isUnhealthy(.seconds(12)))
    }

    @Test func `in a network that drops everything is repaired within the stated times`() throws {
        let world = try World(.memory)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        try world.run(until: { consumer.bus?.isCaughtUp == true })
        var isCut = true
        writer.fate = { isCut ? [] : [$1] }
        var questions: [Duration] = []
        let start = world.now.monotonic
        consumer.fate = { kind, frame in
            if kind == .request, frame == Control.headsRequest.encoded() {
                questions.append(world.now.monotonic - start)
            }
            return [frame]
        }
        try writer.append(100, to: .sos)
        try world.run(until: { world.now.monotonic - start >= .seconds(5) })
        // The last heads were sent up to 250 ms before the cut.
        let first = try #require(questions.first)
        #expect(first >= .milliseconds(500))
        #expect(first <= .milliseconds(750))
        #expect(consumer.bus?.counters.reconnects == 3)
        #expect(consumer.bus?.healthProblems == [])
        try world.run(until: { world.now.monotonic - start >= .seconds(10) })
        #expect(consumer.bus?.healthProblems == ["no contact with writer"])
        isCut = false
        let healed = world.now.monotonic
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        #expect(world.now.monotonic - healed < .seconds(5))
        #expect(consumer.bus?.healthProblems == [])
    }

    @Test(arguments: Carrier.allCases)
    func `does not make a publisher forget its consumers' positions`(carrier: Carrier) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        var isConnected = false
        consumer.fate = { kind, frame in
            // Verb 4 is ACK.
            kind == .request && frame.count > 10 && frame[10] == 4 && !isConnected ? [] : [frame]
        }
        try writer.append(3, to: .sos)
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        try world.run(for: .milliseconds(600))
        #expect(writer.bus?.acknowledged(.sos, by: "consumer") == 0)
        isConnected = true
        guard carrier == .memory else { return }
        try world.run(for: BusLimits.acknowledgeAllInterval)
        try world.run(until: { writer.bus?.acknowledged(.sos, by: "consumer") == 3 })
    }

    @Test func `is not mistaken for clock skew, which is detected`() throws {
        var skew = ClockSkew()
        // Frames that waited while this process was stopped look old, all at once.
        for age in 0..<60 {
            let detected = skew.update(.seconds(-age), now: .seconds(100))
            #expect(!detected)
        }
        #expect(skew.seconds == nil)
        // Frames of a wrong clock look old for a long time.
        var detected: [Int] = []
        for tick in 0...80 {
            let now = Duration.seconds(200) + .milliseconds(250 * tick)
            if skew.update(.seconds(7), now: now) { detected.append(tick) }
        }
        #expect(detected == [20])
        #expect(skew.seconds == 7)
        _ = skew.update(.seconds(1), now: .seconds(300))
        #expect(skew.seconds == nil)
    }

    @Test func `is not required to detect a peer's clock skew`() throws {
        let world = try World(.memory)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        // Heads contain their send time: microseconds in eight bytes after the header.
        writer.fate = { kind, frame in
            guard kind == .publication, Array(frame.prefix(8)) == Heads.topic else {
                return [frame]
            }
            guard case .heads(var heads)? = try? Frame(frame) else { return [frame] }
            heads.published = heads.published - .seconds(30)
            return [heads.encoded()]
        }
        try world.run(until: { consumer.bus?.warnings.isEmpty == false })
        #expect(consumer.bus?.warnings == ["the clock of writer is 30 s behind ours"])
        #expect(consumer.notices.contains(.skewed(peer: "writer", seconds: -30)))
        writer.fate = { [$1] }
        try world.run(until: { consumer.bus?.warnings.isEmpty == true })
    }
}
