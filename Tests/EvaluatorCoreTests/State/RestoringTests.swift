import EvaluatorCore
import Model
import TestSupport
import Testing

/// Restoring an encoded state equals continuing without a change of owner.
@Suite struct RestoringTests {
    /// Runs a log and returns the state and outputs after each event.
    private func play(_ log: RandomLog) -> (states: [PartitionState], outputs: [[Event]]) {
        var state = PartitionState(logics: .two)
        var states = [state]
        var outputs: [[Event]] = []
        for event in log.events {
            var decided: [Event] = []
            state.handle(event, into: &decided)
            states.append(state)
            outputs.append(decided)
        }
        return (states, outputs)
    }

    @Test func `restoring any log at any position leads to the same rest`() throws {
        var kinds: Set<EventKind> = []
        for seed in 0..<24 as Range<UInt64> {
            let log = RandomLog(seed: seed, count: 90, logic: 2)
            let (states, outputs) = play(log)
            let bytes = states.map { $0.encodedState() }
            kinds.formUnion(outputs.flatMap { $0.map(\.kind) })
            for cut in log.events.indices {
                var state = try PartitionState(
                    configuration: log.configurations[cut], state: bytes[cut], logics: .two)
                try #require(state.encodedState() == bytes[cut], "seed \(seed), cut \(cut)")
                #expect(state.unreadableZones == states[cut].unreadableZones)
                // Far enough for everybody to have moved; later cuts cover the rest.
                for next in log.events[cut...].prefix(cut % 8 == 0 ? .max : 6).indices {
                    var decided: [Event] = []
                    state.handle(log.events[next], into: &decided)
                    try #require(decided == outputs[next], "seed \(seed), cut \(cut), \(next)")
                    try #require(
                        cut % 8 != 0 || state.encodedState() == bytes[next + 1],
                        "seed \(seed), cut \(cut), \(next)")
                }
            }
        }
        // The logs are representative: every kind of decision occurred.
        let all: Set<EventKind> = [
            .zoneEntered, .zoneExited, .zonePresenceEstablished, .emergencyCountdown,
            .emergencyOpened,
            .emergencyJoined, .emergencyCancelled, .emergencyAcknowledged, .emergencyResolved,
            .deadlineScheduled, .deadlineCancelled, .zoneSuppressed, .zoneApproached, .zoneDwelled,
            .zoneAbsent,
            .alarmStarted, .alarmRepeated, .alarmEnded, .messagesDue, .policyChanged,
            .contactLate, .contactOverdue, .contactLost, .contactOK, .batteryLow,
        ]
        #expect(kinds.isSuperset(of: all))
    }

    @Test(arguments: [1, 2]) func `every state of a long log can be restored`(
        logic: Int
    ) throws {
        for seed in 100..<120 as Range<UInt64> {
            let log = RandomLog(seed: seed, count: 300, logic: logic)
            let states = play(log).states
            for cut in log.events.indices {
                let bytes = states[cut].encodedState()
                let state = try PartitionState(
                    configuration: log.configurations[cut], state: bytes, logics: .two)
                try #require(state.encodedState() == bytes, "seed \(seed), cut \(cut)")
            }
        }
    }

    @Test func `another process with other hash seeds produces the same bytes`() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            print("state \(RestoringTests.fingerprint())")
        }
        let said = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(said.contains("state \(RestoringTests.fingerprint())\n"))
    }

    private static func fingerprint() -> [UInt64] {
        (100..<104 as Range<UInt64>).map { seed in
            let log = RandomLog(seed: seed, count: 200)
            var state = PartitionState()
            var outputs: [Event] = []
            for event in log.events { state.handle(event, into: &outputs) }
            let ids = outputs.flatMap { $0.id.raw.bytes }
            return state.stateHash ^ PartitionState.hash(ofState: ids)
        }
    }

    @Test func `the order of the configuration does not matter`() throws {
        let log = RandomLog(seed: 11, count: 120)
        let end = log.events.count
        let state = play(log).states[end].encodedState()
        var random = SeededGenerator(seed: 11)
        for _ in 0..<10 {
            let shuffled = log.configurations[end].shuffled(using: &random)
            let restored = try PartitionState(configuration: shuffled, state: state)
            #expect(restored.encodedState() == state)
        }
    }

    @Test func `an unchanged state is short and contains no people`() throws {
        var world = World(zones: [.round()])
        let bytes = world.state.encodedState()
        // Encoding version, logic version, hold flag, no person.
        #expect(bytes == [6, 0, 1, 0, 0, 0, 0, 0, 0])
        #expect(world.state.stateHash == PartitionState.hash(ofState: bytes))
        _ = world.report(north: 0)
        #expect(world.state.encodedState().count > bytes.count + 60)
    }

    @Test func `a presence takes 25 bytes, being outside none`() {
        var world = World(zones: [.round()])
        for _ in 0..<2 { _ = world.report(north: 0, speed: 2) }
        let before = world.state.encodedState().count
        _ = world.configure([.round(), .round(2)])
        #expect(world.state.encodedState().count == before + 25)
        _ = world.report(north: 900, speed: 30)
        #expect(world.state.encodedState().count == before - 25)
        #expect(PartitionState.bytesOfPresence <= 64)
    }

    @Test func `invalid bytes are rejected`() throws {
        let log = RandomLog(seed: 5, count: 150)
        let end = log.events.count
        let state = play(log).states[end].encodedState()
        let configuration = log.configurations[end]
        for count in stride(from: 0, to: state.count, by: 5) {
            #expect(throws: StateError.self) {
                try PartitionState(configuration: configuration, state: Array(state[..<count]))
            }
        }
        #expect(throws: StateError.self) {
            try PartitionState(configuration: configuration, state: state + [0])
        }
        var random = SeededGenerator(seed: 5)
        var outputs: [Event] = []
        for _ in 0..<1000 {
            var changed = state
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                changed[.random(in: changed.indices, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            // An accepted state is valid: it is encoded as it was read, and continues.
            guard
                var restored = try? PartitionState(configuration: configuration, state: changed)
            else { continue }
            for event in log.events.suffix(10) { restored.handle(event, into: &outputs) }
            let again = restored.encodedState()
            #expect(
                try PartitionState(configuration: configuration, state: again)
                    .encodedState() == again)
        }
    }

    @Test func `a state of another encoding, logic or configuration is rejected`() throws {
        var world = World(zones: [.round()])
        _ = world.report(north: 0)
        _ = world.configure([.round(), .round(2)])
        let state = world.state.encodedState()
        func code(_ configuration: [Event], _ state: [UInt8]) -> StateError.Code? {
            do {
                _ = try PartitionState(configuration: configuration, state: state)
                return nil
            } catch { return error.code }
        }
        #expect(code([], [1] + state.dropFirst()) == .version)
        #expect(code([], [2, 0, 9] + state.dropFirst(3)) == .version)
        #expect(code([], state) == .mismatch)
        let logic = Event(
            id: EventID(.zero), time: .zero, body: .inputLogic(LogicVersion(version: 1)))
        #expect(code([logic], state) == .mismatch)
    }

    @Test func `a logic switch takes effect and is part of the state`() throws {
        var state = PartitionState(logics: .two)
        #expect(state.logic == 1)
        var outputs: [Event] = []
        for event in RandomLog(seed: 3, count: 10, logic: 2).events {
            state.handle(event, into: &outputs)
        }
        #expect(state.logic == 2)
        let bytes = state.encodedState()
        #expect(bytes[2...3] == [2, 0])
        #expect(throws: StateError.self) { try PartitionState(configuration: [], state: bytes) }

        // A person walks 30 m outside an alert zone with 20 m of accuracy: twice that is no exit,
        // half of it is.
        for (logic, marbles) in [(1, ""), (2, "X")] {
            var world = World(zones: [.round(kind: .alert)])
            world.state = PartitionState(logics: .two)
            _ = world.configure([.round(kind: .alert)])
            _ = world.configure()
            _ = world.handle(.inputLogic(LogicVersion(version: logic)))
            #expect(world.report(north: 0).marbles == "!")
            #expect(world.report(north: 230, accuracy: 20, speed: 2).marbles == marbles)
        }
    }

    @Test func `a program without the first logic starts with the one the log sets`() {
        let logics = EvaluatorLogics(oldest: 2, [EvaluatorRules(), EvaluatorRules()])
        #expect(logics.versions == 2...3)
        var outputs: [Event] = []
        func event(_ body: EventBody) -> Event {
            Event(id: EventID(.zero), time: .zero, body: body)
        }
        var state = PartitionState(logics: logics)
        state.handle(event(.inputLogic(LogicVersion(version: 3))), into: &outputs)
        #expect(state.unknownLogic == nil)
        var other = PartitionState(logics: logics)
        other.handle(
            event(.inputPersonRemoved(PersonRemoval(person: World.person))), into: &outputs)
        #expect(other.unknownLogic == 1)
    }
}
