import Directory
import Geometry
import Model

/// What somebody does with a journey of their own.
public enum JourneyAction: Hashable, Sendable {
    /// The open one, or a new one with this id.
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
    /// Of the journey that is meant; nil = there is no such one, or it is to be started.
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

/// What became of a ``JourneyRequest``.
public enum JourneyAnswer: Hashable, Sendable {
    /// This one is open now.
    case started(number: Int64, isNew: Bool)
    case changed(number: Int64)
    case removed
    /// It has been stopped, and stays as it is.
    case stopped
    case tooMany
}

/// Which journeys there are, and into which one a fix falls.
///
/// Journeys of one person never overlap: one begins only when the one before was stopped.
struct Journeys {
    /// Of each person, ascending; only the last may be open.
    private var spans: [PersonID: [JourneySpan]]
    /// What others may see of those who are on a journey, from the first time on.
    private var sights: [PersonID: [JourneySight]] = [:]
    /// People whose sharing is to be looked at, and since when it may be another.
    private var unsure: [PersonID: Timestamp] = [:]
    private var nextNumber: Int64

    /// - Parameter lastNumber: the highest number that rows of points bear
    init(spans: [PersonID: [JourneySpan]], lastNumber: Int64) {
        self.spans = spans
        nextNumber = lastNumber + 1
        for (person, all) in spans where all.last?.isOpen == true {
            unsure[person] = .distantFuture
        }
    }

    /// The journey that goes on.
    func open(of person: PersonID) -> JourneySpan? {
        spans[person]?.last.flatMap { $0.isOpen ? $0 : nil }
    }

    /// Whether a person has any journey at all.
    func isKnown(_ person: PersonID) -> Bool { spans[person] != nil }

    var openCount: Int { spans.values.count { $0.last?.isOpen == true } }

    private func place(of number: Int64, _ person: PersonID) -> Int? {
        spans[person]?.firstIndex { $0.number == number }
    }

    /// A fix of the leading device falls into the journey of its time, whenever it arrives.
    mutating func take(_ fix: Fix, of person: PersonID, into effects: inout [Effect]) {
        let place = spans[person]?.lastIndex { $0.started <= fix.time && fix.time <= $0.stopped }
        guard let place, let span = spans[person]?[place], span.fixes < Limits.journeyFixesMax
        else { return }
        spans[person]?[place].fixes += 1
        effects.append(.journey(.fix(fix, number: span.number)))
        guard span.isOpen, fix.time >= span.moved else { return }
        if let before = span.place {
            let metres = EarthPoint(before).straightMetres(to: EarthPoint(fix.position))
            guard metres > Limits.journeyMovedMetres else { return }
        }
        spans[person]?[place].moved = fix.time
        spans[person]?[place].place = fix.position
        effects.append(.journey(.moved(fix, number: span.number)))
    }

    /// A later message adds values to a fix that a journey may hold.
    func complete(_ fix: Fix, of person: PersonID, into effects: inout [Effect]) {
        let span = spans[person]?.last { $0.started <= fix.time && fix.time <= $0.stopped }
        if let span { effects.append(.journey(.complete(fix, number: span.number))) }
    }

    // MARK: - What time does

    /// Stops those that their people have forgotten: open, and nowhere else for so long.
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

    /// Forgets some of a person's that were over before a time, the oldest first.
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

    // MARK: - What the person does

    mutating func start(
        _ id: JourneyID, name: String, of person: PersonID, in directory: Replica,
        at now: Timestamp, into effects: inout [Effect]
    ) -> JourneyAnswer {
        if let open = open(of: person) { return .started(number: open.number, isNew: false) }
        guard spans[person, default: []].count < Limits.journeysPerPersonMax else {
            return .tooMany
        }
        // The one before may have ended at this very moment, or the clock was put back.
        let before = spans[person]?.last?.stopped ?? .zero
        let span = takeSpan(startedAt: max(now, before + .milliseconds(1)))
        spans[person, default: []].append(span)
        effects.append(.journey(.start(span, id: id, person: person, name: name)))
        see(person, span, since: span.started, in: directory, at: now, into: &effects)
        return .started(number: span.number, isNew: true)
    }

