import Directory
import Model

/// Sessions of browsers: opens, rotates and ends them.
///
/// A session ends when its credential is removed or expires, for whatever reason. It expires after
/// a time without use: 90 days, 8 hours for staff. Use in the second half of that time rotates the
/// credential, which starts the time again.
public struct Sessions: Sendable {
    /// By session.
    private var rows: [CredentialID: Session] = [:]
    /// Sessions by their credentials, present and former ones.
    private var idOfCredential: [CredentialID: CredentialID] = [:]

    public init(_ rows: [Session] = []) {
        for row in rows { apply(.save(row)) }
    }

    public var count: Int { rows.count }

    /// The session of a credential; nil if it belongs to none.
    public func session(of credential: CredentialID) -> Session? {
        idOfCredential[credential].flatMap { rows[$0] }
    }

    /// The session with an id, if it belongs to the person.
    public func session(_ id: CredentialID, of person: PersonID) -> Session? {
        rows[id].flatMap { $0.person == person ? $0 : nil }
    }

    /// The sessions of a person, ids ascending. O(credentials of the person).
    public func sessions(of person: PersonID, in directory: Replica) -> [Session] {
        directory.credentials(of: person).compactMap { rows[idOfCredential[$0.id] ?? $0.id] }
            .reduce(into: [Session]()) { found, row in
                if !found.contains(row) { found.append(row) }
            }
            .sorted { $0.id < $1.id }
    }

    /// How long a session lives without use.
    public static func idleTime(of person: Person) -> Duration {
        person.staff == nil ? Limits.sessionIdleTime : Limits.staffSessionIdleTime
    }

    /// Whether the credential of a request is due for rotation: it is the present one of a session
    /// that is in the second half of its time.
    public func isDue(_ credential: Credential, in directory: Replica, at now: Timestamp) -> Bool {
        guard let session = session(of: credential.id), session.credential == credential.id,
            let expires = credential.expires, let person = directory.person(session.person)
        else { return false }
        return expires - now <= Sessions.idleTime(of: person) / 2
    }

    /// Events and rows of a new session. The oldest sessions of a person with too many end.
    ///
    /// - Parameter name: the browser, such as "Firefox on Linux"
    func opening(
        of person: Person, _ new: NewCredential, name: String, in directory: Replica,
        at now: Timestamp
    ) -> (credential: Credential, events: [EventBody], change: SessionChange) {
        let credential = Credential(
            id: new.id, hash: new.hash, kind: .session, person: person.id, name: name,
            created: now, expires: now + Sessions.idleTime(of: person))
        let old = sessions(of: person.id, in: directory).sorted { $0.opened < $1.opened }
        let ended = old.dropLast(Limits.sessionsPerPersonMax - 1).flatMap(ends)
        let session = Session(
            id: new.id, person: person.id, name: name, opened: now, credential: new.id)
        return (credential, ended + [.credentialChanged(credential)], .save(session))
    }

    /// Events and row that give a session another credential; nil if its credential is not due.
    func rotation(
        of id: CredentialID, to new: NewCredential, in directory: Replica, at now: Timestamp
    ) -> (events: [EventBody], change: SessionChange)? {
        guard var old = directory.credential(id), isDue(old, in: directory, at: now),
            var session = session(of: id), let person = directory.person(session.person)
        else { return nil }
        let credential = Credential(
            id: new.id, hash: new.hash, kind: .session, person: person.id, name: session.name,
            created: now, expires: now + Sessions.idleTime(of: person))
        let removed = session.former.map {
            EventBody.credentialRemoved(CredentialRemoval(credential: $0))
        }
        old.expires = min(old.expires ?? .distantFuture, now + Limits.sessionOverlap)
        session.former = id
        session.credential = new.id
        return (
            [.credentialChanged(credential), .credentialChanged(old)]
                + (removed.map { [$0] } ?? []), .save(session)
        )
    }

    /// Events that end a session.
    func ends(_ session: Session) -> [EventBody] {
        [session.credential, session.former].compactMap(\.self).map {
            .credentialRemoved(CredentialRemoval(credential: $0))
        }
    }

    /// The change of rows that the removal of a credential causes; nil if there is none.
    func removal(of credential: CredentialID) -> SessionChange? {
        guard var session = session(of: credential) else { return nil }
        if session.former == credential {
            session.former = nil
            return .save(session)
        }
        return .remove(session.id)
    }

    mutating func apply(_ change: SessionChange) {
        switch change {
        case .save(let session):
            if let old = rows[session.id] { forgetCredentials(of: old) }
            rows[session.id] = session
            for credential in [session.credential, session.former].compactMap(\.self) {
                idOfCredential[credential] = session.id
            }
        case .remove(let id):
            if let old = rows.removeValue(forKey: id) { forgetCredentials(of: old) }
        }
    }

    private mutating func forgetCredentials(of session: Session) {
        for credential in [session.credential, session.former].compactMap(\.self) {
            idOfCredential[credential] = nil
        }
    }
}
