import Hashing
import Model

// Encodes a partition's state: everything that results from the log and is not configuration. Equal
// behaviour gives equal bytes because everything is ordered by id.
extension PartitionState {
    /// All that decides what comes, beside the configuration; `docs/evaluation.md` has
    /// the grammar.
    public func encodedState() -> [UInt8] {
        var writer = StateWriter()
        writer.put(EvaluatorLimits.stateForm)
        writer.put(UInt16(clamping: logic))
        writer.put(flags: [isHeld])
        let rows = people.keys { !$0.isAsConfigured }.compactMap { id in
            people.index(of: id).map {
                quietFixFilters.count > $0
                    ? quietFixFilters[$0].applied(to: people[$0]) : people[$0]
            }
        }
        writer.put(list: rows) { $0.put($1) }
        return writer.bytes
    }

    /// The hash of the encoded state. Every owner has the same hash at the same position.
    public var stateHash: UInt64 { PartitionState.hash(ofState: encodedState()) }

    /// The hash of an encoded state, for those who store it.
    public static func hash(ofState bytes: [UInt8]) -> UInt64 { Hash.state(bytes) }
}

extension PersonState {
    /// Whether the person has no state besides configuration.
    fileprivate var isAsConfigured: Bool {
        firstDevice == nil && trusted == nil && presences.isEmpty && lastFix == nil
            && battery == nil && deadline == nil && emergency == EmergencyMachine()
            && alarms == AlarmMachine() && policy.sent == nil && !policy.isStale
            && contact == ContactMachine() && batteryNotice == BatteryNotice()
    }
}

extension StateWriter {
    fileprivate mutating func put(_ person: PersonState) {
        let lastFix = person.lastFix == person.trusted?.fix ? nil : person.lastFix
        put(person.id)
        put(flags: [
            person.firstDevice != nil, person.trusted != nil, person.suspect != nil,
            lastFix != nil, person.battery != nil, person.deadline != nil, person.usualInterval > 0,
            person.previous != nil,
        ])
        put(person.passed)
        if let device = person.firstDevice { put(device) }
        if let trusted = person.trusted { put(trusted) }
        if person.usualInterval > 0 { put(UInt16(person.usualInterval)) }
        if let previous = person.previous { put(previous) }
        if let suspect = person.suspect {
            put(suspect.fix)
            put(suspect.since)
        }
        if let lastFix { put(lastFix) }
        if let battery = person.battery { put(battery) }
        if let deadline = person.deadline { put(deadline) }
        put(list: person.presences) { $0.put($1) }
        put(person.emergency)
        put(person.alarms)
        put(person.policy)
        put(person.contact, person.batteryNotice)
    }

    private mutating func put(_ fix: EvaluatedFix) {
        put(fix.fix)
        put(fix.device)
        put(fix.report)
    }

    private mutating func put(_ presence: ZonePresence) {
        put(presence.zone)
        put(flags: [
            presence.presence == .near || presence.isUndecided,
            presence.presence == .inside || presence.isUndecided, presence.isSuppressed,
            presence.hasDwelled, presence.isClosed, presence.leaving != nil,
            presence.restsOnOneFix, presence.entering != nil || presence.isCoarse,
        ])
        put(presence.since)
        if let leaving = presence.leaving { put(leaving) }
        guard presence.entering != nil || presence.isCoarse else { return }
        put(flags: [presence.entering != nil, presence.isCoarse])
        if let entering = presence.entering { put(entering) }
    }
}
