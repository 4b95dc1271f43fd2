import Directory
import Geometry
import Model

/// Decides which fixes belong to which journey, and who may see its parts.
///
/// Journeys of one person never overlap: the next one starts after the one before was stopped.
public struct Journeys: Sendable {
    /// What survives the process.
    public struct Stored: Sendable {
        /// The journeys of each person, ascending; only the last may be open.
        public var spans: [PersonID: [JourneySpan]] = [:]
        /// The highest number under which fixes are stored.
        public var lastNumber: Int64 = 0

        public init() {}
    }

    private var spans: [PersonID: [JourneySpan]]
    private var sharing: JourneySharing
    private var nextNumber: Int64

    public init(_ stored: Stored) {
        spans = stored.spans
        nextNumber = stored.lastNumber + 1
        sharing = JourneySharing(
            travellers: spans.compactMap { person, all in all.last?.isOpen == true ? person : nil })
    }

    /// A person's open journey.
    public func open(of person: PersonID) -> JourneySpan? {
        spans[person]?.last.flatMap { $0.isOpen ? $0 : nil }
    }

    /// Whether a person has any journey.
    public func isKnown(_ person: PersonID) -> Bool { spans[person] != nil }

    /// Whether a person has a journey that ended before a time.
    public func hasEnded(_ person: PersonID, before time: Timestamp) -> Bool {
        spans[person]?.first.map { $0.stopped < time } ?? false
    }

    public var openCount: Int { spans.values.count { $0.last?.isOpen == true } }

    /// Handles one input and emits its effects.
    public mutating func handle(_ input: Input, _ turn: inout Turn<Effect>) {
        switch input {
        case .request(let request):
            let answer = answer(request, &turn)
            turn.emit(.answer(request: request.request, answer))
        case .fix(let fix, let person): add(fix, of: person, &turn)
        case .completedFix(let fix, let person): complete(fix, of: person, &turn)
        case .directoryChanging(let change, let time):
            sharing.recordChange(change, at: time, before: turn.directory, of: spans)
            if case .personRemoved(let removal) = change { forget(removal.person, &turn) }
        case .forget(let person, let time): forget(person, endedBefore: time, &turn)
        case .stopForgotten(let quiet): stopForgotten(after: quiet, &turn)
        case .turnEnd: sharing.update(spans, &turn)
        }
    }

    // MARK: Fixes

    /// Adds a fix to the journey of its time, whenever it arrives.
    private mutating func add(_ fix: Fix, of person: PersonID, _ turn: inout Turn<Effect>) {
        let index = spans[person]?.lastIndex { $0.started <= fix.time && fix.time <= $0.stopped }
        guard let index, let span = spans[person]?[index], span.fixes < JourneyLimits.fixesMax
        else { return }
        spans[person]?[index].fixes += 1
        turn.emit(.save(.fix(fix, number: span.number)))
        guard span.isOpen, fix.time >= span.moved else { return }
        if let before = span.place {
            let metres = EarthPoint(before).straightMetres(to: EarthPoint(fix.position))
            guard metres > JourneyLimits.movedMetres else { return }
        }
        spans[person]?[index].moved = fix.time
        spans[person]?[index].place = fix.position
        turn.emit(.save(.moved(fix, number: span.number)))
    }

    private func complete(_ fix: Fix, of person: PersonID, _ turn: inout Turn<Effect>) {
        let span = spans[person]?.last { $0.started <= fix.time && fix.time <= $0.stopped }
        if let span { turn.emit(.save(.complete(fix, number: span.number))) }
    }

    // MARK: Requests

    /// Changes a journey. Only its person may start, stop, reset or remove it.
    private mutating func answer(
        _ request: JourneyRequest, _ turn: inout Turn<Effect>
    ) -> JourneyAnswer {
        let person = request.person
        let decision = turn.directory.decide(
            request.principal, .keepJourneys, on: .person(person), at: turn.now)
        if let denial = decision.denial { return .denied(denial) }
        switch request.action {
        case .start(let id, let name): return start(id, name: name, of: person, &turn)
        case .stop:
            guard let (span, _) = find(request) else { return .notFound }
            return stop(span, of: person, &turn)
        case .reset:
            guard let (span, index) = find(request) else { return .notFound }
            return reset(span, at: index, of: person, &turn)
        case .remove:
            guard let (span, index) = find(request) else { return .notFound }
            return remove(span, at: index, of: person, &turn)
        }
    }