    mutating func stop(
        _ number: Int64, of person: PersonID, at now: Timestamp, into effects: inout [Effect]
    ) -> JourneyAnswer? {
        guard let place = place(of: number, person), let span = spans[person]?[place] else {
            return nil
        }
        if span.isOpen {
            let time = max(now, span.started)
            spans[person]?[place].stopped = time
            sights[person] = nil
            unsure[person] = nil
            effects.append(.journey(.stop(number: number, at: time)))
        }
        return .changed(number: number)
    }

    /// Begins an open journey again: what was before is none of it.
    mutating func reset(
        _ number: Int64, of person: PersonID, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) -> JourneyAnswer? {
        guard let place = place(of: number, person), let span = spans[person]?[place] else {
            return nil
        }
        guard span.isOpen else { return .stopped }
        let again = takeSpan(startedAt: max(now, span.started))
        sights[person] = nil
        spans[person]?[place] = again
        effects.append(.journey(.reset(number: number, to: again)))
        see(person, again, since: again.started, in: directory, at: now, into: &effects)
        return .changed(number: again.number)
    }

    mutating func remove(
        _ number: Int64, of person: PersonID, into effects: inout [Effect]
    ) -> JourneyAnswer? {
        guard let place = place(of: number, person) else { return nil }
        if spans[person]?[place].isOpen == true {
            sights[person] = nil
            unsure[person] = nil
        }
        spans[person]?.remove(at: place)
        if spans[person]?.isEmpty == true { spans[person] = nil }
        effects.append(.journey(.remove(number: number)))
        return .removed
    }

    /// Forgets a person who is gone.
    mutating func forget(_ person: PersonID, into effects: inout [Effect]) {
        guard spans.removeValue(forKey: person) != nil else { return }
        sights[person] = nil
        unsure[person] = nil
        effects.append(.journey(.removeAll(person)))
    }

    private mutating func takeSpan(startedAt time: Timestamp) -> JourneySpan {
        defer { nextNumber += 1 }
        return JourneySpan(number: nextNumber, started: time)
    }

    // MARK: - What others may see of it

    /// Notes that the directory is about to change: whoever is on a journey in such a circle may
    /// share otherwise from that time on.
    mutating func note(_ change: EventBody, at time: Timestamp, before directory: Replica) {
        let members: [Membership]
        switch change {
        case .circleChanged(let circle):
            members = circle.members + (directory.circle(circle.id)?.members ?? [])
        case .circleRemoved(let removal):
            members = directory.circle(removal.circle)?.members ?? []
        default: return
        }
        for member in members where open(of: member.person) != nil {
            unsure[member.person] = min(unsure[member.person] ?? time, time)
        }
    }

    /// Stores how those whose circles have changed share now.
    mutating func look(in directory: Replica, at now: Timestamp, into effects: inout [Effect]) {
        guard !unsure.isEmpty else { return }
        for (person, since) in unsure.sorted(by: { $0.key < $1.key }) {
            guard let span = open(of: person) else { continue }
            see(
                person, span, since: max(span.started, min(since, now)), in: directory, at: now,
                into: &effects)
        }
        unsure.removeAll()
    }

    private mutating func see(
        _ person: PersonID, _ span: JourneySpan, since: Timestamp, in directory: Replica,
        at now: Timestamp, into effects: inout [Effect]
    ) {
        let seen = Journeys.sights(of: person, since: since, in: directory, at: now)
        if let known = sights[person], Journeys.isAsExpected(seen, known) { return }
        sights[person] = seen
        effects.append(.journey(.sights(seen, number: span.number)))
    }

    /// Whether it comes as was thought before.
    private static func isAsExpected(_ seen: [JourneySight], _ known: [JourneySight]) -> Bool {
        guard let first = seen.first,
            let place = known.lastIndex(where: { $0.since <= first.since })
        else { return false }
        return known[place].circles == first.circles && known[(place + 1)...] == seen.dropFirst()
    }

    /// Who sees a person's exact place from a time on: pauses end by themselves.
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
    /// Puts a new fix into the journey that it belongs to, if it is the leading device's.
    mutating func travel(
        _ report: Report, in directory: Replica, into effects: inout [Effect]
    ) {
        guard journeys.isKnown(report.person) else { return }
        let leader = directory.leadingDevice(
            of: report.person, first: intake.firstDevices[report.person])
        guard leader == report.device else { return }
        journeys.take(report.fix, of: report.person, into: &effects)
    }

    /// A journey is its person's: nobody else starts, ends or removes it.
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
