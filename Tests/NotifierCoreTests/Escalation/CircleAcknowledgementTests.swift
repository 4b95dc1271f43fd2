import Directory
import Model
import Testing

@testable import NotifierCore

/// Acknowledgements for a person in two circles: the family, guarded by Budi, and the team, guarded
/// by Eko.
struct CircleAcknowledgementTests {
    private func acknowledgements(_ world: World) -> [PersonID?] {
        world.published.compactMap {
            if case .acknowledgementCommitted(let answer) = $0 { answer.by } else { nil }
        }
    }

    @Test func `an acknowledgement in one circle is shown in the other, which still escalates`() {
        var world = World.inTwoCircles(hasReplies: true)
        world.acknowledge(1, by: Town.budi)
        #expect(world.emergency?.state == .acknowledged)
        let shown = world.texts(to: Town.eko)
        #expect(shown.contains { $0.contains("Budi of another circle is responding") })
        #expect(world.texts(to: Town.aisha).contains { $0.contains("Budi") })
        world.clear()
        world.pass(.seconds(125))
        #expect(world.texts(to: Town.eko).contains { $0.contains("SOS Aisha") })
        #expect(world.texts(to: Town.citra).isEmpty, "the family has a responder")
        #expect(!world.texts(to: Town.aisha).contains { $0.contains("Nobody reached") })
    }

    @Test func `repeated confirmations count only for the responder's own circle`() {
        var world = World.inTwoCircles(hasReplies: true)
        world.acknowledge(1, by: Town.budi)
        for round in 0..<4 as Range<UInt64> {
            world.clear()
            world.pass(.seconds(600))
            #expect(world.texts(to: Town.eko).contains { $0.contains("SOS Aisha") })
            #expect(world.texts(to: Town.citra).isEmpty)
            world.acknowledge(10 + round, by: Town.budi)
        }
        #expect(acknowledgements(world).isEmpty, "a confirmation is no other acknowledgement")
    }

    @Test func `each circle has its own responder`() {
        var world = World.inTwoCircles(hasReplies: true)
        world.acknowledge(1, by: Town.budi)
        world.clear()
        world.acknowledge(2, by: Town.eko)
        #expect(world.emergency?.acknowledgements.map(\.by) == [Town.budi.id, Town.eko.id])
        #expect(acknowledgements(world).isEmpty, "to other services it is acknowledged already")
        guard case .status(let status)? = world.answers[2] else {
            Issue.record("it is answered")
            return
        }
        #expect(status.isYours && status.by == Town.eko.id)
        world.acknowledge(3, by: Town.citra)
        guard case .status(let first)? = world.answers[3] else {
            Issue.record("it is answered")
            return
        }
        #expect(first.by == Town.budi.id && !first.isYours, "the first of a circle wins")
        world.clear()
        world.pass(.seconds(800))
        #expect(world.sent.isEmpty, "both circles have a responder")
    }

    @Test(arguments: [false, true])
    func `a responder who does not answer resumes their own circle only`(restarts: Bool) {
        var world = World.inTwoCircles(hasReplies: true)
        world.acknowledge(1, by: Town.budi)
        world.pass(.seconds(60))
        world.acknowledge(2, by: Town.eko)
        if restarts { world.restart() }
        world.clear()
        world.pass(.seconds(15 * 60 - 30))
        #expect(world.texts(to: Town.budi).contains { $0.contains("Are you still helping") })
        #expect(world.texts(to: Town.eko).isEmpty)
        world.pass(.seconds(60))
        world.acknowledge(3, by: Town.eko)
        world.clear()
        world.pass(.seconds(62))
        #expect(world.texts(to: Town.budi).contains { $0.contains("SOS Aisha") })
        #expect(!world.texts(to: Town.eko).contains { $0.contains("SOS Aisha") })
        #expect(world.emergency?.state == .acknowledged)
        #expect(world.emergency?.firstAcknowledgement?.by == Town.eko.id)
        world.acknowledge(4, by: Town.citra)
        world.clear()
        world.pass(.seconds(300))
        #expect(world.sent.isEmpty)
    }

    @Test func `a further call notifies all circles, also those with a responder`() {
        var world = World.inTwoCircles(hasReplies: true)
        world.acknowledge(1, by: Town.budi)
        world.acknowledge(2, by: Town.eko)
        world.clear()
        world.receive(.emergencyJoined(Town.change(1, .open, signal: 2)))
        #expect(world.emergency?.state == .open)
        #expect(world.texts(to: Town.budi).contains { $0.contains("PRESSED AGAIN") })
        #expect(world.texts(to: Town.eko).contains { $0.contains("PRESSED AGAIN") })
        world.clear()
        world.pass(.seconds(20 * 60))
        #expect(!world.sent.contains { $0.text.contains("Are you still helping") })
    }

    @Test func `the operator's acknowledgement stops all circles`() {
        var world = World.inTwoCircles(hasReplies: true)
        world.handle(.acknowledge(Town.command(1, by: .operator)))
        world.clear()
        world.pass(.seconds(800))
        #expect(world.sent.isEmpty)
    }
}
