import Hashing
import Model

// Encodes and decodes a partition's state: everything that results from the log and is not
// configuration. Equal behaviour gives equal bytes because everything is ordered by id.
// `docs/evaluation.md` has the grammar.
extension PartitionState {
    /// Restores the state at a position of the log. The rest of the log then leads to the same
    /// events as a replay from the first record.
    ///
    /// - Parameters:
    ///   - configuration: the last `input.circle`, `input.set` (each page) and `input.person`
    ///     records before the position, in any order.
    ///   - state: the result of ``encodedState()`` there.
    /// - Throws: ``StateError`` if the bytes are no state of that configuration.
    public init(
        configuration: [Event], state: [UInt8], logics: EvaluatorLogics = .current
    ) throws(StateError) {
        self.init(logics: logics)
        for event in configuration {
            switch event.body {
            case .inputCircle, .inputSet: _ = zones.apply(event.body)
            case .inputPerson(let person):
                let index = people.index(
                    of: person.person, inserting: PersonState(id: person.person))
                _ = people[index].presence.configure(person, &zones)
            default:
                throw StateError(.mismatch, "configuration", "\(event.kind) is not configuration")
            }
        }
        var coder = StateCoder(decoding: state)
        try decode(&coder)
    }

    /// All that decides what comes, beside the configuration.
    public func encodedState() -> [UInt8] {
        var coder = StateCoder()
        do throws(StateError) {
            var form = EvaluatorLimits.stateForm
            try coder.code(&form)
            var version = UInt16(clamping: logic)
            try coder.code(&version)
            _ = try coder.flags(isHeld)
            let ids = people.keys { !$0.isAsConfigured }
            var count = UInt32(ids.count)
            try coder.code(&count)
            for id in ids {
                guard let index = people.index(of: id) else { continue }
                var (id, person) = (id, people[index].withQuietFixes)
                try coder.code(&id)
                try person.code(&coder, zones)
            }
        } catch {
            invariant(false, "what is encoded is valid: \(error)")
        }
        return coder.bytes
    }

    /// The hash of the encoded state. Every owner has the same hash at the same position.
    public var stateHash: UInt64 { PartitionState.hash(ofState: encodedState()) }

    /// The hash of an encoded state, for those who store it.
    public static func hash(ofState bytes: [UInt8]) -> UInt64 { Hash.state(bytes) }

    private mutating func decode(_ coder: inout StateCoder) throws(StateError) {
        var form = EvaluatorLimits.stateForm
        try coder.code(&form)
        guard EvaluatorLimits.stateFormMin...EvaluatorLimits.stateForm ~= form else {
            throw StateError(.version, "state", "unknown encoding version \(form)")
        }
        var version: UInt16 = 0
        try coder.code(&version)
        logic = Int(version)
        guard let rules = logics.rules(of: logic) else {
            throw StateError(.version, "state", "unknown logic version \(logic)")
        }
        isHeld = try coder.flags(isHeld)[0]
        coder.operation = "people"
        var count: UInt32 = 0
        try coder.code(&count)
        try coder.require(Int(count) * 40)
        var last: PersonID?
        for _ in 0..<count {
            var id = PersonID.blank
            try coder.code(&id, after: &last)
            let index = people.index(of: id, inserting: PersonState(id: id))
            try people[index].code(&coder, zones)
            people[index].findWake(zones, rules)
            try people[index].waits.check(coder)
        }
        guard coder.isAtEnd else {
            throw StateError(.truncated, "state", "bytes after the end")
        }
    }
}

extension PersonState {
    /// Whether the person has no state besides configuration.
    fileprivate var isAsConfigured: Bool {
        let fixes = presence.fixes
        return fixes.firstDevice == nil && fixes.trusted == nil && presence.presences.isEmpty
            && fixes.lastFix == nil && fixes.battery == nil && waits.deadline == nil
            && emergency == EmergencyMachine() && alarms == AlarmMachine()
            && policy.sent == nil && !policy.isStale && contact == ContactMachine()
    }

    /// Encodes or decodes everything but the id.
    fileprivate mutating func code(
        _ coder: inout StateCoder, _ zones: KnownZones
    ) throws(StateError) {
        try presence.code(&waits, &coder)
        try emergency.code(of: id, &coder)
        let (applicable, passed) = (presence.applicable, waits.passed)
        if coder.isDecoding {
            for known in presence.presences
            where zones.zone(known.zone, of: applicable, at: passed) == nil {
                throw StateError(
                    .mismatch, coder.operation, "presence in a zone that does not apply")
            }
        }
        let presence = presence
        try alarms.code(&coder) { zone in
            presence.presence(in: zone).flatMap { AlarmStay($0, applicable, zones, at: passed) }
        }
        try policy.code(&coder)
        try contact.code(&coder)
    }
}

extension WaitSchedule {
    /// Checks that a deadline is scheduled for the first wait. Otherwise a forged state could take
    /// ages to advance.
    fileprivate func check(_ coder: StateCoder) throws(StateError) {
        guard wake < .distantFuture else { return }
        try coder.check(
            deadline.map { wake >= $0 - .seconds(86_400) } ?? false, "wait without a deadline")
    }
}
