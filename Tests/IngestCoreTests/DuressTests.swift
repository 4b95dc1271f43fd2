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

    // MARK: Who looks

    /// Anna's emergency goes on after a duress PIN; Ben was notified of it.
    private func underDuress(_ changes: [EventBody] = []) throws -> (Bench, EmergencySignal) {
        var bench = Self.bench()
        for body in changes { bench.change(body) }
        bench.deliver([observation(at: 0)])
        let call = try view(bench.call(EmergencyCall(), as: phone))
        bench.cancel(call.id, as: phone, pin: "0815")
        bench.applyDerived(.emergencyCancelled(change(call, .cancelled)))
        let signal = try #require(covert(bench))
        deliver(
            .notificationChanged(
                NotificationChanged(
                    notification: NotificationID(ID128(high: 5, low: 5)), emergency: signal.id,
                    person: person(1), recipient: person(2), channel: .sms, state: .accepted,
                    gateway: "", answer: "")), 1, &bench)
        bench.access = []
        return (bench, signal)
    }

    private func deliver(_ body: EventBody, _ number: UInt64, _ bench: inout Bench) {
        bench.handle(
            .deliveries(
                Event(id: EventID(ID128(high: 6, low: number)), time: bench.now, body: body)))
    }

    private static let officer = EventBody.personChanged(
        {
            var person = Person(id: person(5), name: "Eve")
            person.staff = .officer
            return person
        }())

    @Test func `looks of staff and of the operator are hidden from the person`() throws {
        var (bench, signal) = try underDuress([Self.officer])
        let viewers: [PersonID?] = [nil, person(5), person(2)]
        func look() {
            for (number, viewer) in viewers.enumerated() {
                for kind in [AccessKind.emergency, .account, .timeline] {
                    deliver(
                        .accessRecorded(
                            AccessRecord(
                                person: person(1), viewer: viewer, at: bench.now, kind: kind,
                                reason: "case 12345")),
                        UInt64(10 + number), &bench)
                }
            }
            _ = bench.positions(of: circle(1), as: .operator)
        }
        look()
        #expect(bench.access.isEmpty)
        deliver(
            .resolutionCommitted(
                EmergencyAnswer(
                    emergency: signal.id, person: person(1), by: person(3), at: bench.now)),
            50, &bench)
        bench.wait(86_399)
        look()
        #expect(bench.access.isEmpty, "until a day after the end")
        bench.wait(1)
        look()
        #expect(Set(bench.access.map(\.viewer)) == Set(viewers))
    }

    @Test func `looks of others, and of phones that show a map, are as after a true cancel`()
        throws
    {
        var (bench, _) = try underDuress()
        deliver(
            .accessRecorded(
                AccessRecord(
                    person: person(1), viewer: person(3), at: bench.now, kind: .timeline)),
            10, &bench)
        bench.deliver(
            [], from: 2, requestsFriends: true, status: DeviceStatus(), ownTracks: .android)
        #expect(bench.access.map(\.kind) == [.timeline, .map])
    }

    @Test func `a request for a location reaches no phone`() throws {
        var (bench, _) = try underDuress()
        guard case .located(let view)? = bench.locate(1, as: ben) else {
            Issue.record("it is answered as usual")
            return
        }
        #expect(!view.asksPhone && bench.store.locates.isEmpty && bench.access.isEmpty)
        guard case .located(let own)? = bench.locate(1, as: anna) else {
            Issue.record("the person's own request is as usual")
            return
        }
        #expect(own.asksPhone)
    }

    // MARK: Opened by the notifier

    @Test func `one that the notifier opened is hidden from person and evaluators alike`() throws {
        var bench = Self.bench()
        let call = try view(bench.call(EmergencyCall(), as: phone))
        bench.applyDerived(.emergencyOpened(change(call, .open)))
        let inputs = bench.input.count
        let signal = EmergencySignal(
            id: EmergencyID(ID128(high: 9, low: 9)), person: person(1), trigger: .panic,
            raised: bench.now, received: bench.now, countdownEnds: bench.now,
            underDuress: call.id)
        for _ in 0..<2 { deliver(.signalReceived(signal), 1, &bench) }
        #expect(bench.sos.map(\.kind) == [.sosRaised, .sosRaised] && bench.input.count == inputs)
        deliver(
            .resolutionCommitted(
                EmergencyAnswer(
                    emergency: call.id, person: person(1), by: person(1), at: bench.now)), 2,
            &bench)
        #expect(bench.read(signal.id, as: anna) == .notFound)
        #expect(try view(bench.read(call.id, as: anna)).state == .resolved)
        #expect(try view(bench.read(call.id, as: .person(person(3)))).state == .open)
    }

    @Test func `a recipient reads it after the person left their circle`() throws {
        var (bench, signal) = try underDuress()
        bench.change(aCircle(1, [member(2), member(3, .guardian)]))
        #expect(try view(bench.read(signal.id, as: ben)).state == .open)
        #expect(bench.read(signal.id, as: .person(person(3))) == .notFound, "was not notified")
        #expect(bench.read(signal.id, as: anna) == .notFound)
    }
}