    private func find(_ request: JourneyRequest) -> (span: JourneySpan, index: Int)? {
        guard let all = spans[request.person],
            let index = all.firstIndex(where: { $0.number == request.number })
        else { return nil }
        return (all[index], index)
    }

    private mutating func start(
        _ id: JourneyID, name: String, of person: PersonID, _ turn: inout Turn<Effect>
    ) -> JourneyAnswer {
        if let open = open(of: person) { return .started(number: open.number, isNew: false) }
        guard spans[person, default: []].count < JourneyLimits.perPersonMax else {
            return .tooMany
        }
        // The previous one may have ended at this moment, or the clock was set back.
        let before = spans[person]?.last?.stopped ?? .zero
        let span = newSpan(startedAt: max(turn.now, before + .milliseconds(1)))
        spans[person, default: []].append(span)
        turn.emit(.save(.start(span, id: id, person: person, name: name)))
        sharing.begin(span, of: person, &turn)
        return .started(number: span.number, isNew: true)
    }

    private mutating func stop(
        _ span: JourneySpan, of person: PersonID, _ turn: inout Turn<Effect>
    ) -> JourneyAnswer {
        if span.isOpen, let last = spans[person]?.indices.last {
            let time = max(turn.now, span.started)
            spans[person]?[last].stopped = time
            sharing.end(person)
            turn.emit(.save(.stop(number: span.number, at: time)))
        }
        return .changed(number: span.number)
    }

    /// Restarts an open journey without its earlier fixes.
    private mutating func reset(
        _ span: JourneySpan, at index: Int, of person: PersonID, _ turn: inout Turn<Effect>
    ) -> JourneyAnswer {
        guard span.isOpen else { return .stopped }
        let again = newSpan(startedAt: max(turn.now, span.started))
        spans[person]?[index] = again
        turn.emit(.save(.reset(number: span.number, to: again)))
        sharing.begin(again, of: person, &turn)
        return .changed(number: again.number)
    }

    @discardableResult
    private mutating func remove(
        _ span: JourneySpan, at index: Int, of person: PersonID, _ turn: inout Turn<Effect>
    ) -> JourneyAnswer {
        if span.isOpen { sharing.end(person) }
        spans[person]?.remove(at: index)
        if spans[person]?.isEmpty == true { spans[person] = nil }
        turn.emit(.save(.remove(number: span.number)))
        return .removed
    }

    private mutating func newSpan(startedAt time: Timestamp) -> JourneySpan {
        defer { nextNumber += 1 }
        return JourneySpan(number: nextNumber, started: time)
    }

    // MARK: Retention

    private mutating func stopForgotten(after quiet: Duration, _ turn: inout Turn<Effect>) {
        let forgotten = spans.compactMap { person, all in
            all.last.flatMap { $0.isOpen && turn.now - $0.moved > quiet ? (person, $0) : nil }
        }
        for (person, span) in forgotten.sorted(by: { $0.0 < $1.0 }) {
            _ = stop(span, of: person, &turn)
        }
    }

    private mutating func forget(
        _ person: PersonID, endedBefore time: Timestamp, _ turn: inout Turn<Effect>
    ) {
        let old = (spans[person] ?? []).prefix { $0.stopped < time }
        for span in old.prefix(JourneyLimits.forgottenPerTurn) {
            remove(span, at: 0, of: person, &turn)
        }
    }

    private mutating func forget(_ person: PersonID, _ turn: inout Turn<Effect>) {
        guard spans.removeValue(forKey: person) != nil else { return }
        sharing.end(person)
        turn.emit(.save(.removeAll(person)))
    }
}
