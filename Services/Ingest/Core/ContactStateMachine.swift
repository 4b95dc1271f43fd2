import Directory
import Hashing
import Model

/// The contact expectation of a primary device: how it reports, and the timeout that the evaluator
/// knows.
public struct ExpectationRow: Hashable, Sendable {
    public var person: PersonID
    public var device: DeviceID
    /// Mark of the policy that the device follows, and the timeout that it allows.
    public var mark: String
    public var contactTimeoutSeconds: Int32
    /// The timeout known to the evaluator. Longer than the policy's if the device was sent a policy
    /// that allows more and may follow it already.
    public var knownTimeoutSeconds: Int32

    public init(
        person: PersonID, device: DeviceID, mark: String, contactTimeoutSeconds: Int32,
        knownTimeoutSeconds: Int32? = nil
    ) {
        self.person = person
        self.device = device
        self.mark = mark
        self.contactTimeoutSeconds = contactTimeoutSeconds
        self.knownTimeoutSeconds = knownTimeoutSeconds ?? contactTimeoutSeconds
    }
}

/// The contact state of a device that is out of contact, as decided by the evaluator.
public struct ContactRow: Hashable, Sendable {
    public var person: PersonID
    public var device: DeviceID
    public var state: ContactState
    /// When the contact loss began, as counted by the evaluator.
    public var since: Timestamp
    /// When the device became late.
    public var lateSince: Timestamp

    public init(
        person: PersonID, device: DeviceID, state: ContactState, since: Timestamp,
        lateSince: Timestamp
    ) {
        self.person = person
        self.device = device
        self.state = state
        self.since = since
        self.lateSince = lateSince
    }
}

/// Tracks contact expectations and contact states, and detects intake outages.
struct ContactStateMachine {
    private(set) var rows: [PersonID: ContactRow]
    private(set) var expectations: [PersonID: ExpectationRow]
    private var detector: IntakeOutageDetector
    /// The last policy sent to each phone: it may follow it before it confirms it.
    private var lastSent: [DeviceID: ExpectationRow] = [:]
    /// When a contact of each person was last appended although nothing was accepted.
    private var lastRecorded: [PersonID: Timestamp] = [:]

    /// - Parameter heldSince: start of the contact-loss hold; nil = none
    init(rows: [ContactRow], expectations: [ExpectationRow], heldSince: Timestamp?) {
        self.rows = Dictionary(uniqueKeysWithValues: rows.map { ($0.person, $0) })
        self.expectations = Dictionary(uniqueKeysWithValues: expectations.map { ($0.person, $0) })
        detector = IntakeOutageDetector(since: heldSince, lateSince: rows.map(\.lateSince))
    }

    /// Start of the contact-loss hold; nil = none.
    var heldSince: Timestamp? { detector.since }

    /// Updates the expectation by the mark that a phone reports.
    ///
    /// - Parameters:
    ///   - current: the policy in force
    ///   - mark: the mark; nil or unknown = the phone follows none of our policies
    ///   - counts: whether a missing contact means anything while the phone follows this policy
    /// - Returns: whether the evaluator's expectation changed
    mutating func confirm(
        _ mark: String?, _ current: ExpectationRow, counts: Bool, into effects: inout [Effect]
    ) -> Bool {
        let known = expectations[current.person]
        let candidates = [counts ? current : nil, lastSent[current.device], known]
        lastSent[current.device] = counts ? current : nil
        var next = candidates.compactMap(\.self)
            .first { $0.mark == mark && $0.device == current.device }
        if mark != current.mark, var old = next {
            old.knownTimeoutSeconds = max(old.contactTimeoutSeconds, current.contactTimeoutSeconds)
            next = counts ? old : nil
        }
        guard next != known else { return false }
        guard let next else {
            // An expectation of another device is changed by that device only.
            guard known?.device == current.device else { return false }
            expectations[current.person] = nil
            lastRecorded[current.person] = nil
            effects.append(.removeExpectation(current.person))
            return true
        }
        expectations[current.person] = next
        effects.append(.saveExpectation(next))
        return known?.device != next.device
            || known?.knownTimeoutSeconds != next.knownTimeoutSeconds
    }

    /// Whether a contact must be appended before the device counts as late: a third of its timeout,
    /// at least one minute, has passed since the last one.
    mutating func shouldRecordContact(_ rejectedRequest: RejectedRequest, at now: Timestamp) -> Bool
    {
        guard let expectation = expectations[rejectedRequest.person],
            expectation.device == rejectedRequest.device
        else { return false }
        let wait = Duration.seconds(max(60, Int64(expectation.knownTimeoutSeconds) / 3))
        if let last = lastRecorded[rejectedRequest.person], (.zero..<wait).contains(now - last) {
            return false
        }
        lastRecorded[rejectedRequest.person] = now
        return true
    }

    /// Applies a change of contact state.
    mutating func apply(_ change: ContactChange, into effects: inout [Effect]) {
        let known = rows[change.person]
        guard change.end == nil else {
            if let known {
                detector.ended(begun: known.lateSince)
                rows[change.person] = nil
                effects.append(.removeContactState(change.person))
            }
            return
        }
        if known == nil { detector.began(at: change.at) }
        let row = ContactRow(
            person: change.person, device: change.device, state: change.state, since: change.since,
            lateSince: known?.lateSince ?? change.at)
        rows[change.person] = row
        effects.append(.saveContactState(row))
    }

    /// Re-evaluates the contact-loss hold. Returns true if it started or ended.
    mutating func evaluate(at now: Timestamp, into effects: inout [Effect]) -> Bool {
        guard detector.evaluate(among: expectations.count, at: now) else { return false }
        effects.append(.saveContactLossHold(since: heldSince))
        return true
    }

    /// Forgets a removed person.
    mutating func forget(_ person: PersonID, into effects: inout [Effect]) {
        lastRecorded[person] = nil
        if let expectation = expectations.removeValue(forKey: person) {
            lastSent[expectation.device] = nil
            effects.append(.removeExpectation(person))
        }
        if let row = rows.removeValue(forKey: person) {
            detector.ended(begun: row.lateSince)
            effects.append(.removeContactState(person))
        }
    }
}
