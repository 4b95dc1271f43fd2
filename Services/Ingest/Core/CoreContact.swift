import Directory
import Hashing
import Model

/// `POST /v1/people/{person}/check-ins`: a person confirms that they are all right.
public struct CheckInRequest: Hashable, Sendable {
    public var request: UInt64
    public var principal: Principal
    public var person: PersonID
    /// Equal for a repeated request.
    public var cause: ID128
    public var trace: String

    public init(
        request: UInt64, principal: Principal, person: PersonID, cause: ID128, trace: String = ""
    ) {
        self.request = request
        self.principal = principal
        self.person = person
        self.cause = cause
        self.trace = trace
    }
}

// Contact with devices. The evaluator decides what a loss of contact means; its knowledge of
// contact expectations, watches and intake outages comes from here.
extension Core {
    /// Updates the contact expectation of a primary device that sent a batch, and appends a contact
    /// if nothing else proves it.
    ///
    /// - Parameter appended: whether the batch itself adds a record to `in/p`
    mutating func updateExpectation(
        of batch: IncomingBatch, appended: Bool, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let (person, device) = (batch.person, batch.device)
        let primary = directory.primaryDevice(of: person, first: intake.firstDevices[person])
        guard primary == device else { return }
        let view = policies.view(of: device, person, isEvent: isEvent(person, at: now))
        if let view, batch.requestsPolicy {
            let current = ExpectationRow(
                person: person, device: device, mark: view.mark,
                contactTimeoutSeconds: view.policy.contactTimeoutSeconds)
            let mark = policies.confirmed(by: device)
            // OwnTracks reports nothing while it stands, but for event mode.
            let counts = batch.ownTracks == nil || view.policy.mode == .event
            if contactStates.confirm(mark, current, counts: counts, into: &effects) {
                return appendExpectation(of: batch, at: now, into: &effects)
            }
        }
        guard !appended, contactStates.expectations[person]?.device == device else { return }
        append(
            .inputContact(Contact(person: person, kind: .heard, at: now, trace: batch.trace)),
            of: person, cause: Core.cause(of: batch, at: now), trace: batch.trace, at: now,
            into: &effects)
    }

    /// Records contact with a phone from which nothing was accepted. The evaluator gets it now and
    /// then only, as such a phone may retry all the time.
    mutating func recordContact(
        after rejectedRequest: RejectedRequest, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let person = rejectedRequest.person
        guard intake.devices[rejectedRequest.device]?.person == person else { return }
        intake.recordContact(of: rejectedRequest.device, person: person, at: now, into: &effects)
        let primary = directory.primaryDevice(of: person, first: intake.firstDevices[person])
        guard primary == rejectedRequest.device,
            contactStates.shouldRecordContact(rejectedRequest, at: now)
        else {
            return
        }
        append(
            .inputContact(
                Contact(person: person, kind: .heard, at: now, trace: rejectedRequest.trace)),
            of: person, cause: Hash.id(.id(rejectedRequest.device), .number(now.microseconds)),
            trace: rejectedRequest.trace, at: now, into: &effects)
    }

    private mutating func appendExpectation(
        of batch: IncomingBatch, at now: Timestamp, into effects: inout [Effect]
    ) {
        let person = batch.person
        let terms = ContactExpectation(
            person: person, device: batch.device,
            contactTimeoutSeconds: contactStates.expectations[person]?.knownTimeoutSeconds)
        append(
            .inputContactExpectation(terms), of: person, cause: Core.cause(of: batch, at: now),
            trace: batch.trace, at: now, into: &effects)
        // The partition may be new.
        if contactStates.heldSince != nil {
            appendContactLossHold(to: [Partition.of(person)], at: now, into: &effects)
        }
    }

    static func cause(of batch: IncomingBatch, at now: Timestamp) -> ID128 {
        Hash.id(
            .id(batch.device), .number(now.microseconds),
            .number(Int64(truncatingIfNeeded: batch.request)))
    }

