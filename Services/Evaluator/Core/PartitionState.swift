import Hashing
import Model

/// The state of one partition, a pure function of its log.
///
/// The same records give the same state and outputs on every machine: time comes from records, ids
/// are hashes of their causes, and nothing depends on the order of a dictionary.
public struct PartitionState: Sendable {
    let logics: EvaluatorLogics
    var people = Slots<PersonKind, PersonState>()
    /// At the same indices as ``people``.
    var quietFixFilters = Slab<QuietFixFilter>()
    var zones = KnownZones()
    /// The current version of the logic, as set by the log.
    public internal(set) var logic = EvaluatorLogics.first {
        didSet { rules = logics.rules(of: logic) ?? rules }
    }
    /// The rules of ``logic``; those of the version before if this program does not know it.
    private(set) var rules = EvaluatorRules()
    /// Whether contact loss is held because so many devices became silent at once that the suite
    /// itself may be the cause. Nobody becomes lost meanwhile.
    var isHeld = false
    /// A version set by the log that this program does not know; the partition then handles no more
    /// records.
    public private(set) var unknownLogic: Int?
    /// Number of zones that are not evaluated because this program does not know their geometry
    /// format.
    public internal(set) var unreadableZones = 0
    /// Whether every fix is evaluated by spatial search, without caches; decisions are the same.
    package var isQuietFixFilterDisabled = false
    /// Number of fixes for which no zone was evaluated.
    package internal(set) var quietFixes = 0
    /// Counts changes of configuration or logic, which may affect people who do not move. Not part
    /// of the state.
    var configurationGeneration: UInt64 = 0
    /// Reusable buffers of zone searches; meaningless between records.
    var zoneSearch = ActiveZones.Search()
    /// Further reusable buffers; meaningless between records.
    var nearbyZoneSearch = NearbyZoneSearch()
    var zoneProbe = ZoneProbe()
    var alertStays: [AlarmStay] = []
    var changes: [PresenceChange] = []

    /// The state before the first record of a log.
    public init(logics: EvaluatorLogics = .current) {
        self.logics = logics
        rules = logics.rules(of: logic) ?? rules
    }

    /// Number of known people and circles.
    public var peopleCount: Int { people.count }
    public var circleCount: Int { zones.circles.count }

    /// Handles one record of `in/p` and appends the resulting events to `outputs`, in order.
    public mutating func handle(_ event: Event, into outputs: inout [Event]) {
        guard unknownLogic == nil else { return }
        if case .inputReport(let report) = event.body, handleQuietly(report, at: event.time) {
            return
        }
        if case .inputLogic(let change) = event.body {
            logic = change.version
            configurationGeneration += 1
        }
        guard logics.versions.contains(logic) else {
            unknownLogic = logic
            return
        }
        let rules = rules
        switch event.body {
        case .inputReport(let report): evaluate(report, event, rules, into: &outputs)
        case .inputReports(let batch):
            for report in batch.reports where !handleQuietly(report, at: event.time) {
                evaluate(report, event.single(report), rules, into: &outputs)
            }
        case .inputDeadline(let expired)
        where expired.deadline.rule == .presence || expired.deadline.rule == .contact:
            expire(expired.deadline, event, rules, into: &outputs)
        case .inputDeadline(let expired) where expired.deadline.rule == .canary:
            outputs.append(event.cancellation(ofCanary: expired.deadline))
        case .inputSignal, .inputCancel, .inputDeadline, .inputAcknowledgement, .inputResolution,
            .inputFallbackOpened, .inputEmergencySnapshot:
            handleEmergency(event, rules, into: &outputs)
        case .inputArming(let arming): arm(arming, event, rules, into: &outputs)
        case .inputAlarmAnswer(let answer): handleAlarmAnswer(answer, event, rules, into: &outputs)
        case .inputContactExpectation, .inputContact, .inputWatch, .inputIntakeOutage,
            .inputContactLossHold,
            .inputImpairment:
            handleContactInput(event, rules, into: &outputs)
        default: reconfigure(event, rules, into: &outputs)
        }
    }

    /// Applies a report that changes nothing but its person's position.
    ///
    /// - Returns: false if the report has to be evaluated in full.
    @inline(__always)
    private mutating func handleQuietly(_ report: borrowing Report, at time: Timestamp) -> Bool {
        guard let index = people.index(of: report.person), index < quietFixFilters.count,
            quietFixFilters[index].admits(report, at: time, configurationGeneration, rules)
        else { return false }
        let localPoint = people[index].nearbyZones.localPoint(of: report.fix.position)
        guard quietFixFilters[index].canMove(to: report.fix, at: localPoint, rules) else {
            return false
        }
        if !people[index].nearbyZones.isClear(localPoint)
            || !quietFixFilters[index].isPolicyUnchanged(at: localPoint)
        {
            guard
                people[index].isQuiet(
                    report, at: time, localPoint, &quietFixFilters[index], zones, rules)
            else { return false }
        }
        quietFixFilters[index].apply(report, at: time, localPoint, rules)
        quietFixes += 1
        return true
    }
}

extension Event {
    /// A canary deadline is cancelled by its reader, which returns it to the notifier.
    fileprivate func cancellation(ofCanary deadline: Deadline) -> Event {
        Event(
            id: Hash.derivedID(
                kind: .deadlineCancelled, person: deadline.person, subject: .id(deadline.id),
                cause: id.raw),
            time: time, trace: trace, body: .deadlineCancelled(deadline))
    }

    /// The record of one report of a batch, as if it had arrived alone.
    fileprivate func single(_ report: Report) -> Event {
        Event(
            id: EventID(report.id.raw), time: time, trace: report.trace,
            body: .inputReport(report))
    }
}
