import MembershipCore
import Model
import Store

/// Tables of membership's own state beside the directory and the codes.
struct StateRows {
    private let database: Database
    private let invitationRows: InvitationRows
    private let consentRows: ConsentRows
    private let wardRows: WardRows

    init(database: Database) {
        self.database = database
        invitationRows = InvitationRows(database: database)
        consentRows = ConsentRows(database: database)
        wardRows = WardRows(database: database)
    }

    static let migrationSQL =
        InvitationRows.migrationSQL + ConsentRows.migrationSQL + WardRows.migrationSQL

    func invitations() throws -> Invitations { try invitationRows.load() }
    func consents() throws -> Consents { try consentRows.load() }
    func wardNotices() throws -> [WardNotice] { try wardRows.load() }

    func record(_ change: InvitationChange) throws { try invitationRows.record(change) }
    func record(_ change: ConsentChange) throws -> PersonID? { try consentRows.record(change) }
    func record(_ change: WardChange) throws { try wardRows.record(change) }

    /// Deletes invitations that ended long ago.
    func prune(at now: Timestamp) throws {
        try database.run(
            "DELETE FROM invitation WHERE expires <= ?1", .time(now - Limits.invitationKept))
    }
}
