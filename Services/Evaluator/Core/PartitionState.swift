import Hashing
import Model

/// The state of one partition, a pure function of its log.
///
/// The same records give the same state and outputs on every machine: time comes from records, ids
/// are hashes of their causes, and nothing depends on the order of a dictionary.
public struct PartitionState: Sendable {
    let logics: EvaluatorLogics
    var people = Slots<PersonKind, PersonState>()
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
    /// Whether every fix is evaluated by spatial search, without caches; decisions are the same.
    package var isFastPathDisabled = false
    /// Number of fixes for which no zone was evaluated.
    package internal(set) var quietFixes = 0
    private var buffers = Turn.Buffers()

    /// The state before the first record of a log.
    public init(logics: EvaluatorLogics = .current) {
        self.logics = logics
        rules = logics.rules(of: logic) ?? rules
    }

    /// Number of known people and circles.
    public var peopleCount: Int { people.count }
    public var circleCount: Int { zones.circles.count }
    /// Number of zones that are not evaluated because this program does not know their geometry
    /// format.
    public var unreadableZones: Int { zones.unreadable }

    /// Handles one record of `in/p` and appends the resulting events to `outputs`, in order.
    public mutating func handle(_ event: Event, into outputs: inout [Event]) {
        guard unknownLogic == nil else { return }
        if case .inputReport(let report) = event.body, skips(report, at: event.time) { return }
        if case .inputLogic(let change) = event.body {
            logic = change.version
            zones.generation += 1
        }
        guard logics.versions.contains(logic) else {
            unknownLogic = logic
            return
        }
        switch event.body {
        case .inputReport(let report):
            turn(report.person, event, into: &outputs) { $0.handle(report, &$1, &$2) }
        case .inputReports(let batch):
            for report in batch.reports where !skips(report, at: event.time) {
                turn(report.person, event.single(report), into: &outputs) {
                    $0.handle(report, &$1, &$2)
                }
            }
        case .inputDeadline(let expired) where expired.deadline.kind == .canary:
            outputs.append(event.cancellation(ofCanary: expired.deadline))
        case .inputCircle(let circle):
            reconfigure(.circle(circle.circle), event, into: &outputs)
        case .inputCircleRemoved(let removal):
            reconfigure(.circle(removal.circle), event, into: &outputs)
        case .inputSet(let set): reconfigure(.set(set.set), event, into: &outputs)
        case .inputSetRemoved(let removal):
            reconfigure(.set(removal.set), event, into: &outputs)
        case .inputIntakeOutage(let outage): exclude(outage, event, into: &outputs)
        case .inputContactLossHold(let hold): self.hold(hold.isHeld, event, into: &outputs)
        default:
            guard let (person, isAlsoNew) = event.body.concerned,
                isAlsoNew || people.index(of: person) != nil
            else { return }
            turn(person, event, into: &outputs) { $0.handle(event.body, &$1, &$2) }
            if case .inputPersonRemoved = event.body {
                people.remove(person, fillingWith: PersonState(id: person))
            }
        }
    }

    // MARK: One person

    /// Handles a record about one person, who is created if unknown: first everything that became
    /// due by time, then the record itself, then the deadline of the next wait.
    ///
    /// - Parameter first: what has to happen before anything becomes due.
    private mutating func turn(
        _ person: PersonID, _ event: Event, into outputs: inout [Event],
        first: (inout PersonState, inout Turn) -> Void = { _, _ in },
        _ body: (inout PersonState, inout KnownZones, inout Turn) -> Void
    ) {
        let index = people.index(of: person, inserting: PersonState(id: person))
        var turn = Turn(
            event, of: person, rules, isHeld: isHeld, usesFastPath: !isFastPathDisabled)
        swap(&turn.outputs, &outputs)
        swap(&turn.buffers, &buffers)
        people[index].endQuietFixes()
        first(&people[index], &turn)
        people[index].advance(to: event.time, &zones, &turn)
        body(&people[index], &zones, &turn)
        people[index].finish(&zones, &turn)
        swap(&turn.outputs, &outputs)
        swap(&turn.buffers, &buffers)
    }

    // MARK: Many people

    /// Advances people to the time of a record that changes what would be decided about them.
    /// Events caused by that have other ids than those caused by the record.
    private mutating func advance(
        _ people: [PersonID], _ event: Event, into outputs: inout [Event]
    ) {
        let before = Event(
            id: EventID(Hash.id("before", .id(event.id))), time: event.time, trace: event.trace,
            body: event.body)
        for person in people { turn(person, before, into: &outputs) { _, _, _ in } }
    }

    /// Applies the configuration of a circle or set, and re-evaluates the people concerned by their
    /// last fix.
    private mutating func reconfigure(
        _ owner: ZoneSource, _ event: Event, into outputs: inout [Event]
    ) {
        let members = people.keys { $0.presence.applicable.contains(owner) }
        advance(members, event, into: &outputs)
        guard let change = zones.apply(event.body) else { return }
        for member in members {
            turn(member, event, into: &outputs) {
                $0.presence.reconfigure(change, cause: event.id.raw, &$1, &$2)
            }
        }
    }

    /// Excludes an intake outage from the time without contact, before anything expires because of
    /// it.
    private mutating func exclude(
        _ outage: IntakeOutage, _ event: Event, into outputs: inout [Event]
    ) {
        for person in people.keys(where: { $0.contact.expectation != nil }) {
            let first = { (person: inout PersonState, turn: inout Turn) in
                person.contact.exclude(outage)
                turn.areWaitsStale = true
            }
            turn(person, event, into: &outputs, first: first) {
                $0.handle(event.body, &$1, &$2)
            }
        }
    }

    /// Starts or ends the contact-loss hold.
    private mutating func hold(
        _ isHeld: Bool, _ event: Event, into outputs: inout [Event]
    ) {
        guard self.isHeld != isHeld else { return }
        advance(
            people.keys { $0.contact.phase == .overdue || $0.contact.due <= event.time }, event,
            into: &outputs)
        self.isHeld = isHeld
        for person in people.keys(where: { $0.contact.phase == .overdue }) {
            turn(person, event, into: &outputs) { $0.handle(event.body, &$1, &$2) }
        }
    }
}
