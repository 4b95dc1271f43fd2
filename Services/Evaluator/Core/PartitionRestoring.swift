import Model

// The way back from bytes: configuration first, then what the log led to.
extension PartitionState {
    /// The state at a position of the log, from which the rest of the log leads to the same as
    /// from the first record.
    ///
    /// - Parameters:
    ///   - configuration: `input.circle`, `input.set` (each page) and `input.person` as they were
    ///     last given before the position, in any order
    ///   - state: what ``encodedState()`` said there
    /// - Throws: ``StateError`` for bytes that are no state of that configuration.
    public init(
        configuration: [Event], state: [UInt8], logics: EvaluatorLogics = .current
    ) throws(StateError) {
        self.init(logics: logics)
        for event in configuration {
            switch event.body {
            case .inputCircle, .inputSet, .inputPerson: _ = configure(event.body)
            default: throw StateError(.mismatch, "configuration", "\(event.kind) is none")
            }
        }
        var reader = StateReader(state)
        try read(&reader)
    }

    private mutating func read(_ reader: inout StateReader) throws(StateError) {
        let form: UInt16 = try reader.number()
        guard EvaluatorLimits.stateFormMin...EvaluatorLimits.stateForm ~= form else {
            throw StateError(.version, "state", "it is written in form \(form)")
        }
        logic = Int(try reader.number(UInt16.self))
        guard let rules = logics.rules(of: logic) else {
            throw StateError(.version, "state", "it is of logic \(logic)")
        }
        isHeld = try reader.flags(1) == 1
        reader.operation = "people"
        var last: PersonID?
        for _ in 0..<(try reader.count(bytesMin: 40)) {
            let id: PersonID = try reader.id(after: &last)
            let place = people.place(of: id, making: PersonState(id: id))
            try people[place].read(&reader)
            try check(people[place], reader)
            let person = people[place]
            people[place].alarms = try reader.alarms { [zones] zone in
                person.presence(in: zone).flatMap { person.stay(in: $0, zones, at: person.passed) }
            }
            people[place].policy = try reader.policy()
            (people[place].silence, people[place].batteryNotice) = try reader.silence()
            people[place].absence = nextAbsence(of: people[place], after: people[place].passed)
            people[place].isAbsenceStale = false
            people[place].findWake(zones, at: arrangements, rules)
            try checkClock(of: people[place], reader)
        }
        guard reader.isAtEnd else {
            throw StateError(.truncated, "state", "it goes on after its end")
        }
    }

    /// A clock runs for the first wait. Without it a state could be waited through for ages.
    private func checkClock(
        of person: PersonState, _ reader: StateReader
    ) throws(StateError) {
        guard person.wake < .distantFuture else { return }
        guard let clock = person.clock, person.wake >= clock - .seconds(86_400) else {
            throw reader.refusal("a wait that no clock runs for")
        }
    }

    private func check(_ person: PersonState, _ reader: StateReader) throws(StateError) {
        for presence in person.presences {
            guard zones.zone(presence.zone, of: person, at: person.passed) != nil else {
                throw StateError(
                    .mismatch, reader.operation, "a zone that does not judge somebody")
            }
        }
    }
}

extension PersonState {
    fileprivate mutating func read(_ reader: inout StateReader) throws(StateError) {
        // Since form 6; the one before knows no flag of 128.
        let flags = try reader.flags(8)
        passed = try reader.time()
        firstDevice = flags & 1 == 0 ? nil : try reader.id()
        trusted = flags & 2 == 0 ? nil : try reader.judgedFix()
        usualSilence = flags & 64 == 0 ? 0 : Int32(try reader.number(UInt16.self))
        guard flags & 64 == 0 || trusted != nil && 1...2000 ~= usualSilence else {
            throw reader.refusal("a silence that nobody keeps")
        }
        previous = flags & 128 == 0 ? nil : try reader.fix()
        guard previous == nil || trusted != nil else {
            throw reader.refusal("a fix before none")
        }
        if flags & 4 != 0 {
            suspect = SuspectFix(fix: try reader.judgedFix(), since: try reader.time())
        }
        lastFix = flags & 8 == 0 ? trusted?.fix : try reader.fix()
        battery = flags & 16 == 0 ? nil : try reader.number()
        clock = flags & 32 == 0 ? nil : try reader.time()
        guard flags & 8 == 0 || lastFix != trusted?.fix else {
            throw reader.refusal("a last fix told twice")
        }
        var lastZone: ZoneID?
        for _ in 0..<(try reader.count(bytesMin: 25)) {
            presences.append(try reader.presence(after: &lastZone))
        }
        guard trusted != nil || (suspect == nil && presences.isEmpty) else {
            throw reader.refusal("presences without a fix")
        }
        emergency = try reader.emergencies(of: id)
    }
}

extension StateReader {
    fileprivate mutating func judgedFix() throws(StateError) -> JudgedFix {
        JudgedFix(fix: try fix(), device: try id(), report: try id())
    }

    fileprivate mutating func presence(
        after last: inout ZoneID?
    ) throws(StateError) -> ZonePresence {
        let zone: ZoneID = try id(after: &last)
        // Since form 6; the one before knows no flag of 128.
        let flags = try flags(8)
        let known: [Presence] = [.outside, .near, .inside, .unknown]
        var presence = ZonePresence(
            zone: zone, presence: known[Int(flags & 3)], since: try time())
        presence.isWithheld = flags & 4 != 0
        presence.hasDwelled = flags & 8 != 0
        presence.isClosed = flags & 16 != 0
        presence.leaving = flags & 32 != 0 ? try time() : nil
        presence.restsOnOneFix = flags & 64 != 0
        if flags & 128 != 0 {
            let more = try self.flags(2)
            guard more != 0 else { throw refusal("a flag that says nothing") }
            presence.entering = more & 1 != 0 ? try time() : nil
            presence.isCoarse = more & 2 != 0
        }
        guard presence.isWorthKeeping, presence.canBeLeaving || presence.leaving == nil,
            presence.counts || !presence.restsOnOneFix,
            presence.entering == nil || presence.isWithheld && presence.presence != .inside,
            !presence.isUndecided || flags == 7,
            !presence.isCoarse || presence.presence == .near
        else {
            throw refusal("a presence that says nothing")
        }
        return presence
    }

    /// An id that is greater than the one before it.
    mutating func id<Kind>(
        after last: inout Identifier<Kind>?
    ) throws(StateError) -> Identifier<Kind> {
        let id: Identifier<Kind> = try id()
        if let last, id <= last { throw refusal("ids out of order") }
        last = id
        return id
    }
}
