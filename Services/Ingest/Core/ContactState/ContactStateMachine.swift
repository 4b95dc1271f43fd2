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

/// `POST /v1/people/{person}/check-ins`: a person confirms that they are all right.
public struct CheckInRequest: Hashable, Sendable {
    public var request: UInt64
    public var principal: Principal
    public var person: PersonID
    /// Equal for a repeated request.
    public var cause: ID128
    /// The PIN that was entered; nil = none.
    public var pin: String?
    public var trace: String

    public init(
        request: UInt64, principal: Principal, person: PersonID, cause: ID128,
        pin: String? = nil, trace: String = ""
    ) {
        self.pin = pin
        self.request = request
        self.principal = principal
        self.person = person
        self.cause = cause
        self.trace = trace
    }
}

/// A change of the stored contact expectations and contact states.
public enum ContactEffect: Hashable, Sendable {
    case saveExpectation(ExpectationRow)
    case removeExpectation(PersonID)
    case save(ContactRow)
    case remove(PersonID)
    /// Start of the contact-loss hold; nil = none.
    case saveHold(since: Timestamp?)
}

/// Tracks contact expectations and contact states, and detects intake outages.
///
/// The evaluator decides what a loss of contact means; its knowledge of contact expectations and
/// intake outages comes from here.
public struct ContactStateMachine: Sendable {
    private(set) var rows: [PersonID: ContactRow]
    private(set) var expectations: [PersonID: ExpectationRow]
    private var detector: IntakeOutageDetector
    /// The last policy sent to each phone: it may follow it before it confirms it.
    private var lastSent: [DeviceID: ExpectationRow] = [:]
    /// When a contact of each person was last appended although nothing was accepted.
    private var lastRecorded: [PersonID: Timestamp] = [:]
    /// Whether the intake outage before this start was recorded.
    private var hasBegun = false

    /// - Parameter heldSince: start of the contact-loss hold; nil = none
    init(rows: [ContactRow], expectations: [ExpectationRow], heldSince: Timestamp?) {
        self.rows = Dictionary(uniqueKeysWithValues: rows.map { ($0.person, $0) })
        self.expectations = Dictionary(uniqueKeysWithValues: expectations.map { ($0.person, $0) })
        detector = IntakeOutageDetector(since: heldSince, lateSince: rows.map(\.lateSince))
    }

    /// Start of the contact-loss hold; nil = none.
    public var heldSince: Timestamp? { detector.since }

    /// Devices with a contact expectation.
    public var expectedCount: Int { expectations.count }

    /// Devices that are out of contact.
    public var outOfContactCount: Int { rows.count }

    /// Devices in this contact state.
    public func outOfContactCount(_ state: ContactState) -> Int {
        rows.values.count { $0.state == state }
    }

