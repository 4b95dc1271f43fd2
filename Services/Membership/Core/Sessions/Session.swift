import Model

/// A person's session in a browser. Its credential, of kind `session`, is in the directory.
public struct Session: Hashable, Sendable, Codable {
    /// The id of its first credential; it stays when the credential is rotated.
    public var id: CredentialID
    public var person: PersonID
    /// The browser, such as "Firefox on Linux"; may be empty.
    public var name: String
    public var opened: Timestamp
    public var credential: CredentialID
    /// The credential before the last rotation, valid for ``Limits/sessionOverlap``: requests that
    /// were on their way then have it.
    public var former: CredentialID?

    public init(
        id: CredentialID, person: PersonID, name: String, opened: Timestamp,
        credential: CredentialID, former: CredentialID? = nil
    ) {
        self.id = id
        self.person = person
        self.name = name
        self.opened = opened
        self.credential = credential
        self.former = former
    }
}

/// Changes of rows of sessions.
public enum SessionChange: Hashable, Sendable {
    case save(Session)
    case remove(CredentialID)
}
