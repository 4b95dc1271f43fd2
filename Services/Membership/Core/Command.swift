import Directory
import Model

/// Identifies an HTTP request until it is answered.
public typealias RequestID = UInt64

/// Inputs of ``MembershipCore``.
public enum Input: Sendable {
    /// A caller requests a change.
    case command(Command)
    /// The token in the secrets folder. It becomes the operator's only token.
    case operatorToken(NewCredential)
    /// Erases a person who came back when an older store was restored.
    case eraseAgain(PersonID)
    /// Current offsets of time zones, each zone once.
    case zoneClocks([ZoneClock])
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

    case createDevice(PersonID, DeviceID, DevicePatch, NewCredential)
    case updateDevice(PersonID, DeviceID, DevicePatch)
    case removeDevice(PersonID, DeviceID)
    /// Replaces all credentials of the device.
    case rotateCredential(PersonID, DeviceID, NewCredential)
    /// Creates a credential that is not bound to a device.
    case createCredential(PersonID, NewCredential)
    case removeCredential(PersonID, CredentialID)
    case rotateOperatorToken(NewCredential)
    /// Replaces the token that may only read events and status.
    case rotateMonitorToken(NewCredential)
    case removeMonitorToken

    case createCircle(CircleID, CirclePatch)
    case updateCircle(CircleID, CirclePatch)
    case removeCircle(CircleID)

    case addMember(CircleID, PersonID, MemberPatch)
    case updateMember(CircleID, PersonID, MemberPatch)
    case removeMember(CircleID, PersonID)

    case createZone(ZoneOwner, ZoneID, ZonePatch)
    /// Creates all zones or none.
    case createZones(ZoneOwner, [NewZone])
    case updateZone(ZoneOwner, ZoneID, ZonePatch)
    case removeZone(ZoneOwner, ZoneID)
    case optOut(PersonID, ZoneID)
    case optIn(PersonID, ZoneID)

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
