import Directory
import Geometry
import Model

/// An action on one's own journeys.
public enum JourneyAction: Hashable, Sendable {
    /// Returns the open journey, or starts one with this id.
    case start(JourneyID, name: String)
    case stop
    case reset
    case remove
}

/// A POST or DELETE of a journey.
public struct JourneyRequest: Hashable, Sendable {
    public var request: UInt64
    public var principal: Principal
    public var person: PersonID
    /// The journey's number; nil = unknown journey, or a new one.
    public var number: Int64?
    public var action: JourneyAction

    public init(
        request: UInt64, principal: Principal, person: PersonID, number: Int64? = nil,
        action: JourneyAction
    ) {
        self.request = request
        self.principal = principal
        self.person = person
        self.number = number
        self.action = action
    }
}

/// The result of a ``JourneyRequest``.
public enum JourneyAnswer: Hashable, Sendable {
    /// This journey is open now.
    case started(number: Int64, isNew: Bool)
    case changed(number: Int64)
    case removed
    /// The journey was stopped before and cannot be reset.
    case stopped
    case tooMany
}

/// The periods of all journeys, and which journey a fix belongs to.
///
/// Journeys of one person never overlap: the next one starts after the one before was stopped.
struct Journeys {
    /// The journeys of each person, ascending; only the last may be open.
    private var spans: [PersonID: [JourneySpan]]
    /// The circles that may see each person on a journey.
    private var sights: [PersonID: [JourneySight]] = [:]
    /// People whose sharing must be re-evaluated, and since when it may have changed.
    private var unchecked: [PersonID: Timestamp] = [:]
    private var nextNumber: Int64

    /// - Parameter lastNumber: the highest number in stored rows of points
    init(spans: [PersonID: [JourneySpan]], lastNumber: Int64) {
        self.spans = spans
        nextNumber = lastNumber + 1
        for (person, all) in spans where all.last?.isOpen == true {
            unchecked[person] = .distantFuture
        }
    }

    /// A person's open journey.
    func open(of person: PersonID) -> JourneySpan? {
        spans[person]?.last.flatMap { $0.isOpen ? $0 : nil }
    }

    /// Whether a person has any journey.
    func isKnown(_ person: PersonID) -> Bool { spans[person] != nil }

    var openCount: Int { spans.values.count { $0.last?.isOpen == true } }

    private func index(of number: Int64, _ person: PersonID) -> Int? {
        spans[person]?.firstIndex { $0.number == number }
    }

    /// Adds a fix of the primary device to the journey of its time, whenever it arrives.
    mutating func add(_ fix: Fix, of person: PersonID, into effects: inout [Effect]) {
        let index = spans[person]?.lastIndex { $0.started <= fix.time && fix.time <= $0.stopped }
        guard let index, let span = spans[person]?[index], span.fixes < Limits.journeyFixesMax
        else { return }
        spans[person]?[index].fixes += 1
        effects.append(.journey(.fix(fix, number: span.number)))
        guard span.isOpen, fix.time >= span.moved else { return }
        if let before = span.place {
            let metres = EarthPoint(before).straightMetres(to: EarthPoint(fix.position))
            guard metres > Limits.journeyMovedMetres else { return }
        }
        spans[person]?[index].moved = fix.time
        spans[person]?[index].place = fix.position
        effects.append(.journey(.moved(fix, number: span.number)))
    }

    /// Adds values of a later message to a fix of a journey.
    func complete(_ fix: Fix, of person: PersonID, into effects: inout [Effect]) {
        let span = spans[person]?.last { $0.started <= fix.time && fix.time <= $0.stopped }
        if let span { effects.append(.journey(.complete(fix, number: span.number))) }
    }

    // MARK: - Time

