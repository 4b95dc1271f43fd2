import Model

/// Emergency as the notifier knows it: enough to notify people and to work without evaluators.
package struct Emergency: Hashable, Sendable, Codable {
    package var id: EmergencyID
    package var person: PersonID
    package var trigger: EmergencyTrigger
    package var state: EmergencyState
    package var raised: Timestamp
    /// When it was opened by the notifier.
    package var opened: Timestamp?
    package var fix: Fix?
    package var battery: UInt8?
    /// Whether ``fix`` contradicts the positions before it; nil = no.
    package var isSuspect: Bool?
    /// The last position that did not; nil = ``fix``, or none.
    var believed: Fix?
    package var note: String?
    /// Who called on the person's behalf; nil = nobody.
    package var raisedBy: PersonID?
    /// Newest sign of life after a call that was received late; nil = none.
    package var signOfLife: Timestamp?
    /// Whether its texts begin with its age.
    package var isLate: Bool
    /// Whether it is too old for an escalation: guardians are notified once.
    package var isRecordOnly: Bool
    /// Whether it was opened without an evaluator, or evaluators may have lost it.
    package var isFallback: Bool
    /// Further signals that joined it, each notified once; ids ascending.
    package var joined: [EmergencyID]
    /// The last call that joined it; nil = none.
    package var latest: FurtherCall?
    /// Whether a call of the person themselves joined it; nil = no.
    package var joinedOwnCall: Bool?
    /// When everyone was last notified of a further call; nil = never.
    package var repeated: Timestamp?
    /// Short code for people.
    package var reference: String
    /// Everyone for whom a message about it was created, ids ascending.
    package var recipients: [PersonID]
    /// People to whom messages would have been sent without the person's never-notify list, ids
    /// ascending; nil = none. Nobody but the person may learn of them.
    package var withheld: [PersonID]?
    /// The only people to notify, ids ascending; nil = everyone.
    package var onlyRecipients: [PersonID]?
    /// The first active acknowledgement; nil = nobody is responding.
    package var firstAcknowledgement: Acknowledgement?
    /// Acknowledgements after the first, each for circles without a responder; nil = none.
    package var furtherAcknowledgements: [Acknowledgement]?
    /// How often it was acknowledged.
    package var acknowledgementCount: Int
    /// Whether the person was informed that nobody has been reached.
    package var nobodyReachedNotified: Bool
    /// When it was last reopened; nil = never.
    package var reopened: Timestamp?
    /// Messages from this time on count for its delivery state; nil = from ``reopened`` on.
    package var notifiedSince: Timestamp?
    /// Whether an evaluator has ended it; nil = no.
    package var isClosed: Bool?
    /// When it was resolved or cancelled.
    package var ended: Timestamp?
    package var endedBy: PersonID?
    /// How often it has ended; a further call may reopen it. Nil = never.
    package var endings: Int?
    /// Circles in which it has ended while it is active in others; nil = none.
    package var circleEnds: [CircleEnd]?
    /// How often it has ended in some of its circles; nil = never.
    package var partialEndings: Int?
    /// Whether its messages wait for the operator; false = not any more, nil = never did.
    package var isHeld: Bool?
    /// The emergency that the person ended with a duress PIN, while this one goes on; nil = a usual
    /// emergency. Decided by ``isVisible(to:)``.
    package var underDuress: EmergencyID?
    /// Memberships that its recipients go on seeing, whatever the person is made to change; nil = a
    /// usual emergency.
    package var keptMemberships: [KeptMembership]?
    /// What those who acknowledged or ended it wrote, oldest first; nil = nothing.
    package var notes: [EmergencyNote]?
    package var trace: String

    /// Whether it exists for a viewer; nil = the operator.
    ///
    /// This decides everything about duress here: for its person an emergency under duress does not
    /// exist, on no surface, and the one that they ended has ended.
    package func isVisible(to viewer: PersonID?) -> Bool {
        underDuress == nil || viewer != person
    }

    /// Whether the person called for help themselves, with the first or a further signal.
    var isOwnCall: Bool { trigger.isOwnCall || joinedOwnCall == true }

    /// Recipients as others see them: as if there were no never-notify lists; ids ascending.
    var audience: [PersonID] {
        guard let withheld else { return recipients }
        return Set(recipients + withheld).sorted()
    }

    /// When a late call is older than the newest sign of life of the person; nil = it is not.
    var newestSign: Timestamp? {
        guard isLate || isRecordOnly else { return nil }
        let newest = [signOfLife, fix?.time].compactMap(\.self).max()
        return newest.flatMap { $0 > raised ? $0 : nil }
    }

    func isRecipient(_ person: PersonID?) -> Bool { person.map(recipients.contains) ?? false }

    /// The ids of its trigger and of all signals that joined it.
    var signals: [EmergencyID] { [id] + joined.filter { $0 != id } }

    /// Sets a newer position and whether it contradicts those before it.
    mutating func apply(_ fix: Fix, isSuspect: Bool, after trail: [Fix]) {
        var trust =
            trail.isEmpty
            ? FixTrust(
                believed: believed ?? (self.isSuspect == true ? nil : self.fix),
                suspect: self.isSuspect == true ? self.fix : nil)
            : FixTrust()
        for earlier in trail { _ = trust.accept(earlier) }
        let last = trust.believed
        let contradicts = trust.accept(fix)
        self.isSuspect = contradicts || isSuspect ? true : nil
        believed = self.isSuspect == true ? last : nil
        self.fix = fix
    }

    /// Whether everyone was notified of a further call moments ago, whatever its trigger.
    ///
    /// A stuck button, or an app that calls with each report, must not bury the alarm under
    /// repetitions.
    func hasJustRepeated(at now: Timestamp) -> Bool {
        guard let repeated else { return false }
        return (.zero..<Limits.repetitionWait).contains(now - repeated)
    }

    package init(
        id: EmergencyID, person: PersonID, trigger: EmergencyTrigger, state: EmergencyState,
        raised: Timestamp, fix: Fix?, battery: UInt8?, note: String?, isLate: Bool, trace: String
    ) {
        self.id = id
        self.person = person
        self.trigger = trigger
        self.state = state
        self.raised = raised
        self.fix = fix
        self.battery = battery
        self.note = note
        self.isLate = isLate
        self.trace = trace
        isRecordOnly = false
        isFallback = false
        joined = []
        recipients = []
        acknowledgementCount = 0
        nobodyReachedNotified = false
        reference = DerivedID.reference(of: id)
    }

    /// The emergency that a signal raises without an evaluator.
    init(_ signal: EmergencySignal) {
        self.init(
            id: signal.id, person: signal.person, trigger: signal.trigger, state: .countdown,
            raised: signal.raised, fix: signal.fix, battery: signal.battery, note: signal.note,
            isLate: signal.received - signal.raised > Limits.lateSignalAge, trace: signal.trace)
        underDuress = signal.underDuress
        onlyRecipients = signal.recipients
        raisedBy = signal.raisedBy
        signOfLife = signal.signOfLife
    }

    /// The emergency of an evaluator's record.
    init(_ change: EmergencyChange, trace: String) {
        self.init(
            id: change.emergency, person: change.person, trigger: change.trigger, state: .countdown,
            raised: change.raised, fix: change.fix, battery: change.battery, note: change.note,
            isLate: change.late, trace: trace)
        if change.suspect { isSuspect = true }
        if change.signal == change.emergency { raisedBy = change.raisedBy }
        if change.joinedTrigger?.isOwnCall == true { joinedOwnCall = true }
        // A signal that joined has its own recipients; the first one may concern everyone.
        if change.signal == change.emergency { onlyRecipients = change.recipients }
    }

    /// A fallback emergency under the id of an evaluator's record.
    init(_ old: Emergency, renamedBy change: EmergencyChange, trace: String) {
        self.init(change, trace: trace)
        joined = (old.signals + [change.signal]).reduce(into: []) { joined, signal in
            if signal != change.emergency, !joined.contains(signal) { joined.append(signal) }
        }
        state = old.state
        opened = old.opened
        recipients = old.recipients
        withheld = old.withheld
        _ = widen(to: old.onlyRecipients)
        firstAcknowledgement = old.firstAcknowledgement
        furtherAcknowledgements = old.furtherAcknowledgements
        acknowledgementCount = old.acknowledgementCount
        nobodyReachedNotified = old.nobodyReachedNotified
        endings = old.endings
        reopened = old.reopened
        notifiedSince = old.notifiedSince
        circleEnds = old.circleEnds
        partialEndings = old.partialEndings
        if old.isOwnCall { joinedOwnCall = true }
        raisedBy = raisedBy ?? old.raisedBy
        signOfLife = signOfLife ?? old.signOfLife
        latest = old.latest
        repeated = old.repeated
        isHeld = old.isHeld
        notes = old.notes
        // Recipients have this code in their messages.
        reference = old.reference
    }
}

