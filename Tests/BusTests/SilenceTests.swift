import Model
import Testing
import Wire

@testable import Bus

@Suite(.closingWorlds) struct `Silence of a writer` {
    /// What a link asks for at each 10 ms after it was last heard, as (milliseconds, step).
    private func steps(upTo milliseconds: Int) -> [(at: Int, step: PeerLink.Step)] {
        var link = PeerLink(name: "writer", now: .zero)
        _ = link.hear(.zero)
        return stride(from: 0, through: milliseconds, by: 10).compactMap { time in
            let step = link.step(.milliseconds(time))
            return step == .nothing ? nil : (time, step)
        }
    }

    @Test func `is asked about after 750 ms and ends connections after 1.5 s, again and again`() {
        let found = steps(upTo: 6000)
        #expect(found.map(\.at) == [750, 1500, 2250, 3000, 3750, 4500, 5250, 6000])
        #expect(found.filter { $0.step == .reconnect }.map(\.at) == [1500, 3000, 4500, 6000])
    }

    @Test func `is a trouble after 10 s, and none once it is heard`() {
        var link = PeerLink(name: "writer", now: .zero)
        #expect(!link.isUnhealthy(.milliseconds(9999)))
        #expect(link.isUnhealthy(.seconds(10)))
        _ = link.hear(.seconds(11))
        #expect(!link.isUnhealthy(.seconds(12)))
    }

    @Test func `of a network that swallows everything is mended as the rules say`() throws {
        let world = try World(.memory)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        try world.run(until: { consumer.bus?.isCaughtUp == true })
        var isCut = true
        writer.fate = { isCut ? [] : [$1] }
        var questions: [Duration] = []
        let start = world.now.monotonic
        consumer.fate = { way, frame in
            if way == .question, frame == Control.headsWanted.encoded() {
                questions.append(world.now.monotonic - start)
            }
            return [frame]
        }
        try writer.append(100, to: .sos)
        try world.run(until: { world.now.monotonic - start >= .seconds(5) })
        // The last heads came up to 250 ms before the cut.
        let first = try #require(questions.first)
        #expect(first >= .milliseconds(500))
        #expect(first <= .milliseconds(750))
        #expect(consumer.bus?.counters.reconnects == 3)
        #expect(consumer.bus?.troubles == [])
        try world.run(until: { world.now.monotonic - start >= .seconds(10) })
        #expect(consumer.bus?.troubles == ["nothing is heard of writer"])
        isCut = false
        let healed = world.now.monotonic
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        #expect(world.now.monotonic - healed < .seconds(5))
        #expect(consumer.bus?.troubles == [])
    }

    @Test(arguments: Carrier.allCases)
    func `does not make a writer forget how far its readers are`(carrier: Carrier) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        var isHeard = false
        consumer.fate = { way, frame in
            // Verb 4 is ACK.
            way == .question && frame.count > 10 && frame[10] == 4 && !isHeard ? [] : [frame]
        }
        try writer.append(3, to: .sos)
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        try world.run(for: .milliseconds(600))
        #expect(writer.bus?.acknowledged(.sos, by: "consumer") == 0)
        isHeard = true
        guard carrier == .memory else { return }
        try world.run(for: BusLimits.acknowledgeAgain)
        try world.run(until: { writer.bus?.acknowledged(.sos, by: "consumer") == 3 })
    }

    @Test func `is no reason to doubt a clock, and a clock that is wrong is one`() throws {
        var skew = Skew()
        // Frames that waited while we were stopped look old, all at once.
        for age in 0..<60 {
            let told = skew.note(.seconds(-age), now: .seconds(100))
            #expect(!told)
        }
        #expect(skew.seconds == nil)
        // Those of a clock that is wrong look so for long.
        var told: [Int] = []
        for tick in 0...80 {
            let now = Duration.seconds(200) + .milliseconds(250 * tick)
            if skew.note(.seconds(7), now: now) { told.append(tick) }
        }
        #expect(told == [20])
        #expect(skew.seconds == 7)
        _ = skew.note(.seconds(1), now: .seconds(300))
        #expect(skew.seconds == nil)
    }

    @Test func `is not needed for a peer's wrong clock to be a trouble`() throws {
        let world = try World(.memory)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        // Heads say when they were sent: microseconds in eight bytes behind the head.
        writer.fate = { way, frame in
            guard way == .publication, Array(frame.prefix(8)) == Heads.topic else {
                return [frame]
            }
            guard case .heads(var heads)? = try? Frame(frame) else { return [frame] }
            heads.published = heads.published - .seconds(30)
            return [heads.encoded()]
        }
        try world.run(until: { consumer.bus?.alarms.isEmpty == false })
        #expect(consumer.bus?.alarms == ["the clock of writer is 30 s behind ours"])
        #expect(consumer.notices.contains(.skewed(peer: "writer", seconds: -30)))
        writer.fate = { [$1] }
        try world.run(until: { consumer.bus?.alarms.isEmpty == true })
    }
}
