import Directory
import Model

/// The directory and the machines that follow it. They change together, by ``record(_:at:into:)``.
struct MembershipState: Sendable {
    private(set) var directory: Replica
    var codes: Codes
    private(set) var sessions: Sessions
    private(set) var activations: Activations
    private(set) var circleLists: CircleLists
    private(set) var contacts: VerifiedContacts
    var trials: Trials
    var invitations: Invitations
    var consents: Consents
    var wards: Wards

    init(
        directory: Replica, codes: Codes, sessions: Sessions, activations: Activations,
        circleLists: CircleLists, invitations: Invitations, consents: Consents,
        wardNotices: [WardNotice]
    ) {
        self.directory = directory
        self.codes = codes
        self.sessions = sessions
        self.activations = activations
        self.circleLists = circleLists
        contacts = VerifiedContacts(directory.sortedPeople)
        trials = Trials(directory)
        self.invitations = invitations
        self.consents = consents
        wards = Wards(directory.sortedPeople, notified: wardNotices)
    }

    /// What a command is decided against.
    func context(of command: Command, at now: Timestamp) -> CommandContext {
        CommandContext(
            directory: directory, codes: codes, sessions: sessions, activations: activations,
            invitations: invitations, consents: consents, wards: wards, command: command, now: now)
    }

    /// Applies events of the directory with everything that follows from them.
    mutating func record(
        _ events: [EventBody], at now: Timestamp, into effects: inout [Effect]
    ) {
        for event in events {
            let changes = VisibleChange.changes(by: event, in: directory)
            for step in directory.apply(event) {
                contacts.apply(step)
                trials.apply(step)
                effects.append(.record(step))
                if let change = activations.change(after: step) { apply(change, into: &effects) }
                if case .credentialRemoved(let removal) = step,
                    let change = sessions.removal(of: removal.credential)
                {
                    apply(change, into: &effects)
                }
                let ended = Consequences(
                    invitations: invitations.changes(after: step, at: now),
                    consents: consents.changes(after: step))
                apply(ended, into: &effects)
                for change in wards.apply(step) { apply(change, into: &effects) }
            }
            for row in circleLists.apply(changes, of: directory, at: now) {
                effects.append(.circleList(row))
            }
        }
    }

    mutating func apply(_ change: SessionChange, into effects: inout [Effect]) {
        sessions.apply(change)
        effects.append(.session(change))
    }

    mutating func apply(_ change: ActivationChange, into effects: inout [Effect]) {
        activations.apply(change)
        effects.append(.activation(change))
    }

    mutating func apply(_ change: WardChange, into effects: inout [Effect]) {
        wards.apply(change)
        effects.append(.ward(change))
    }

    mutating func apply(_ change: CodeChange, into effects: inout [Effect]) {
        codes.apply(change)
        effects.append(.code(change))
    }

    mutating func apply(_ more: Consequences, into effects: inout [Effect]) {
        for change in more.invitations {
            invitations.apply(change)
            effects.append(.invitation(change))
        }
        for change in more.consents {
            consents.apply(change)
            effects.append(.consent(change))
        }
        effects += more.messages.map { .personNotice($0) }
    }

    /// Opens a session of a person.
    mutating func open(
        _ new: NewCredential, of person: Person, name: String, at now: Timestamp,
        into effects: inout [Effect]
    ) -> Credential {
        let opening = sessions.opening(of: person, new, name: name, in: directory, at: now)
        record(opening.events, at: now, into: &effects)
        apply(opening.change, into: &effects)
        return opening.credential
    }
}
