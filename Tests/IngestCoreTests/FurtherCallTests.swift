import Dialects
import Directory
import Hashing
import Model
import Testing

@testable import IngestCore

/// The flood that was found in a test of the running suite: one device, alternating triggers.
@Suite struct `Further calls for help` {
    private let anna = Principal.device(device(1), of: person(1))
    private let triggers: [EmergencyTrigger] = [.panic, .shake, .fall, .crash, .noMotion]

    private func view(_ answer: Answer?) throws -> EmergencyView {
        guard case .emergency(let view) = try #require(answer) else { throw WrongAnswer() }
        return view
    }

    private struct WrongAnswer: Error {}

    /// Calls so many times within ten seconds, each with an id of its own.
    @discardableResult
    private func flood(_ bench: inout Bench, _ count: Int, named name: String = "f") throws
        -> [EmergencyView]
    {
        try (0..<count).map { number in
            if number % max(1, count / 10) == 0 { bench.wait(1) }
            let call = EmergencyCall(
                trigger: triggers[number % triggers.count], messageID: "\(name)\(number)")
            return try view(bench.call(call, as: anna))
        }
    }

    private func answer(_ emergency: EmergencyID, at time: Timestamp) -> EmergencyAnswer {
        EmergencyAnswer(emergency: emergency, person: person(1), by: person(2), at: time)
    }

    private func event(_ body: EventBody, _ number: UInt64 = 1) -> Event {
        Event(id: EventID(ID128(high: 97, low: number)), time: start, body: body)
    }

    @Test func `join whatever their trigger, and are not stored`() throws {
        var bench = Bench()
        let views = try flood(&bench, 1000)
        #expect(bench.sos.count == Limits.callsAlwaysStored)
        #expect(bench.bodies(.inputSignal).count == Limits.callsAlwaysStored)
        #expect(bench.store.emergencies.count == Limits.callsAlwaysStored)
        #expect(Set(views.map(\.emergency)) == [views[0].id])
        #expect(views.last?.joinedCalls == 1000 - Limits.callsAlwaysStored)
        #expect(bench.core.emergencies.signals.joinsUnstored(person(1), at: bench.now))
        #expect(!bench.core.emergencies.signals.joinsUnstored(person(2), at: bench.now))
    }

    @Test func `by phone protocols join too`() {
        var bench = Bench()
        for number in 0..<100 as Range<UInt64> {
            let panic = Panic(
                messageID: "p\(number)", raised: bench.now, fix: nil, battery: nil)
            bench.deliver([], panics: [panic])
        }
        #expect(bench.sos.count == Limits.callsAlwaysStored)
        #expect(bench.store.emergencies.count == Limits.callsAlwaysStored)
    }

    @Test func `are stored again 30 s after the one before`() throws {
        var bench = Bench()
        try flood(&bench, 100)
        bench.wait(Int(Limits.callsJoinSeconds))
        try flood(&bench, 100, named: "g")
        #expect(bench.sos.count == Limits.callsAlwaysStored + 1)
    }

    @Test func `are counted across a restart`() throws {
        var bench = Bench()
        try flood(&bench, 100)
        bench.restart()
        let views = try flood(&bench, 100, named: "g")
        #expect(bench.sos.count == Limits.callsAlwaysStored)
        #expect(views.last?.joinedCalls == 200 - Limits.callsAlwaysStored)
    }

    @Test func `are stored after an acknowledgement, and reopen it`() throws {
        var bench = Bench()
        let views = try flood(&bench, 100)
        let given = answer(views[0].id, at: bench.now + .seconds(1))
        bench.handle(.deliveries(event(.acknowledgementCommitted(given))))
        #expect(bench.sos.count == Limits.callsAlwaysStored)
        bench.wait(2)
        try flood(&bench, 100, named: "g")
        #expect(bench.sos.count == Limits.callsAlwaysStored + 1)
    }

    @Test func `after a response that ingest had not received are raised with it`() throws {
        for isEnd in [false, true] {
            var bench = Bench()
            let first = try flood(&bench, 100)[0].id
            let given = answer(first, at: bench.now)
            bench.wait(1)
            try flood(&bench, 1, named: "g")
            #expect(bench.sos.count == Limits.callsAlwaysStored)
            bench.restart()
            bench.handle(
                .deliveries(
                    event(isEnd ? .resolutionCommitted(given) : .acknowledgementCommitted(given))))
            #expect(bench.sos.count == Limits.callsAlwaysStored + 1)
            let kinds = bench.input.suffix(2).map(\.event.kind)
            #expect(kinds.last == .inputSignal, "after the answer")
            #expect(bench.core.emergencies.signals.activeCount == 1)
            if isEnd { #expect(bench.core.emergencies.signals.current(of: person(1))?.id != first) }
        }
    }

    @Test func `before a response have no effect`() throws {
        var bench = Bench()
        let first = try flood(&bench, 100)[0].id
        bench.wait(1)
        bench.handle(.deliveries(event(.resolutionCommitted(answer(first, at: bench.now)))))
        #expect(bench.sos.count == Limits.callsAlwaysStored)
        #expect(bench.core.emergencies.signals.activeCount == 0)
    }

    @Test func `are stored after a cancel that no evaluator has confirmed`() throws {
        var bench = Bench()
        let first = try flood(&bench, 100)[0].id
        bench.cancel(first, as: anna)
        bench.wait(1)
        try flood(&bench, 1, named: "g")
        #expect(bench.sos.filter { $0.kind == .sosRaised }.count == Limits.callsAlwaysStored + 1)
    }

    @Test func `can be cancelled, but not without limit`() throws {
        var bench = Bench()
        var refused = 0
        for number in 0..<200 {
            let view = try view(
                bench.call(EmergencyCall(messageID: "c\(number)"), as: anna))
            switch bench.cancel(view.id, as: anna) {
            case .tooManyCancels(let seconds):
                refused += 1
                #expect((1...60).contains(seconds))
            default: bench.applyDerived(.emergencyCancelled(cancelled(view)))
            }
        }
        #expect(refused > 150)
        #expect(bench.sos.count < 40)
        #expect(bench.core.emergencies.signals.activeCount == 1, "the last call goes on")
    }

    private func cancelled(_ view: EmergencyView) -> EmergencyChange {
        EmergencyChange(
            emergency: view.emergency, person: person(1), state: .cancelled, trigger: .panic,
            signal: view.emergency, raised: view.raised, countdownEnds: view.countdownEnds)
    }

    @Test func `of others are not affected`() throws {
        var bench = Bench()
        try flood(&bench, 1000)
        let ben = Principal.device(device(2), of: person(2))
        let view = try view(bench.call(EmergencyCall(messageID: "b"), as: ben))
        #expect(view.emergency == view.id && view.joinedCalls == 0)
        #expect(bench.sos.last?.body.person == person(2))
    }
}