    /// Updates the expectation by the mark that a phone reports.
    ///
    /// - Parameters:
    ///   - current: the policy in force
    ///   - mark: the mark; nil or unknown = the phone follows none of our policies
    ///   - counts: whether a missing contact means anything while the phone follows this policy
    /// - Returns: whether the evaluator's expectation changed
    private mutating func confirm(
        _ mark: String?, _ current: ExpectationRow, counts: Bool, _ turn: inout Turn<Effect>
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
            turn.emit(.contact(.removeExpectation(current.person)))
            return true
        }
        expectations[current.person] = next
        turn.emit(.contact(.saveExpectation(next)))
        return known?.device != next.device
            || known?.knownTimeoutSeconds != next.knownTimeoutSeconds
    }

    /// Whether a contact must be appended before the device counts as late: a third of its timeout,
    /// at least one minute, has passed since the last one.
    private mutating func shouldRecordContact(_ rejectedRequest: RejectedRequest, at now: Timestamp)
        -> Bool
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

    // MARK: Contact

    /// Updates the contact expectation of a primary device that sent a batch, and appends a contact
    /// if nothing else proves it.
    ///
    /// - Parameters:
    ///   - policies: the policies of devices
    ///   - appended: whether the batch itself adds a record to `in/p`
    mutating func updateExpectation(
        of batch: IncomingBatch, _ policies: Policies, isEvent: Bool, appended: Bool,
        _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        let (person, device) = (batch.person, batch.device)
        let view = policies.view(of: device, person, isEvent: isEvent)
        if let view, batch.requestsPolicy {
            let current = ExpectationRow(
                person: person, device: device, mark: view.mark,
                contactTimeoutSeconds: view.policy.contactTimeoutSeconds)
            let mark = policies.confirmed(by: device)
            // OwnTracks reports nothing while it stands, but for event mode.
            let counts = batch.ownTracks == nil || view.policy.mode == .event
            if confirm(mark, current, counts: counts, &turn) {
                return appendExpectation(of: batch, &sequencer, &turn)
            }
        }
        guard !appended, expectations[person]?.device == device else { return }
        sequencer.append(
            .inputContact(Contact(person: person, kind: .seen, at: turn.now, trace: batch.trace)),
            of: person, cause: batch.cause(at: turn.now), trace: batch.trace, &turn)
    }

    private func appendExpectation(
        of batch: IncomingBatch, _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        let person = batch.person
        let terms = ContactExpectation(
            person: person, device: batch.device,
            contactTimeoutSeconds: expectations[person]?.knownTimeoutSeconds)
        sequencer.append(
            .inputContactExpectation(terms), of: person, cause: batch.cause(at: turn.now),
            trace: batch.trace, &turn)
        // The partition may be new.
        if heldSince != nil { appendHold(to: [Partition.of(person)], &sequencer, &turn) }
    }

    /// Records contact with a phone from which nothing was accepted. The evaluator gets it now and
    /// then only, as such a phone may retry all the time.
    mutating func recordContact(
        after rejected: RejectedRequest, _ reports: inout Reports, _ sequencer: inout Sequencer,
        _ turn: inout Turn<Effect>
    ) {
        let (person, device) = (rejected.person, rejected.device)
        guard reports.devices[device]?.person == person else { return }
        reports.recordContact(of: device, person: person, &turn)
        guard reports.isPrimary(device, of: person, in: turn.directory),
            shouldRecordContact(rejected, at: turn.now)
        else { return }
        let contact = Contact(person: person, kind: .seen, at: turn.now, trace: rejected.trace)
        sequencer.append(
            .inputContact(contact), of: person,
            cause: Hash.id(.id(device), .number(turn.now.microseconds)), trace: rejected.trace,
            &turn)
    }

    /// Records that a person confirmed that they are OK.
    func recordCheckIn(
        _ request: CheckInRequest, _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        let person = request.person
        let contact = Contact(person: person, kind: .checkIn, at: turn.now, trace: request.trace)
        sequencer.append(
            .inputContact(contact), of: person, cause: request.cause, trace: request.trace, &turn)
        turn.answer(request.request, .checkIn(at: turn.now))
    }

    // MARK: Loss of contact

    /// Applies a change of contact state. Many losses together indicate that the suite's own intake
    /// failed.
    mutating func apply(
        _ change: ContactChange, _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        record(change, &turn)
        updateHold(&sequencer, &turn)
    }

    private mutating func record(_ change: ContactChange, _ turn: inout Turn<Effect>) {
        let known = rows[change.person]
        guard change.end == nil else {
            if let known {
                detector.ended(begun: known.lateSince)
                rows[change.person] = nil
                turn.emit(.contact(.remove(change.person)))
            }
            return
        }
        if known == nil { detector.began(at: change.at) }
        let row = ContactRow(
            person: change.person, device: change.device, state: change.state, since: change.since,
            lateSince: known?.lateSince ?? change.at)
        rows[change.person] = row
        turn.emit(.contact(.save(row)))
    }

    /// Re-evaluates the contact-loss hold.
    private mutating func updateHold(_ sequencer: inout Sequencer, _ turn: inout Turn<Effect>) {
        guard detector.evaluate(among: expectations.count, at: turn.now) else { return }
        turn.emit(.contact(.saveHold(since: heldSince)))
        appendHold(to: sequencer.begun, &sequencer, &turn)
    }

    private func appendHold(
        to partitions: [Partition], _ sequencer: inout Sequencer, _ turn: inout Turn<Effect>
    ) {
        sequencer.append(
            .inputContactLossHold(ContactLossHold(isHeld: heldSince != nil)), toEach: partitions,
            &turn)
    }

    /// Appends the intake outage before anything else after a start: contacts missed during it
    /// count against no device.
    mutating func appendIntakeOutage(_ sequencer: inout Sequencer, _ turn: inout Turn<Effect>) {
        guard !hasBegun else { return }
        hasBegun = true
        let from = sequencer.time
        guard !expectations.isEmpty, turn.now - from > .seconds(Limits.intakeOutageSecondsMin)
        else { return }
        let people = Set(expectations.keys.map { Partition.of($0) })
        sequencer.append(
            .inputIntakeOutage(IntakeOutage(from: from, to: turn.now)),
            toEach: sequencer.begun.filter(people.contains), &turn)
    }

    /// Records now and then that ingest receives, as long as any contact is expected, and
    /// re-evaluates the contact-loss hold.
    mutating func endTurn(_ sequencer: inout Sequencer, _ turn: inout Turn<Effect>) {
        if !expectations.isEmpty, turn.now - sequencer.time > .seconds(Limits.aliveSeconds) {
            sequencer.advance(&turn)
        }
        if heldSince != nil { updateHold(&sequencer, &turn) }
    }

    /// Forgets a removed person.
    mutating func forget(_ person: PersonID, _ turn: inout Turn<Effect>) {
        lastRecorded[person] = nil
        if let expectation = expectations.removeValue(forKey: person) {
            lastSent[expectation.device] = nil
            turn.emit(.contact(.removeExpectation(person)))
        }
        if let row = rows.removeValue(forKey: person) {
            detector.ended(begun: row.lateSince)
            turn.emit(.contact(.remove(person)))
        }
    }
}
