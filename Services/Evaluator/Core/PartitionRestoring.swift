import Model

// Decodes a partition's state: configuration first, then the state of people.
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
            case .inputCircle, .inputSet, .inputPerson: _ = configure(event.body)
            default:
                throw StateError(.mismatch, "configuration", "\(event.kind) is not configuration")
            }
        }
        var reader = StateReader(state)
        try read(&reader)
    }

    private mutating func read(_ reader: inout StateReader) throws(StateError) {
        let form: UInt16 = try reader.number()
        guard EvaluatorLimits.stateFormMin...EvaluatorLimits.stateForm ~= form else {
            throw StateError(.version, "state", "unknown encoding version \(form)")
        }
        logic = Int(try reader.number(UInt16.self))
        guard let rules = logics.rules(of: logic) else {
            throw StateError(.version, "state", "unknown logic version \(logic)")
        }
        isHeld = try reader.flags(1) == 1
        reader.operation = "people"
        var last: PersonID?
        for _ in 0..<(try reader.count(bytesMin: 40)) {
            let id: PersonID = try reader.id(after: &last)
            let index = people.index(of: id, inserting: PersonState(id: id))
            try people[index].read(&reader)
            try check(people[index], reader)
            let person = people[index]
            people[index].alarms = try reader.alarms { [zones] zone in
                person.presence(in: zone).flatMap { person.stay(in: $0, zones, at: person.passed) }
            }
            people[index].policy = try reader.policy()
            (people[index].contact, people[index].batteryNotice) = try reader.contact()
            people[index].absence = nextAbsence(of: people[index], after: people[index].passed)
            people[index].isAbsenceStale = false
            people[index].findWake(zones, at: configurationGeneration, rules)
            try checkDeadline(of: people[index], reader)
        }
        guard reader.isAtEnd else {
            throw StateError(.truncated, "state", "bytes after the end")
        }
    }

    /// Checks that a deadline is scheduled for the first wait. Otherwise a forged state could take
    /// ages to advance.
    private func checkDeadline(
        of person: PersonState, _ reader: StateReader
    ) throws(StateError) {
        guard person.wake < .distantFuture else { return }
        guard let deadline = person.deadline, person.wake >= deadline - .seconds(86_400) else {
            throw reader.invalid("wait without a deadline")
        }
    }

    private func check(_ person: PersonState, _ reader: StateReader) throws(StateError) {
        for presence in person.presences {
            guard zones.zone(presence.zone, of: person, at: person.passed) != nil else {
                throw StateError(
                    .mismatch, reader.operation, "presence in a zone that does not apply")
            }
        }
    }
}

extension PersonState {
    fileprivate mutating func read(_ reader: inout StateReader) throws(StateError) {
        // Flag 128 exists since version 6.
        let flags = try reader.flags(8)
        passed = try reader.time()
        firstDevice = flags & 1 == 0 ? nil : try reader.id()
        trusted = flags & 2 == 0 ? nil : try reader.evaluatedFix()
        usualInterval = flags & 64 == 0 ? 0 : Int32(try reader.number(UInt16.self))
        guard flags & 64 == 0 || trusted != nil && 1...2000 ~= usualInterval else {
            throw reader.invalid("usual interval is out of range")
        }
        previous = flags & 128 == 0 ? nil : try reader.fix()
        guard previous == nil || trusted != nil else {
            throw reader.invalid("previous fix without a trusted one")
        }
        if flags & 4 != 0 {
            suspect = SuspectFix(fix: try reader.evaluatedFix(), since: try reader.time())
        }
        lastFix = flags & 8 == 0 ? trusted?.fix : try reader.fix()
        battery = flags & 16 == 0 ? nil : try reader.number()
        deadline = flags & 32 == 0 ? nil : try reader.time()
        guard flags & 8 == 0 || lastFix != trusted?.fix else {
            throw reader.invalid("last fix equals the trusted one")
        }
        var lastZone: ZoneID?
        for _ in 0..<(try reader.count(bytesMin: 25)) {
            presences.append(try reader.presence(after: &lastZone))
        }
        guard trusted != nil || (suspect == nil && presences.isEmpty) else {
            throw reader.invalid("presences without a trusted fix")
        }
        emergency = try reader.emergencies(of: id)
    }
}

extension StateReader {
    fileprivate mutating func evaluatedFix() throws(StateError) -> EvaluatedFix {
        EvaluatedFix(fix: try fix(), device: try id(), report: try id())
    }

    fileprivate mutating func presence(
        after last: inout ZoneID?
    ) throws(StateError) -> ZonePresence {
        let zone: ZoneID = try id(after: &last)
        // Flag 128 exists since version 6.
        let flags = try flags(8)
        let known: [Presence] = [.outside, .near, .inside, .unknown]
        var presence = ZonePresence(
            zone: zone, presence: known[Int(flags & 3)], since: try time())
        presence.isSuppressed = flags & 4 != 0
        presence.hasDwelled = flags & 8 != 0
        presence.isClosed = flags & 16 != 0
        presence.leaving = flags & 32 != 0 ? try time() : nil
        presence.restsOnOneFix = flags & 64 != 0
        if flags & 128 != 0 {
            let more = try self.flags(2)
            guard more != 0 else { throw invalid("empty flags") }
            presence.entering = more & 1 != 0 ? try time() : nil
            presence.isCoarse = more & 2 != 0
        }
        guard presence.isWorthKeeping, presence.canBeLeaving || presence.leaving == nil,
            presence.isPresent || !presence.restsOnOneFix,
            presence.entering == nil || presence.isSuppressed && presence.presence != .inside,
            !presence.isUndecided || flags == 7,
            !presence.isCoarse || presence.presence == .near
        else {
            throw invalid("contradictory presence")
        }
        return presence
    }

    /// Reads an id that must be greater than the one before it.
    mutating func id<Kind>(
        after last: inout Identifier<Kind>?
    ) throws(StateError) -> Identifier<Kind> {
        let id: Identifier<Kind> = try id()
        if let last, id <= last { throw invalid("ids are not ascending") }
        last = id
        return id
    }
}
