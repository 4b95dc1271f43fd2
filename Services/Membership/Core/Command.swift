import Directory
import Model

/// Identifies an HTTP request until it is answered.
public typealias RequestID = UInt64

/// Inputs of ``MembershipCore``.
public enum Input: Sendable {
    /// A caller requests a change.
    case command(Command)
    /// Somebody requests a code to sign in.
    case signInCode(SignInCodeRequest)
    /// Somebody enters a code to sign in.
    case enterSignInCode(SessionRequest)
    /// The next person is asked to verify their contact points, if one is due.
    ///
    /// - Parameter hour: the hour of day in a time zone
    case remind(hour: @Sendable (_ timeZone: String) -> Int)
    /// The token in the secrets folder. It becomes the operator's only token.
    case operatorToken(NewCredential)
    /// Erases a person who came back when an older store was restored.
    case eraseAgain(PersonID)
    /// Trials whose time is over end.
    case trials
    /// The store notifies of a plan. Its signature and its id are checked. A notice with a
    /// ``MembershipCore/rejection(of:at:)`` changes nothing.
    case billing(BillingNotice)
    /// Current offsets of time zones, each zone once.
    case zoneClocks([ZoneClock])
    /// Opens a session of a person who signed in; the credential must be new. The name describes
    /// the browser.
    case openSession(PersonID, NewCredential, name: String)
    /// Gives the session of a credential another one, if it is due.
    case rotateSession(CredentialID, NewCredential)
    /// Lets a person in whose account was just created: they have a code with this digest.
    case issueActivation(PersonID, hash: String)
    /// Removes expired credentials and activation codes.
    case removeExpired
    /// Changes that another machine of this service has decided.
    case decided([EventBody])
    /// Time passed: tells wards who soon take over, and lets them.
    case wards
    /// Time passed: removes invitations and requests for consent that ended long ago.
    case removeOld
    /// Counts a refusal of an invitation, which needs no credential but the token.
    case declineInvitation(RequestID, tokenHash: String)
}

/// A change that a caller requested.
public struct Command: Sendable {
    public var request: RequestID
    public var principal: Principal
    /// The version that the caller expects; nil = any.
    public var ifVersion: Int64?
    public var change: Change

    public init(
        request: RequestID, principal: Principal, ifVersion: Int64? = nil, change: Change
    ) {
        self.request = request
        self.principal = principal
        self.ifVersion = ifVersion
        self.change = change
    }
}

/// All changes of the directory. The daemon creates ids, digests of secrets and prepared geometry,
/// and validates each text and number.
public enum Change: Sendable {
    case createPerson(PersonID, PersonPatch)
    case updatePerson(PersonID, PersonPatch)
    case removePerson(PersonID)
    /// Sends a code to a contact point, which replaces the pending one.
    case sendContactCode(PersonID, ContactID, CodeDigest)
    /// Enters the code that was sent to a contact point.
    case verifyContact(PersonID, ContactID, CodeDigest)
    /// Sends a test message to a contact point.
    case testContact(PersonID, ContactID)

    case createDevice(PersonID, DeviceID, DevicePatch, NewCredential)
    case updateDevice(PersonID, DeviceID, DevicePatch)
    case removeDevice(PersonID, DeviceID)
    /// Replaces all credentials of the device.
    case rotateCredential(PersonID, DeviceID, NewCredential)
    /// Creates a credential of kind `person` or `help`; the person alone may.
    case createCredential(PersonID, NewCredential, CredentialTerms)
    /// Creates the first credential of an account, with the digest of its activation code.
    case activate(PersonID, code: String, NewCredential, CredentialTerms)
    /// Ends a session of the caller.
    case endSession(CredentialID)
    /// Ends all sessions of the caller, except one.
    case endSessions(besides: CredentialID?)
    case removeCredential(PersonID, CredentialID)
    case rotateOperatorToken(NewCredential)
    /// Replaces the token that may only read events and status.
    case rotateMonitorToken(NewCredential)
    case removeMonitorToken

    case createCircle(CircleID, CirclePatch)
    case updateCircle(CircleID, CirclePatch)
    case removeCircle(CircleID)

    /// Adds a managed member, who joins at once.
    case addMember(CircleID, PersonID, MemberPatch)
    case updateMember(CircleID, PersonID, MemberPatch)
    case removeMember(CircleID, PersonID)

    case invite(CircleID, NewInvitation)
    case revokeInvitation(CircleID, InvitationID)
    /// Accepts the invitation of a token's digest, for the caller or a ward of theirs.
    case acceptInvitation(tokenHash: String, PersonID, MemberPatch)
    case replyToConsent(PersonID, ConsentID, agreed: Bool)
    /// Creates a ward of a guardian.
    case createWard(PersonID, of: PersonID, PersonPatch, until: Timestamp)
    /// A person asks to become another guardian of a ward.
    case requestGuardianship(PersonID, of: PersonID)

    case createZone(ZoneOwner, ZoneID, ZonePatch)
    /// Creates all zones or none.
    case createZones(ZoneOwner, [NewZone])
    case updateZone(ZoneOwner, ZoneID, ZonePatch)
    case removeZone(ZoneOwner, ZoneID)
    case optOut(PersonID, ZoneID)
    case optIn(PersonID, ZoneID)
    /// Lets others learn that the person is in a zone, while they share zones only.
    case acceptZone(PersonID, ZoneID)
    /// Withdraws that.
    case declineZone(PersonID, ZoneID)
    /// Replaces the person's never-notify list.
    case setNeverNotify(PersonID, NeverNotifyPatch)
    /// Sets, changes or removes the person's PIN or duress PIN.
    case setPIN(PersonID, PINPatch)

    /// Mails one zone, or all zones of a set if the id is nil.
    case mailZones(ZoneOwner, ZoneID?, to: String)

    case createSet(ZoneSetID, name: String)
    case updateSet(ZoneSetID, name: String?)
    case removeSet(ZoneSetID)
    case subscribe(CircleID, ZoneSetID)
    case unsubscribe(CircleID, ZoneSetID)

    /// Sends the code to the number, unless the number has already agreed.
    case createMessage(ZoneOwner, MessageID, MessagePatch, CodeDigest)
    /// Sends the code if the number changes.
    case updateMessage(ZoneOwner, MessageID, MessagePatch, CodeDigest)
    case removeMessage(ZoneOwner, MessageID)
    /// Sends another code, which replaces the pending one.
    case sendCode(ZoneOwner, MessageID, CodeDigest)
    /// Enters the code that was sent to the number.
    case enterCode(ZoneOwner, MessageID, CodeDigest)
    /// Confirms the number without a code; the operator only.
    case confirmMessage(ZoneOwner, MessageID)
}

/// What a person chooses when they create a credential.
public struct CredentialTerms: Hashable, Sendable {
    public var kind: CredentialKind
    public var name: String
    /// Nil = the default of its kind.
    public var expires: Timestamp?

    public init(kind: CredentialKind = .person, name: String = "", expires: Timestamp? = nil) {
        self.kind = kind
        self.name = name
        self.expires = expires
    }
}

/// A credential that the daemon created. The secret itself never reaches the core.
public struct NewCredential: Hashable, Sendable {
    public var id: CredentialID
    /// 64 lower-case hexadecimal digits of SHA-256 over the secret's text.
    public var hash: String

    public init(id: CredentialID, hash: String) {
        self.id = id
        self.hash = hash
    }
}
