import Dialects
import Directory
import Hashing
import Model
import Testing

@testable import IngestCore

/// Two equal worlds: in one the person cancels with the PIN, in the other with the duress PIN.
@Suite struct `A cancel with the duress PIN` {
    private let phone = Principal.device(device(1), of: person(1))
    private let anna = Principal.person(person(1))
    private let ben = Principal.person(person(2))

    private struct WrongAnswer: Error {}

    private static let salt = [UInt8](repeating: 7, count: PINHash.saltBytes)

    private static func bench() -> Bench {
        let hashes = ["4711", "0815"].map { digits in
            Hex.encode(PINHash.of(digits, person: person(1), salt: salt))
        }
        let pin = PersonPIN(person: person(1), salt: Hex.encode(salt), hashes: hashes)
        return Bench(family + [.pinChanged(pin)])
    }

    private func view(_ answer: Answer?) throws -> EmergencyView {
        guard case .emergency(let view) = try #require(answer) else { throw WrongAnswer() }
        return view
    }

    private func change(_ view: EmergencyView, _ state: EmergencyState) -> EmergencyChange {
        EmergencyChange(
            emergency: view.emergency, person: person(1), state: state, trigger: .panic,
            signal: view.emergency, raised: view.raised, countdownEnds: view.countdownEnds)
    }

    private func covert(_ bench: Bench) -> EmergencySignal? {
        bench.sos.compactMap { event -> EmergencySignal? in
            guard case .sosRaised(let signal) = event.body, signal.underDuress != nil else {
                return nil
            }
            return signal
        }.first
    }

    /// Everything that the person's credentials and phones get in one world, in order.
    private struct Shown: Equatable {
        var answers: [Answer?] = []
        var input: [Event] = []
        var access: [AccessRow] = []
        var exported: [EmergencyID] = []
    }

    /// Runs one world to a day after the end.
    ///
    /// - Parameter isOpen: whether it is cancelled after its countdown
    private func world(pin: String, isOpen: Bool) throws -> Shown {
        var bench = Self.bench()
        var shown = Shown()
        func read(_ bench: inout Bench, _ id: EmergencyID) {
            for principal in [phone, anna] {
                shown.answers.append(bench.read(id, as: principal))
                shown.answers.append(bench.readPolicy(of: 1, as: principal))
                shown.answers.append(bench.positions(of: circle(1), as: principal))
            }
        }
        bench.deliver([observation(at: -60)])
        let first = try view(bench.call(EmergencyCall(messageID: "1"), as: phone))
        bench.wait(2)
        shown.answers.append(bench.cancel(first.id, as: phone))
        shown.answers.append(bench.cancel(first.id, as: phone, pin: "1111"))
        if isOpen { bench.applyDerived(.emergencyOpened(change(first, .open))) }
        shown.answers.append(bench.cancel(first.id, as: phone, pin: pin))
        if isOpen {
            let answer = EmergencyAnswer(
                emergency: first.id, person: person(1), by: person(1), at: bench.now)
            bench.handle(
                .deliveries(
                    Event(
                        id: EventID(ID128(high: 1, low: 1)), time: bench.now,
                        body: .resolutionCommitted(answer))))
        } else {
            bench.applyDerived(.emergencyCancelled(change(first, .cancelled)))
        }
        bench.wait(5)
        read(&bench, first.id)
        // In the other world people help: none of it reaches the person.
        if let covert = covert(bench) {
            for (number, body) in [
                EventBody.notificationChanged(
                    NotificationChanged(
                        notification: NotificationID(ID128(high: 5, low: 5)),
                        emergency: covert.id, person: person(1), recipient: person(2),
                        channel: .sms, state: .delivered, gateway: "", answer: "")),
                .acknowledgementCommitted(
                    EmergencyAnswer(
                        emergency: covert.id, person: person(1), by: person(2), at: bench.now)),
            ].enumerated() {
                bench.handle(
                    .deliveries(
                        Event(
                            id: EventID(ID128(high: 2, low: UInt64(number))), time: bench.now,
                            body: body)))
            }
            #expect(bench.read(covert.id, as: anna) == .notFound)
            #expect(bench.read(covert.id, as: phone) == .notFound)
            #expect(bench.cancel(covert.id, as: phone, pin: "4711") == .notFound)
            #expect(try view(bench.read(covert.id, as: ben)).state == .open)
            _ = bench.locate(1, as: ben)
            _ = bench.positions(of: circle(1), as: ben)
        }
        shown.answers.append(bench.deliver([observation(at: 5)]))
        read(&bench, first.id)
        // A further call is a first one: own id, countdown and cancel.
        bench.wait(60)
        let second = try view(bench.call(EmergencyCall(messageID: "2"), as: phone))
        #expect(second.emergency == second.id && second.state == .countdown)
        shown.answers.append(bench.read(second.id, as: anna))
        shown.answers.append(bench.cancel(second.id, as: phone, pin: pin))
        bench.applyDerived(.emergencyCancelled(change(second, .cancelled)))
        read(&bench, second.id)
        if let covert = covert(bench) {
            let end = EmergencyAnswer(
                emergency: covert.id, person: person(1), by: person(3), at: bench.now)
            bench.handle(
                .deliveries(
                    Event(
                        id: EventID(ID128(high: 3, low: 1)), time: bench.now,
                        body: .resolutionCommitted(end))))
            #expect(try view(bench.read(covert.id, as: ben)).state == .resolved)
        }
        bench.restart()
        bench.wait(86_000)
        read(&bench, first.id)
        shown.answers.append(bench.deliver([observation(at: 86_000)]))
        shown.input = bench.input.map(\.event)
        shown.access = bench.access.filter { $0.person == person(1) }
        shown.exported = bench.store.emergencies.values.filter {
            $0.person == person(1) && $0.underDuress == nil
        }.map(\.id).sorted()
        return shown
    }