    /// Applies a change of a watch.
    mutating func applyWatch(
        _ watch: Watch, _ event: Event, at now: Timestamp, into effects: inout [Effect]
    ) {
        guard policies.apply(watch, into: &effects) else { return }
        append(
            .inputWatch(
                WatchSpan(
                    person: watch.person, watch: watch.id,
                    until: policies.watchEnd(of: watch.person))), of: watch.person,
            cause: event.id.raw, trace: event.trace, at: now, into: &effects)
    }

    /// Ends the watches that the timer no longer knows.
    mutating func endWatches(
        except running: Set<WatchID>, at now: Timestamp, into effects: inout [Effect]
    ) {
        for row in policies.end(except: running, into: &effects) {
            append(
                .inputWatch(WatchSpan(person: row.person, watch: row.watch, until: nil)),
                of: row.person, cause: Hash.id("watch-unknown", .id(row.watch)), trace: "",
                at: now, into: &effects)
        }
    }

    mutating func recordCheckIn(
        _ request: CheckInRequest, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let decision = directory.decide(
            request.principal, .answerAlarms, on: .person(request.person), at: now)
        if let denial = decision.denial {
            effects.append(.answer(request: request.request, .denied(denial)))
            return
        }
        append(
            .inputContact(
                Contact(person: request.person, kind: .checkIn, at: now, trace: request.trace)),
            of: request.person, cause: request.cause, trace: request.trace, at: now,
            into: &effects)
        effects.append(.answer(request: request.request, .checkIn(at: now)))
    }

    /// Applies a change of contact state. Many losses together indicate that the suite's own intake
    /// failed.
    mutating func apply(
        _ change: ContactChange, at now: Timestamp, into effects: inout [Effect]
    ) {
        contactStates.apply(change, into: &effects)
        updateContactLossHold(at: now, into: &effects)
    }

    mutating func updateContactLossHold(at now: Timestamp, into effects: inout [Effect]) {
        guard contactStates.evaluate(at: now, into: &effects) else { return }
        appendContactLossHold(to: sequencer.begun, at: now, into: &effects)
    }

    private mutating func appendContactLossHold(
        to partitions: [Partition], at now: Timestamp, into effects: inout [Effect]
    ) {
        let hold = ContactLossHold(isHeld: contactStates.heldSince != nil)
        append(.inputContactLossHold(hold), toEach: partitions, at: now, into: &effects)
    }

    /// Appends the intake outage before anything else after a start: contacts missed during it
    /// count against no device.
    mutating func appendIntakeOutage(at now: Timestamp, into effects: inout [Effect]) {
        guard !hasBegun else { return }
        hasBegun = true
        let from = sequencer.time
        guard !contactStates.expectations.isEmpty,
            now - from > .seconds(Limits.intakeOutageSecondsMin)
        else { return }
        let people = Set(contactStates.expectations.keys.map { Partition.of($0) })
        append(
            .inputIntakeOutage(IntakeOutage(from: from, to: now)),
            toEach: sequencer.begun.filter(people.contains), at: now, into: &effects)
    }

    private mutating func append(
        _ body: EventBody, toEach partitions: [Partition], at now: Timestamp,
        into effects: inout [Effect]
    ) {
        for partition in partitions {
            let id = Hash.derivedID(
                kind: body.kind, person: nil, subject: .number(partition.number),
                cause: Hash.id("at", .number(now.microseconds)))
            sequencer.append(body, id: id, to: partition, at: now, into: &effects)
        }
    }

    /// Records now and then that ingest receives, as long as any contact is expected.
    mutating func recordAlive(at now: Timestamp, into effects: inout [Effect]) {
        guard !contactStates.expectations.isEmpty,
            now - sequencer.time > .seconds(Limits.aliveSeconds)
        else { return }
        sequencer.advance(to: now, into: &effects)
    }

    /// Start of the contact-loss hold; nil = none.
    public var contactLossHeldSince: Timestamp? { contactStates.heldSince }

    /// Devices with a contact expectation.
    public var expectedCount: Int { contactStates.expectations.count }

    /// Devices that are out of contact.
    public var outOfContactCount: Int { contactStates.rows.count }

    /// Devices in this contact state.
    public func outOfContactCount(_ state: ContactState) -> Int {
        contactStates.rows.values.count { $0.state == state }
    }
}
