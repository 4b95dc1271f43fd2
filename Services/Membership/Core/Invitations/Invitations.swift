import Model

/// All invitations, by id and by the digest of their token.
///
/// Ended invitations stay for a while: a person who follows an old link reads why it does not
/// work, and deleting a circle does not reset anybody's daily limit.
public struct Invitations: Sendable {
    private var rows: [InvitationID: Invitation] = [:]
    private var idOfToken: [String: InvitationID] = [:]
    private var ofCircle: [CircleID: Set<InvitationID>] = [:]
    /// Of the last day, in the order of creation, for limits.
    private var recent: [InvitationID] = []

    public init(_ rows: [Invitation] = []) {
        for row in rows.sorted(by: { ($0.created, $0.id) < ($1.created, $1.id) }) {
            apply(.save(row))
        }
    }

    public subscript(id: InvitationID) -> Invitation? { rows[id] }

    /// The invitation with a token; nil if there is none.
    public func invitation(tokenHash: String) -> Invitation? {
        idOfToken[tokenHash].flatMap { rows[$0] }
    }

    /// The invitations to a circle, ids ascending.
    public func invitations(to circle: CircleID) -> [Invitation] {
        (ofCircle[circle] ?? []).sorted().compactMap { rows[$0] }
    }

    /// When a person may invite again; nil = now.
    func next(by inviter: PersonID, at now: Timestamp) -> Timestamp? {
        let day = createdToday(at: now) { $0.inviter == .person(inviter) }
        guard day.count >= Limits.invitationsPerPersonMax else { return nil }
        return day[day.count - Limits.invitationsPerPersonMax].created + Limits.codeWindow
    }

    /// Whether a contact point may get another message: a few a day from whomever, and none from
    /// an inviter or a circle that was declined. The response does not say which.
    func maySend(_ new: Invitation, to contact: Invitation.Contact, at now: Timestamp) -> Bool {
        let declined = rows.values.contains { row in
            row.declined > 0 && row.contact?.key == contact.key
                && (row.circle == new.circle
                    || row.inviter != .operator && row.inviter == new.inviter)
        }
        return !declined
            && createdToday(at: now) { $0.contact?.key == contact.key }.count
                < Limits.codesPerNumberMax
    }

    private func createdToday(
        at now: Timestamp, where isCounted: (Invitation) -> Bool
    ) -> [Invitation] {
        recent.compactMap { rows[$0] }.filter {
            now - $0.created < Limits.codeWindow && isCounted($0)
        }
    }

    mutating func apply(_ change: InvitationChange) {
        switch change {
        case .save(let row):
            if rows[row.id] == nil { recent.append(row.id) }
            rows[row.id] = row
            idOfToken[row.tokenHash] = row.id
            ofCircle[row.circle, default: []].insert(row.id)
        case .remove(let id):
            guard let row = rows.removeValue(forKey: id) else { return }
            idOfToken[row.tokenHash] = nil
            ofCircle[row.circle]?.remove(id)
            if ofCircle[row.circle]?.isEmpty == true { ofCircle[row.circle] = nil }
            recent.removeAll { $0 == id }
        }
    }

    /// The changes that follow from a step of the directory: invitations end with their circle, and
    /// those of an erased person leave nothing.
    func changes(after step: EventBody, at now: Timestamp) -> [InvitationChange] {
        switch step {
        case .circleRemoved(let removal):
            return invitations(to: removal.circle).filter { $0.revoked == nil }.map { row in
                var row = row
                row.revoked = now
                return .save(row)
            }
        case .personRemoved(let removal):
            return rows.values.filter {
                $0.inviter == .person(removal.person) || $0.accepted.contains(removal.person)
            }.sorted { $0.id < $1.id }.map { row in
                guard row.inviter != .person(removal.person) else { return .remove(row.id) }
                var row = row
                row.accepted = row.accepted.map {
                    $0 == removal.person ? PersonID(.zero) : $0
                }
                return .save(row)
            }
        default: return []
        }
    }

    /// Removes rows that the daemon deletes, too. O(n): every few minutes.
    mutating func removeOld(at now: Timestamp) {
        for row in rows.values where row.expires <= now - Limits.invitationKept {
            apply(.remove(row.id))
        }
        recent.removeAll { id in
            rows[id].map { now - $0.created >= Limits.codeWindow } ?? true
        }
    }
}