    /// As text, to compare item by item.
    private func normalised(_ shown: Shown) -> [String] {
        var text: [String] = shown.answers.map { "\(String(describing: $0))" }
        text += shown.input.map { "\($0.kind) \($0.time)" }
        text += shown.access.map { "\($0)" }
        text += shown.exported.map(\.description)
        return text
    }

    @Test(arguments: [false, true])
    func `is a true cancel for every credential and phone of the person`(isOpen: Bool) throws {
        let truly = normalised(try world(pin: "4711", isOpen: isOpen))
        let underDuress = normalised(try world(pin: "0815", isOpen: isOpen))
        #expect(truly.count == underDuress.count)
        for (one, other) in zip(truly, underDuress) { #expect(one == other) }
    }

    @Test func `raises a signal that others see, before the cancel`() throws {
        var bench = Self.bench()
        let call = try view(bench.call(EmergencyCall(), as: phone))
        bench.cancel(call.id, as: phone, pin: "0815")
        #expect(bench.sos.map(\.kind) == [.sosRaised, .sosRaised, .sosCancelled])
        let signal = try #require(covert(bench))
        #expect(signal.underDuress == call.id && signal.countdownEnds == signal.received)
        #expect(bench.bodies(.inputSignal).count == 1, "evaluators do not know")
        bench.applyDerived(.emergencyCancelled(change(call, .cancelled)))
        #expect(try view(bench.read(call.id, as: Principal.person(person(3)))).state == .open)
        #expect(try view(bench.read(call.id, as: anna)).state == .cancelled)
    }

    @Test func `is found if the second emergency were shown`() throws {
        var bench = Self.bench()
        let call = try view(bench.call(EmergencyCall(), as: phone))
        bench.cancel(call.id, as: phone, pin: "0815")
        let signal = try #require(covert(bench))
        #expect(bench.core.emergencies.signals.view(of: signal.id) != nil, "it is there")
        #expect(bench.core.emergencies.signals.view(of: signal.id, for: person(1)) == nil)
    }

    @Test func `five wrong PINs open the emergency and lock nothing`() throws {
        var bench = Self.bench()
        let call = try view(bench.call(EmergencyCall(), as: phone))
        #expect(bench.cancel(call.id, as: phone) == .pinNeeded)
        for _ in 0..<5 { #expect(bench.cancel(call.id, as: phone, pin: "1111") == .wrongPIN) }
        let opened = bench.bodies(.inputSignal)
        guard opened.count == 2, case .inputSignal(let second)? = opened.last else {
            Issue.record("a signal without countdown opens it")
            return
        }
        #expect(second.countdownEnds == bench.now && second.underDuress == nil)
        #expect(bench.cancel(call.id, as: phone, pin: "4711") == .tooManyPINs(seconds: 5))
        bench.wait(5)
        bench.applyDerived(.emergencyOpened(change(call, .open)))
        #expect(try view(bench.cancel(call.id, as: phone, pin: "4711")).state == .open)
        #expect(bench.sos.last?.kind == .sosCancelled)
    }
}
