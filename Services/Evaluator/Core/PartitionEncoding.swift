import Hashing
import Model

// The state of a partition as bytes: what the log led to and its configuration does not tell.
// Equal behaviour gives equal bytes: everything is in the order of ids.
extension PartitionState {
    /// All that decides what comes, beside the configuration; `Services/Evaluator/README.md` has
    /// the grammar.
    public func encodedState() -> [UInt8] {
        var writer = StateWriter()
        writer.put(EvaluatorLimits.stateForm)
        writer.put(UInt16(clamping: logic))
        writer.put(flags: [isHeld])
        let rows = people.keys { !$0.isAsConfigured }.compactMap { id in
            people.place(of: id).map {
                calms.count > $0 ? calms[$0].applied(to: people[$0]) : people[$0]
            }
        }
        writer.put(list: rows) { $0.put($1) }
        return writer.bytes
    }

    /// Whoever comes to the same position by another way has the same.
    public var stateHash: UInt64 { PartitionState.hash(ofState: encodedState()) }

    /// Of an encoded state; whoever keeps it computes the same.
    public static func hash(ofState bytes: [UInt8]) -> UInt64 { Hash.state(bytes) }
}

extension PersonState {
    /// Whether nothing happened beside configuration.
    fileprivate var isAsConfigured: Bool {
        firstDevice == nil && trusted == nil && presences.isEmpty && lastFix == nil
            && battery == nil && clock == nil && emergency == EmergencyLife()
            && alarms == AlarmLife() && policy.told == nil && !policy.isStale
            && silence == Silence() && batteryNotice == BatteryNotice()
    }
}

extension StateWriter {
    fileprivate mutating func put(_ person: PersonState) {
        let lastFix = person.lastFix == person.trusted?.fix ? nil : person.lastFix
        put(person.id)
        put(flags: [
            person.firstDevice != nil, person.trusted != nil, person.suspect != nil,
            lastFix != nil, person.battery != nil, person.clock != nil, person.usualSilence > 0,
            person.previous != nil,
        ])
        put(person.passed)
        if let device = person.firstDevice { put(device) }
        if let trusted = person.trusted { put(trusted) }
        if person.usualSilence > 0 { put(UInt16(person.usualSilence)) }
        if let previous = person.previous { put(previous) }
        if let suspect = person.suspect {
            put(suspect.fix)
            put(suspect.since)
        }
        if let lastFix { put(lastFix) }
        if let battery = person.battery { put(battery) }
        if let clock = person.clock { put(clock) }
        put(list: person.presences) { $0.put($1) }
        put(person.emergency)
        put(person.alarms)
        put(person.policy)
        put(person.silence, person.batteryNotice)
    }

    private mutating func put(_ fix: JudgedFix) {
        put(fix.fix)
        put(fix.device)
        put(fix.report)
    }

    private mutating func put(_ presence: ZonePresence) {
        put(presence.zone)
        put(flags: [
            presence.presence == .near || presence.isUndecided,
            presence.presence == .inside || presence.isUndecided, presence.isWithheld,
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
