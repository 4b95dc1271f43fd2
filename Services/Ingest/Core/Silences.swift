import Directory
import Hashing
import Model

/// How a leading device reports, and what the evaluator was told of it: its silence says something.
public struct TermsRow: Hashable, Sendable {
    public var person: PersonID
    public var device: DeviceID
    /// Of the policy that the device goes by, and the silence that this allows.
    public var mark: String
    public var maxSilenceSeconds: Int32
    /// What the evaluator was told: longer, where the device has been told of a policy that allows
    /// more and may have taken it over since.
    public var toldSeconds: Int32

    public init(
        person: PersonID, device: DeviceID, mark: String, maxSilenceSeconds: Int32,
        toldSeconds: Int32? = nil
    ) {
        self.person = person
        self.device = device
        self.mark = mark
        self.maxSilenceSeconds = maxSilenceSeconds
        self.toldSeconds = toldSeconds ?? maxSilenceSeconds
    }
}

/// A silence that goes on, as the evaluator told it.
public struct SilenceRow: Hashable, Sendable {
    public var person: PersonID
    public var device: DeviceID
    public var state: SilenceState
    /// From when on it counts.
    public var since: Timestamp
    /// When it became quiet.
    public var quiet: Timestamp

    public init(
        person: PersonID, device: DeviceID, state: SilenceState, since: Timestamp, quiet: Timestamp
    ) {
        self.person = person
        self.device = device
        self.state = state
        self.since = since
        self.quiet = quiet
    }
}

/// Which devices would be missed, which are, and whether that is likely their own doing.
struct Silences {
    private(set) var rows: [PersonID: SilenceRow]
    private(set) var terms: [PersonID: TermsRow]
    private var suspicion: Suspicion
    /// What each phone was told last: it may go by that before it has heard of what came after.
    private var offered: [DeviceID: TermsRow] = [:]
    /// When it was last told of each that it is there, though nothing of it was taken.
    private var visits: [PersonID: Timestamp] = [:]

    /// - Parameter held: since when the suite suspects itself; nil = it does not.
    init(rows: [SilenceRow], terms: [TermsRow], held: Timestamp?) {
        self.rows = Dictionary(uniqueKeysWithValues: rows.map { ($0.person, $0) })
        self.terms = Dictionary(uniqueKeysWithValues: terms.map { ($0.person, $0) })
        suspicion = Suspicion(since: held, quiet: rows.map(\.quiet))
    }

    /// Since when the suite suspects itself; nil = it does not.
    var held: Timestamp? { suspicion.since }

    /// A phone says by which mark it goes, and is told how to report if that is another.
    ///
    /// - Parameters:
    ///   - current: the policy in force
    ///   - mark: nil or of no policy known = it goes by none of ours
    ///   - counts: whether silence says anything while the phone goes by the policy in force
    /// - Returns: whether the evaluator has to be told.
    mutating func confirm(
        _ mark: String?, _ current: TermsRow, counts: Bool, into effects: inout [Effect]
    ) -> Bool {
        let known = terms[current.person]
        let candidates = [counts ? current : nil, offered[current.device], known]
        offered[current.device] = counts ? current : nil
        var next = candidates.compactMap(\.self)
            .first { $0.mark == mark && $0.device == current.device }
        if mark != current.mark, var old = next {
            old.toldSeconds = max(old.maxSilenceSeconds, current.maxSilenceSeconds)
            next = counts ? old : nil
        }
        guard next != known else { return false }
        guard let next else {
            // Of another device, it is the business of that one.
            guard known?.device == current.device else { return false }
            terms[current.person] = nil
            visits[current.person] = nil
            effects.append(.removeTerms(current.person))
            return true
        }
        terms[current.person] = next
        effects.append(.saveTerms(next))
        return known?.device != next.device || known?.toldSeconds != next.toldSeconds
    }

    /// Whether somebody would miss the phone before they hear of it again otherwise: a third of the
    /// silence that it may keep is over since it was last told, at least a minute.
    mutating func isToBeTold(_ visit: Visit, at now: Timestamp) -> Bool {
        guard let terms = terms[visit.person], terms.device == visit.device else { return false }
        let wait = Duration.seconds(max(60, Int64(terms.toldSeconds) / 3))
        if let last = visits[visit.person], (.zero..<wait).contains(now - last) { return false }
        visits[visit.person] = now
        return true
    }

    /// A step of a silence.
    mutating func follow(_ news: SilenceNews, into effects: inout [Effect]) {
        let known = rows[news.person]
        guard news.end == nil else {
            if let known {
                suspicion.ended(begun: known.quiet)
                rows[news.person] = nil
                effects.append(.removeSilence(news.person))
            }
            return
        }
        if known == nil { suspicion.began(at: news.at) }
        let row = SilenceRow(
            person: news.person, device: news.device, state: news.state, since: news.since,
            quiet: known?.quiet ?? news.at)
        rows[news.person] = row
        effects.append(.saveSilence(row))
    }

    /// Whether the suite begins or ends to suspect itself now.
    mutating func weigh(at now: Timestamp, into effects: inout [Effect]) -> Bool {
        guard suspicion.weigh(among: terms.count, at: now) else { return false }
        effects.append(.saveHold(since: held))
        return true
    }

    /// Forgets a person who is gone.
    mutating func forget(_ person: PersonID, into effects: inout [Effect]) {
        visits[person] = nil
        if let terms = terms.removeValue(forKey: person) {
            offered[terms.device] = nil
            effects.append(.removeTerms(person))
        }
        if let row = rows.removeValue(forKey: person) {
            suspicion.ended(begun: row.quiet)
            effects.append(.removeSilence(person))
        }
    }
}
