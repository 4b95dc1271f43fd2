import Dialects
import Directory
import Model
import Testing

@testable import IngestCore

/// Countdowns of triggers, and calls on behalf of others.
@Suite struct TriggerTests {
    private let anna = Principal.device(device(1), of: person(1))
    private let cho = Principal.person(person(3))

    private func view(_ answer: Answer?) throws -> EmergencyView {
        guard case .emergency(let view) = try #require(answer) else { throw WrongAnswer() }
        return view
    }

    private struct WrongAnswer: Error {}

    private func signal(_ bench: Bench) -> EmergencySignal? {
        if case .sosRaised(let signal)? = bench.sos.last?.body { signal } else { nil }
    }

    @Test(
        arguments: [
            (.panic, 10, false), (.shake, 10, false), (.link, 10, false), (.fall, 60, true),
            (.crash, 60, true), (.noMotion, 60, true),
        ] as [(EmergencyTrigger, Int, Bool)])
    func `each trigger of a phone has its countdown`(
        trigger: EmergencyTrigger, seconds: Int, asks: Bool
    ) throws {
        var bench = Bench()
        let called = try view(bench.call(EmergencyCall(trigger: trigger), as: anna))
        #expect(called.countdownEnds == start + .seconds(seconds))
        #expect(called.asksPerson == asks)
        #expect(bench.cancel(called.id, as: anna) != .tooLate)

        var reporting = Bench()
        reporting.deliver(
            [], panics: [Panic(trigger, messageID: "1", raised: start, fix: nil, battery: nil)])
        #expect(signal(reporting)?.trigger == trigger)
        #expect(signal(reporting)?.countdownEnds == start + .seconds(seconds))

        var asked = Bench()
        let call = EmergencyCall(trigger: trigger, countdownSeconds: 0)
        #expect(try view(asked.call(call, as: anna)).state == .open)
        #expect(try !view(asked.call(call, as: anna)).asksPerson)
    }

    // MARK: On behalf

    private func call(
        _ bench: inout Bench, for number: UInt64?, as caller: Principal, may: Bool = true,
        _ id: String? = nil
    ) -> Answer? {
        let subject: EmergencyCall.Subject = number.map { .person(person($0)) } ?? .unknown
        let request = UInt64(9000 + bench.sos.count)
        bench.handle(
            .emergency(
                EmergencyRequest(
                    request: request, principal: caller,
                    call: EmergencyCall(
                        trigger: .shake, countdownSeconds: 30, messageID: id,
                        observation: observation(at: -1, lat: 77, battery: 3), subject: subject),
                    chance: ID128(high: 97, low: request), mayCallForOthers: may)))
        return bench.answers[request]
    }

    @Test func `a guardian's call opens at once, names the guardian, and is the person's`() throws {
        var bench = Bench()
        bench.deliver([observation(at: -60, lat: 42, battery: 55)])
        let called = try view(call(&bench, for: 1, as: cho))
        #expect(called.person == person(1) && called.raisedBy == person(3))
        #expect(called.trigger == .guardian && called.state == .open)
        let raised = try #require(signal(bench))
        #expect(raised.person == person(1) && raised.raisedBy == person(3))
        #expect(raised.fix?.position.latitudeE7 == 42, "not where the guardian is")
        #expect(raised.battery == 55)
        #expect(bench.core.emergencies.signals.current(of: person(3)) == nil)
        #expect(try view(bench.read(called.id, as: .person(person(1)))).raisedBy == person(3))
        bench.restart()
        #expect(try view(bench.read(called.id, as: cho)).raisedBy == person(3))
    }

    @Test func `others, phones and unknown people raise nothing`() throws {
        var bench = Bench()
        #expect(call(&bench, for: nil, as: cho) == .personNeeded)
        #expect(call(&bench, for: 1, as: .person(person(2))) == .denied(.roleTooLow))
        #expect(call(&bench, for: 5, as: cho) == .notFound, "they share no circle")
        #expect(call(&bench, for: 77, as: cho) == .notFound)
        #expect(call(&bench, for: 1, as: cho, may: false) == .denied(.notYours))
        #expect(bench.call(EmergencyCall(), as: .operator) == .denied(.personOnly))
        #expect(bench.sos.isEmpty && bench.store.emergencies.isEmpty)
        #expect(try view(call(&bench, for: 3, as: cho)).person == person(3), "their own")
        #expect(signal(bench)?.trigger == .shake && signal(bench)?.raisedBy == nil)
    }

    @Test func `a guardian on the never-notify list gets the same answer`() throws {
        var (plain, hiding) = (Bench(), Bench())
        hiding.change(
            .neverNotifyChanged(NeverNotifyList(person: person(1), people: [person(3)])))
        let answers = [call(&plain, for: 1, as: cho), call(&hiding, for: 1, as: cho)]
        #expect(answers[0] == answers[1])
        let id = try view(answers[0]).id
        #expect(try view(hiding.read(id, as: cho)).state == .open)
    }

    @Test func `a second guardian's call joins`() throws {
        var bench = Bench()
        let first = try view(call(&bench, for: 1, as: cho, "a"))
        let second = try view(call(&bench, for: 1, as: .person(person(4)), "a"))
        #expect(second.emergency == first.id && second.id != first.id)
        #expect(second.raisedBy == person(4))
    }

    // MARK: Late and many

    @Test func `a late call says when the person was last seen, if that was later`() {
        func sign(fixAt seconds: Int64?, raised: Int64) -> Timestamp? {
            var bench = Bench()
            if let seconds { bench.deliver([observation(at: seconds)]) }
            bench.call(EmergencyCall(raised: start + .seconds(raised)), as: anna)
            return signal(bench)?.signOfLife
        }
        #expect(sign(fixAt: -60, raised: -3600) == start - .seconds(60))
        #expect(sign(fixAt: -3601, raised: -3600) == nil, "older than the call")
        #expect(sign(fixAt: nil, raised: -3600) == nil)
        #expect(sign(fixAt: -60, raised: -300) == nil, "not late")
        #expect(sign(fixAt: -60, raised: -301) == start - .seconds(60))
    }

    @Test func `ten thousand further triggers, also of guardians, are folded`() throws {
        var bench = Bench()
        let triggers = EmergencyTrigger.allCases.filter(\.rules.isFromPhone)
        for number in 0..<10_000 {
            if number % 1000 == 0 { bench.wait(1) }
            if number % 2 == 0 {
                bench.call(
                    EmergencyCall(
                        trigger: triggers[number % triggers.count], messageID: "\(number)"),
                    as: anna)
            } else {
                _ = call(&bench, for: 1, as: cho, "\(number)")
            }
        }
        #expect(bench.sos.count == Limits.callsAlwaysStored)
        #expect(bench.store.emergencies.count == Limits.callsAlwaysStored)
        let last = try view(bench.call(EmergencyCall(messageID: "last"), as: anna))
        #expect(last.joinedCalls == 10_001 - Limits.callsAlwaysStored)
        let other = try view(
            bench.call(EmergencyCall(), as: .device(device(2), of: person(2))))
        #expect(other.person == person(2) && other.joinedCalls == 0, "nobody else waits for it")
    }
}