    /// Stops forgotten journeys: open, and not moved for this long.
    mutating func endForgotten(
        after quiet: Duration, at now: Timestamp, into effects: inout [Effect]
    ) {
        let forgotten = spans.compactMap { person, all in
            all.last.flatMap { $0.isOpen && now - $0.moved > quiet ? (person, $0.number) : nil }
        }
        for (person, number) in forgotten.sorted(by: { $0.0 < $1.0 }) {
            _ = stop(number, of: person, at: now, into: &effects)
        }
    }

    /// Deletes some of a person's journeys that ended before a time, oldest first.
    ///
    /// - Returns: whether more are left
    mutating func forget(
        _ person: PersonID, endedBefore time: Timestamp, into effects: inout [Effect]
    ) -> Bool {
        let old = (spans[person] ?? []).prefix { $0.stopped < time }
        for span in old.prefix(Limits.journeysForgottenPerTurn) {
            _ = remove(span.number, of: person, into: &effects)
        }
        return old.count > Limits.journeysForgottenPerTurn
    }

    // MARK: - Actions

    mutating func start(
        _ id: JourneyID, name: String, of person: PersonID, in directory: Replica,
        at now: Timestamp, into effects: inout [Effect]
    ) -> JourneyAnswer {
        if let open = open(of: person) { return .started(number: open.number, isNew: false) }
        guard spans[person, default: []].count < Limits.journeysPerPersonMax else {
            return .tooMany
        }
        // The previous one may have ended at this moment, or the clock was set back.
        let before = spans[person]?.last?.stopped ?? .zero
        let span = newSpan(startedAt: max(now, before + .milliseconds(1)))
        spans[person, default: []].append(span)
        effects.append(.journey(.start(span, id: id, person: person, name: name)))
        storeSights(person, span, since: span.started, in: directory, at: now, into: &effects)
        return .started(number: span.number, isNew: true)
    }

    mutating func stop(
        _ number: Int64, of person: PersonID, at now: Timestamp, into effects: inout [Effect]
    ) -> JourneyAnswer? {
        guard let index = index(of: number, person), let span = spans[person]?[index] else {
            return nil
        }
        if span.isOpen {
            let time = max(now, span.started)
            spans[person]?[index].stopped = time
            sights[person] = nil
            unchecked[person] = nil
            effects.append(.journey(.stop(number: number, at: time)))
        }
        return .changed(number: number)
    }

    /// Restarts an open journey without its earlier fixes.
    mutating func reset(
        _ number: Int64, of person: PersonID, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) -> JourneyAnswer? {
        guard let index = index(of: number, person), let span = spans[person]?[index] else {
            return nil
        }
        guard span.isOpen else { return .stopped }
        let again = newSpan(startedAt: max(now, span.started))
        sights[person] = nil
        spans[person]?[index] = again
        effects.append(.journey(.reset(number: number, to: again)))
        storeSights(person, again, since: again.started, in: directory, at: now, into: &effects)
        return .changed(number: again.number)
    }

    mutating func remove(
        _ number: Int64, of person: PersonID, into effects: inout [Effect]
    ) -> JourneyAnswer? {
        guard let index = index(of: number, person) else { return nil }
        if spans[person]?[index].isOpen == true {
            sights[person] = nil
            unchecked[person] = nil
        }
        spans[person]?.remove(at: index)
        if spans[person]?.isEmpty == true { spans[person] = nil }
        effects.append(.journey(.remove(number: number)))
        return .removed
    }

    /// Forgets a removed person.
    mutating func forget(_ person: PersonID, into effects: inout [Effect]) {
        guard spans.removeValue(forKey: person) != nil else { return }
        sights[person] = nil
        unchecked[person] = nil
        effects.append(.journey(.removeAll(person)))
    }

    private mutating func newSpan(startedAt time: Timestamp) -> JourneySpan {
        defer { nextNumber += 1 }
        return JourneySpan(number: nextNumber, started: time)
    }

    // MARK: - Visibility to others

