import Model

// The way back from bytes: configuration first, then what the log led to.
extension PartitionState {
    /// The state at a position of the log, from which the rest of the log leads to the same as
    /// from the first record.
    ///
    /// - Parameters:
    ///   - configuration: `input.circle` and `input.person` as they were last given before the
    ///     position, in any order
    ///   - state: what ``encodedState()`` said there
    /// - Throws: ``StateError`` for bytes that are no state of that configuration.
    public init(
        configuration: [Event], state: [UInt8], logics: EvaluatorLogics = .current
    ) throws(StateError) {
        self.init(logics: logics)
        for event in configuration {
            switch event.body {
            case .inputCircle(let circle): place(circle)
            case .inputPerson(let person): place(person)
            default: throw StateError(.mismatch, "configuration", "\(event.kind) is none")
            }
        }
        forgetMarks()
        var reader = StateReader(state)
        try read(&reader)
    }

    /// Everything placed so far was there before the first decision.
    private mutating func forgetMarks() {
        for id in circles.keys {
            if let place = circles.place(of: id) { circles[place].forgetMarks() }
        }
        for id in people.keys {
            if let place = people.place(of: id) { people[place].forgetMarks() }
        }
    }

    private mutating func read(_ reader: inout StateReader) throws(StateError) {
        let form: UInt16 = try reader.number()
        guard form == EvaluatorLimits.stateForm else {
            throw StateError(.version, "state", "it is written in form \(form)")
        }
        logic = Int(try reader.number(UInt16.self))
        guard logics.versions.contains(logic) else {
            throw StateError(.version, "state", "it is of logic \(logic)")
        }
        configurations = try reader.number()
        guard configurations <= EvaluatorLimits.configurationsMax else {
            throw reader.refusal("\(configurations) records of configuration")
        }
        reader.operation = "circles"
        var lastCircle: CircleID?
        for _ in 0..<(try reader.count(bytesMin: 20)) {
            let id: CircleID = try reader.id(after: &lastCircle)
            guard let place = circles.place(of: id) else {
                throw StateError(.mismatch, reader.operation, "a circle that is not configured")
            }
            try reader.marks(of: &circles[place], through: configurations)
        }
        reader.operation = "people"
        var lastPerson: PersonID?
        for _ in 0..<(try reader.count(bytesMin: 42)) {
            let id: PersonID = try reader.id(after: &lastPerson)
            let place = people.place(of: id, making: PersonState(id: id))
            try people[place].read(&reader, through: configurations)
        }
        guard reader.isAtEnd else {
            throw StateError(.truncated, "state", "it goes on after its end")
        }
    }
}

extension PersonState {
    fileprivate mutating func forgetMarks() {
        ownZones.forgetMarks()
        for index in circles.indices { circles[index].since = 0 }
    }

    fileprivate mutating func read(
        _ reader: inout StateReader, through configurations: UInt64
    ) throws(StateError) {
        let flags = try reader.flags(5)
        leaderIsNew = flags & 1 == 1
        decidedAt = try reader.mark(through: configurations)
        firstDevice = flags & 2 == 0 ? nil : try reader.id()
        decidedFix = flags & 4 == 0 ? nil : try reader.time()
        lastFix = flags & 8 == 0 ? nil : try reader.fix()
        battery = flags & 16 == 0 ? nil : try reader.number()
        var lastZone: ZoneID?
        for _ in 0..<(try reader.count(bytesMin: 16)) {
            inside.append(try reader.id(after: &lastZone))
        }
        var lastCircle: CircleID?
        for _ in 0..<(try reader.count(bytesMin: 24)) {
            let circle: CircleID = try reader.id(after: &lastCircle)
            guard let link = circles.firstIndex(where: { $0.circle == circle }) else {
                throw StateError(.mismatch, reader.operation, "a circle that somebody is not in")
            }
            circles[link].since = try reader.mark(through: configurations)
        }
        try reader.marks(of: &ownZones, through: configurations)
        emergency = try reader.emergencies(of: id)
    }
}

extension StateReader {
    /// An id that is greater than the one before it.
    fileprivate mutating func id<Kind>(
        after last: inout Identifier<Kind>?
    ) throws(StateError) -> Identifier<Kind> {
        let id: Identifier<Kind> = try id()
        if let last, id <= last { throw refusal("ids out of order") }
        last = id
        return id
    }

    /// When something came, counted in records of configuration.
    fileprivate mutating func mark(through last: UInt64) throws(StateError) -> UInt64 {
        let mark: UInt64 = try number()
        guard mark <= last else { throw refusal("a mark of the future") }
        return mark
    }

    fileprivate mutating func marks(
        of zones: inout JudgedZones, through last: UInt64
    ) throws(StateError) {
        var lastZone: ZoneID?
        for _ in 0..<(try count(bytesMin: 24)) {
            let id: ZoneID = try id(after: &lastZone)
            guard zones.mark(id, since: try mark(through: last)) else {
                throw StateError(.mismatch, operation, "a zone that is not configured")
            }
        }
    }
}
