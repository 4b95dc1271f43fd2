import Directory
import Model

/// Names a request until it is answered.
public typealias RequestID = UInt64

/// What reaches the core.
public enum Input: Sendable {
    /// Somebody wants a change.
    case command(Command)
    /// The operator's token, as the secrets folder has it: from now on the only one.
    case operatorToken(NewCredential)
    /// A person who had been erased is here again, with a store that was put back.
    case eraseAgain(PersonID)
    /// What the database of time zones says by now, each name once.
    case clocks([ZoneClock])
}

/// Somebody wants a change and waits for its answer.
public struct Command: Sendable {
    public var request: RequestID
    public var principal: Principal
    /// The version that the caller believes to change; nil = whichever it is.
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

/// Every change that membership knows. Ids, digests of secrets and prepared geometry were made by
/// the daemon; texts and numbers have been checked one by one.
public enum Change: Sendable {
    case createPerson(PersonID, PersonPatch)
    case updatePerson(PersonID, PersonPatch)
    case removePerson(PersonID)

    case createDevice(PersonID, DeviceID, DevicePatch, NewCredential)
    case updateDevice(PersonID, DeviceID, DevicePatch)
    case removeDevice(PersonID, DeviceID)
    /// The device's credentials so far are worth nothing from now on.
    case rotateCredential(PersonID, DeviceID, NewCredential)
    /// A credential for the person themselves.
    case createCredential(PersonID, NewCredential)
    case removeCredential(PersonID, CredentialID)
    case rotateOperatorToken(NewCredential)
    /// For whoever only follows events.
    case rotateMonitorToken(NewCredential)
    case removeMonitorToken

    case createCircle(CircleID, CirclePatch)
    case updateCircle(CircleID, CirclePatch)
    case removeCircle(CircleID)

    case addMember(CircleID, PersonID, MemberPatch)
    case updateMember(CircleID, PersonID, MemberPatch)
    case removeMember(CircleID, PersonID)

    case createZone(ZoneOwner, ZoneID, ZonePatch)
    /// All of them or none.
    case createZones(ZoneOwner, [NewZone])
    case updateZone(ZoneOwner, ZoneID, ZonePatch)
    case removeZone(ZoneOwner, ZoneID)
    case refuseZone(PersonID, ZoneID)
    case acceptZone(PersonID, ZoneID)

    /// One of them, or all of a set, go to a mail address.
    case mailZones(ZoneOwner, ZoneID?, to: String)

    case createSet(ZoneSetID, name: String)
    case updateSet(ZoneSetID, name: String?)
    case removeSet(ZoneSetID)
    case subscribe(CircleID, ZoneSetID)
    case unsubscribe(CircleID, ZoneSetID)

    /// Whoever has the number gets the code, unless the number has agreed already.
    case createMessage(ZoneOwner, MessageID, MessagePatch, CodeDigest)
    /// So does whoever has another number that it names from now on.
    case updateMessage(ZoneOwner, MessageID, MessagePatch, CodeDigest)
    case removeMessage(ZoneOwner, MessageID)
    /// Another code is sent; the one of before is worth nothing.
    case sendCode(ZoneOwner, MessageID, CodeDigest)
    /// Whoever has the number told the code.
    case enterCode(ZoneOwner, MessageID, CodeDigest)
    /// The number has agreed: the operator says so.
    case confirmMessage(ZoneOwner, MessageID)
}

/// A credential that the daemon has made: the secret itself never reaches the core.
public struct NewCredential: Hashable, Sendable {
    public var id: CredentialID
    /// 64 lower-case hexadecimal digits of SHA-256 over the secret's text.
    public var hash: String

    public init(id: CredentialID, hash: String) {
        self.id = id
        self.hash = hash
    }
}