    /// Marks people on a journey whose sharing may change with the directory.
    mutating func recordChange(_ change: EventBody, at time: Timestamp, before directory: Replica) {
        let members: [Membership]
        switch change {
        case .circleChanged(let circle):
            members = circle.members + (directory.circle(circle.id)?.members ?? [])
        case .circleRemoved(let removal):
            members = directory.circle(removal.circle)?.members ?? []
        default: return
        }
        for member in members where open(of: member.person) != nil {
            unchecked[member.person] = min(unchecked[member.person] ?? time, time)
        }
    }

    /// Stores the sharing of people whose circles have changed.
    mutating func updateSights(
        in directory: Replica, at now: Timestamp, into effects: inout [Effect]
    ) {
        guard !unchecked.isEmpty else { return }
        for (person, since) in unchecked.sorted(by: { $0.key < $1.key }) {
            guard let span = open(of: person) else { continue }
            storeSights(
                person, span, since: max(span.started, min(since, now)), in: directory, at: now,
                into: &effects)
        }
        unchecked.removeAll()
    }

    private mutating func storeSights(
        _ person: PersonID, _ span: JourneySpan, since: Timestamp, in directory: Replica,
        at now: Timestamp, into effects: inout [Effect]
    ) {
        let seen = Journeys.sights(of: person, since: since, in: directory, at: now)
        if let known = sights[person], Journeys.matchesExpectation(seen, known) { return }
        sights[person] = seen
        effects.append(.journey(.sights(seen, number: span.number)))
    }

    /// Whether the sharing matches what was stored as expected.
    private static func matchesExpectation(_ seen: [JourneySight], _ known: [JourneySight]) -> Bool
    {
        guard let first = seen.first,
            let index = known.lastIndex(where: { $0.since <= first.since })
        else { return false }
        return known[index].circles == first.circles && known[(index + 1)...] == seen.dropFirst()
    }

    /// Who sees a person's exact position from a time on, including pauses that end by themselves.
    private static func sights(
        of person: PersonID, since: Timestamp, in directory: Replica, at now: Timestamp
    ) -> [JourneySight] {
        var shared: [(circle: CircleID, from: Timestamp)] = []
        for id in directory.circles(of: person) {
            guard let member = directory.circle(id)?.member(person), member.precision == .exact
            else { continue }
            switch member.sharing {
            case .on: shared.append((id, since))
            case .off: break
            case .pausedUntil(let end): shared.append((id, max(end, since)))
            }
        }
        let times = Set(shared.map(\.from) + [since]).sorted()
        return times.map { time in
            JourneySight(
                since: time, circles: shared.filter { $0.from <= time }.map(\.circle).sorted())
        }
    }
}

extension Core {
    /// Adds a new fix to the journey of its time, if it comes from the primary device.
    mutating func addToJourney(
        _ report: Report, in directory: Replica, into effects: inout [Effect]
    ) {
        guard journeys.isKnown(report.person) else { return }
        let primary = directory.primaryDevice(
            of: report.person, first: intake.firstDevices[report.person])
        guard primary == report.device else { return }
        journeys.add(report.fix, of: report.person, into: &effects)
    }

    /// Changes a journey. Only its person may start, stop, reset or remove it.
    mutating func change(
        _ request: JourneyRequest, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let person = request.person
        let decision = directory.decide(
            request.principal, .keepJourneys, on: .person(person), at: now)
        if let denial = decision.denial {
            effects.append(.answer(request: request.request, .denied(denial)))
            return
        }
        let number = request.number ?? 0
        let answer: JourneyAnswer? =
            switch request.action {
            case .start(let id, let name):
                journeys.start(
                    id, name: name, of: person, in: directory, at: now, into: &effects)
            case .stop: journeys.stop(number, of: person, at: now, into: &effects)
            case .reset:
                journeys.reset(number, of: person, in: directory, at: now, into: &effects)
            case .remove: journeys.remove(number, of: person, into: &effects)
            }
        effects.append(
            .answer(request: request.request, answer.map { .journey($0) } ?? .notFound))
    }
}