/// What somebody wrote when they acknowledged or ended an emergency.
package struct EmergencyNote: Hashable, Sendable, Codable {
    package var at: Timestamp
    /// Nil = the operator.
    package var by: PersonID?
    package var text: String
}

/// A further call for help during an active emergency.
package struct FurtherCall: Hashable, Sendable, Codable {
    /// Nil = not known.
    package var trigger: EmergencyTrigger?
    package var raised: Timestamp?
    /// The only people to notify because of it; nil = everyone.
    package var recipients: [PersonID]?
    /// Who called on the person's behalf; nil = nobody.
    package var raisedBy: PersonID?

    init(
        trigger: EmergencyTrigger?, raised: Timestamp?, recipients: [PersonID]? = nil,
        raisedBy: PersonID? = nil
    ) {
        self.trigger = trigger
        self.raised = raised
        self.recipients = recipients
        self.raisedBy = raisedBy
    }

    init(_ signal: EmergencySignal) {
        self.init(
            trigger: signal.trigger, raised: signal.raised, recipients: signal.recipients,
            raisedBy: signal.raisedBy)
    }

    /// The further signal to which an evaluator's record refers.
    init(_ change: EmergencyChange) {
        self.init(
            trigger: change.joinedTrigger, raised: change.joinedRaised,
            recipients: change.recipients, raisedBy: change.raisedBy)
    }

    /// How its messages begin. Only a known own call is described as pressed again.
    var repetition: Repetition {
        trigger?.isOwnCall == true ? .pressedAgain : .another
    }
}
