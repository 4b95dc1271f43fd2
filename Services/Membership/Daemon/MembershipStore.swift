import Directory
import MembershipCore
import Model
import Store

/// Tables of the directory and of membership's own state. Those of passkeys and of providers are
/// their own.
struct MembershipStore {
    private let directory: DirectoryRows
    private let codes: CodeRows
    private let sessions: SessionRows
    private let activations: ActivationRows
    private let circleLists: CircleListTable
    private let signIn: SignInRows
    private let reminders: ContactReminderRows
    private let states: StateRows
    let credentialUses: CredentialUseRows

    init(_ database: Database, rights: RightsTable) {
        directory = DirectoryRows(database: database, rights: rights)
        codes = CodeRows(database: database)
        sessions = SessionRows(database: database)
        activations = ActivationRows(database: database)
        circleLists = CircleListTable(database: database)
        signIn = SignInRows(database: database)
        reminders = ContactReminderRows(database: database)
        states = StateRows(database: database)
        credentialUses = CredentialUseRows(database: database)
    }

    /// The core as of the last commit.
    func loadCore(_ policy: SignInCodes.Policy, at now: Timestamp) throws -> MembershipCore {
        MembershipCore(
            directory: try directory.load(), codes: try codes.load(at: now),
            sessions: try sessions.load(), activations: try activations.load(),
            circleLists: try circleLists.load(), signIn: try signIn.load(policy, at: now),
            reminders: try reminders.load(at: now), invitations: try states.invitations(),
            consents: try states.consents(), wardNotices: try states.wardNotices())
    }

    func record(_ body: EventBody) throws { try directory.record(body) }
    func record(_ row: CircleListRow) throws { try circleLists.record(row) }
    func record(_ change: CodeChange) throws { try codes.record(change) }
    func record(_ change: SessionChange) throws { try sessions.record(change) }
    func record(_ change: ActivationChange) throws { try activations.record(change) }
    func record(_ change: SignInChange) throws { try signIn.record(change) }
    func record(_ change: InvitationChange) throws { try states.record(change) }
    /// - Returns: the person whose open questions changed; nil if none
    func record(_ change: ConsentChange) throws -> PersonID? { try states.record(change) }
    func record(_ change: WardChange) throws { try states.record(change) }
    func record(_ usage: CredentialUsage) throws { try credentialUses.record(usage) }

    /// Records that a person was asked to verify their contact points, or needs not to be.
    func recordReminded(_ person: PersonID) throws { try reminders.remove(person) }

    /// Deletes what has expired.
    func prune(at now: Timestamp) throws {
        try codes.prune(at: now)
        try credentialUses.prune()
        try signIn.prune(at: now)
        try states.prune(at: now)
    }
}
