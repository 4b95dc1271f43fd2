import Directory
import Model

/// The kind of a `ZoneOwner`.
public enum ZoneOwnerKind: Sendable {
    case circle, person, set
}

/// Membership's operations.
public enum MembershipOperation: OperationID {
    case read(Reading)
    case change(Changing)
    /// Needs no credential but a secret in the body.
    case open(Opening)
    /// Sign-in at providers and by passkeys.
    case signOn(SigningOn)

    public enum Opening: Sendable {
        case activate, requestSignInCode, openSession
        case previewInvitation, declineInvitation
    }
    /// A notification of the app store.
    case billing

    public enum SigningOn: Sendable {
        case providers, startAtProvider, returnFromProvider, providerLogout, signOut, identities
        case passkeys, passkeyOptions, addPasskey, removePasskey
        case passkeySignInOptions, signInWithPasskey
    }

    public enum Reading: Sendable {
        case people, person, devices, device, setup, credentials, sessions
        case circles, circle, members, member
        case invitations, invitation
        case consents, wards
        case zones(ZoneOwnerKind)
        case zone(ZoneOwnerKind)
        case zoneFile(ZoneOwnerKind)
        case applicableZones, neverNotify, pin
        case sets, set
        case messages(ZoneOwnerKind)
        case message(ZoneOwnerKind)
        case rights, rightsInCircle
        /// Everything that an app shows first.
        case me
    }

    public enum Changing: Sendable {
        case createPerson, updatePerson, removePerson
        case sendContactCode, verifyContact, testContact
        case createDevice, updateDevice, removeDevice, rotateCredential, setUpDevice
        case createCredential, removeCredential, endSession, endSessions
        case createCircle, updateCircle, removeCircle
        case addMember, updateMember, removeMember
        case invite, revokeInvitation, acceptInvitation
        case replyToConsent, declareWard
        case createZone(ZoneOwnerKind)
        case updateZone(ZoneOwnerKind)
        case removeZone(ZoneOwnerKind)
        case importZones(ZoneOwnerKind)
        case mailZone(ZoneOwnerKind)
        case mailSet
        case optOut, optIn, acceptZone, declineZone, setNeverNotify
        case setPIN, setDuressPIN
        case createSet, updateSet, removeSet, subscribe, unsubscribe
        case createMessage(ZoneOwnerKind)
        case updateMessage(ZoneOwnerKind)
        case removeMessage(ZoneOwnerKind)
        case confirmMessage(ZoneOwnerKind)
        case sendCode(ZoneOwnerKind)
        case enterCode(ZoneOwnerKind)
        case rotateOperatorToken
        case rotateMonitorToken, removeMonitorToken
    }

    public static let service = ServiceName.membership

    public static let table: [RoutedOperation<MembershipOperation>] =
        signIn + people + signOn + zones(of: .circle) + zones(of: .person) + zones(of: .set)
        + messages(of: .circle) + messages(of: .person)

    private static let signOn: [RoutedOperation<MembershipOperation>] = [
        .init(.get, "/v1/sign-in/providers", .signOn(.providers), "listProviders", .open),
        .init(
            .get, "/v1/sign-in/providers/{provider}", .signOn(.startAtProvider),
            "startAtProvider", .open),
        .init(
            .get, "/v1/sign-in/providers/{provider}/callback", .signOn(.returnFromProvider),
            "returnFromProvider", .open),
        .init(
            .post, "/v1/sign-in/providers/{provider}/logout", .signOn(.providerLogout),
            "endSessionsByProvider", .open, repeats: .never),
        .init(
            .post, "/v1/sign-in/logout", .signOn(.signOut), "signOut", .signedIn, repeats: .never),
        .init(
            .post, "/v1/sign-in/passkeys/options", .signOn(.passkeySignInOptions),
            "readPasskeySignInOptions", .open, repeats: .never),
        .init(
            .post, "/v1/sign-in/passkeys", .signOn(.signInWithPasskey), "signInWithPasskey",
            .open, repeats: .never),
        .init(
            .get, "/v1/people/{person}/identities", .signOn(.identities), "listIdentities",
            .signedIn),
        .init(
            .get, "/v1/people/{person}/passkeys", .signOn(.passkeys), "listPasskeys", .signedIn),
        .init(
            .post, "/v1/people/{person}/passkeys", .signOn(.addPasskey), "addPasskey", .signedIn,
            repeats: .never),
        .init(
            .post, "/v1/people/{person}/passkeys/options", .signOn(.passkeyOptions),
            "readPasskeyOptions", .signedIn, repeats: .never),
        .init(
            .delete, "/v1/people/{person}/passkeys/{passkey}", .signOn(.removePasskey),
            "removePasskey", .signedIn),
    ]

    private static let signIn: [RoutedOperation<MembershipOperation>] = [
        .init(
            .post, "/v1/sign-in/codes", .open(.requestSignInCode), "requestSignInCode", .open,
            repeats: .never),
        .init(
            .post, "/v1/sessions", .open(.openSession), "openSession", .open, repeats: .never),
    ]

    private static let people: [RoutedOperation<MembershipOperation>] = [
        .init(.get, "/v1/people", .read(.people), "listPeople", .right(.administer)),
        .init(
            .post, "/v1/people", .change(.createPerson), "createPerson", .right(.administer),
            canWait: true),
        .init(.get, "/v1/people/{person}", .read(.person), "readPerson", .right(.readPerson)),
        .init(
            .put, "/v1/people/{person}", .change(.updatePerson), "updatePerson",
            .right(.editProfile, .editName, .editContactPoints, .changePlan, .administer)),
        .init(
            .delete, "/v1/people/{person}", .change(.removePerson), "removePerson", .right(.erase)),
        .init(
            .post, "/v1/people/{person}/contacts/{contact}/code", .change(.sendContactCode),
            "sendContactCode", .right(.verifyContactPoint)),
        .init(
            .post, "/v1/people/{person}/contacts/{contact}/verification", .change(.verifyContact),
            "verifyContact", .right(.verifyContactPoint)),
        .init(
            .post, "/v1/people/{person}/contacts/{contact}/test", .change(.testContact),
            "testContact", .right(.verifyContactPoint)),
        .init(
            .get, "/v1/people/{person}/devices", .read(.devices), "listDevices", .right(.readPerson)
        ),
        .init(
            .post, "/v1/people/{person}/devices", .change(.createDevice), "createDevice",
            .right(.editDevices), canWait: true),
        .init(
            .get, "/v1/people/{person}/devices/{device}", .read(.device), "readDevice",
            .right(.readPerson)),
        .init(
            .put, "/v1/people/{person}/devices/{device}", .change(.updateDevice), "updateDevice",
            .right(.editDevices)),
        .init(
            .delete, "/v1/people/{person}/devices/{device}", .change(.removeDevice), "removeDevice",
            .right(.editDevices)),
        .init(
            .post, "/v1/people/{person}/devices/{device}/credential", .change(.rotateCredential),
            "rotateCredential", .right(.editDevices)),
        .init(.get, "/v1/devices/{device}/setup", .read(.setup), "readSetup", .device),
        .init(
            .post, "/v1/devices/{device}/setup", .change(.setUpDevice), "setUpDevice",
            .right(.editDevices)),
        .init(
            .post, "/v1/people/{person}/activation", .open(.activate), "activatePerson", .open),
        .init(.get, "/v1/sessions", .read(.sessions), "listSessions", .signedIn),
        .init(
            .delete, "/v1/sessions", .change(.endSessions), "endSessions", .signedIn),
        .init(
            .delete, "/v1/sessions/{session}", .change(.endSession), "endSession", .signedIn),
        .init(
            .get, "/v1/people/{person}/credentials", .read(.credentials), "listCredentials",
            .right(.readPerson)),
        .init(
            .post, "/v1/people/{person}/credentials", .change(.createCredential),
            "createCredential", .right(.editDevices), canWait: true),
        .init(
            .delete, "/v1/people/{person}/credentials/{credential}", .change(.removeCredential),
            "removeCredential", .right(.editDevices)),
        .init(.get, "/v1/circles", .read(.circles), "listCircles", .signedIn),
        .init(
            .post, "/v1/circles", .change(.createCircle), "createCircle", .right(.createCircle),
            canWait: true),
        .init(.get, "/v1/circles/{circle}", .read(.circle), "readCircle", .right(.readCircle)),
        .init(
            .put, "/v1/circles/{circle}", .change(.updateCircle), "updateCircle",
            .right(.editCircle, .editEscalation, .changeRetention),
            canWait: true),
        .init(
            .delete, "/v1/circles/{circle}", .change(.removeCircle), "removeCircle",
            .right(.deleteCircle)),
        .init(
            .get, "/v1/circles/{circle}/members", .read(.members), "listMembers",
            .right(.readCircle)),
        .init(
            .post, "/v1/circles/{circle}/members", .change(.addMember), "addMember",
            .right(.administer, .invite), canWait: true),
        .init(
            .get, "/v1/circles/{circle}/members/{person}", .read(.member), "readMember",
            .right(.readCircle)),
        .init(
            .put, "/v1/circles/{circle}/members/{person}", .change(.updateMember), "updateMember",
            .right(.changeSharing, .changeRole)),
        .init(
            .delete, "/v1/circles/{circle}/members/{person}", .change(.removeMember),
            "removeMember", .right(.leaveCircle, .removeMember)),
        .init(
            .get, "/v1/circles/{circle}/invitations", .read(.invitations), "listInvitations",
            .right(.invite)),
        .init(
            .post, "/v1/circles/{circle}/invitations", .change(.invite), "invite",
            .right(.invite), canWait: true),
        .init(
            .get, "/v1/circles/{circle}/invitations/{invitation}", .read(.invitation),
            "readInvitation", .right(.invite)),
        .init(
            .delete, "/v1/circles/{circle}/invitations/{invitation}", .change(.revokeInvitation),
            "revokeInvitation", .right(.invite)),
        .init(
            .post, "/v1/invitations/preview", .open(.previewInvitation), "previewInvitation",
            .open, repeats: .never),
        .init(
            .post, "/v1/invitations/acceptance", .change(.acceptInvitation), "acceptInvitation",
            .right(.acceptInvitation), canWait: true),
        .init(
            .post, "/v1/invitations/decline", .open(.declineInvitation), "declineInvitation",
            .open, repeats: .never),
        .init(
            .get, "/v1/people/{person}/consents", .read(.consents), "listConsents",
            .right(.readPerson)),
        .init(
            .put, "/v1/people/{person}/consents/{consent}", .change(.replyToConsent),
            "replyToConsent", .right(.answerConsents)),
        .init(
            .get, "/v1/people/{person}/wards", .read(.wards), "listWards", .right(.readPerson)),
        .init(
            .post, "/v1/people/{person}/wards", .change(.declareWard), "declareWard",
            .right(.declareWard), canWait: true),
        .init(.get, "/v1/rights", .read(.rights), "listRights", .signedIn),
        .init(.get, "/v1/me", .read(.me), "readMe", .signedIn),
        .init(
            .get, "/v1/circles/{circle}/rights", .read(.rightsInCircle), "listRightsInCircle",
            .right(.administer)),
        .init(
            .post, "/v1/billing/events", .billing, "receiveBillingEvent", .signature,
            repeats: .never),
        .init(
            .post, "/v1/admin/token", .change(.rotateOperatorToken), "rotateOperatorToken",
            .right(.administer)),
        .init(
            .post, "/v1/admin/monitoring-token", .change(.rotateMonitorToken),
            "rotateMonitoringToken", .right(.administer)),
        .init(
            .delete, "/v1/admin/monitoring-token", .change(.removeMonitorToken),
            "removeMonitoringToken", .right(.administer)),
        .init(
            .get, "/v1/people/{person}/applicable-zones", .read(.applicableZones),
            "listApplicableZones", .right(.readOwnZones)),
        .init(
            .put, "/v1/people/{person}/zone-opt-outs/{zone}", .change(.optOut), "optOutOfZone",
            .right(.optOutOfZones)),
        .init(
            .delete, "/v1/people/{person}/zone-opt-outs/{zone}", .change(.optIn), "optInToZone",
            .right(.optOutOfZones), canWait: true),
        .init(
            .put, "/v1/people/{person}/zone-acceptances/{zone}", .change(.acceptZone),
            "acceptZone", .right(.optOutOfZones)),
        .init(
            .delete, "/v1/people/{person}/zone-acceptances/{zone}", .change(.declineZone),
            "declineZone", .right(.optOutOfZones)),
        .init(
            .get, "/v1/people/{person}/never-notify", .read(.neverNotify), "readNeverNotifyList",
            .right(.editNeverNotifyList)),
        .init(
            .put, "/v1/people/{person}/never-notify", .change(.setNeverNotify),
            "setNeverNotifyList", .right(.editNeverNotifyList)),
        .init(.get, "/v1/people/{person}/pin", .read(.pin), "readPIN", .right(.editPIN)),
        .init(.put, "/v1/people/{person}/pin", .change(.setPIN), "setPIN", .right(.editPIN)),
        .init(
            .put, "/v1/people/{person}/duress-pin", .change(.setDuressPIN), "setDuressPIN",
            .right(.editPIN)),
        .init(.get, "/v1/sets", .read(.sets), "listSets", .right(.readSets)),
        .init(
            .post, "/v1/sets", .change(.createSet), "createSet", .right(.administer),
            canWait: true),
        .init(.get, "/v1/sets/{set}", .read(.set), "readSet", .right(.readSets)),
        .init(
            .put, "/v1/sets/{set}", .change(.updateSet), "updateSet", .right(.administer),
            canWait: true),
        .init(
            .patch, "/v1/sets/{set}", .change(.updateSet), "patchSet", .right(.administer),
            canWait: true),
        .init(.delete, "/v1/sets/{set}", .change(.removeSet), "removeSet", .right(.administer)),
        .init(
            .post, "/v1/sets/{set}/mail", .change(.mailSet), "mailSet", .right(.readSets),
            canWait: true),
        .init(
            .put, "/v1/circles/{circle}/sets/{set}", .change(.subscribe), "subscribeSet",
            .right(.subscribeSets), canWait: true),
        .init(
            .delete, "/v1/circles/{circle}/sets/{set}", .change(.unsubscribe), "unsubscribeSet",
            .right(.subscribeSets)),
    ]

    /// Zones of an owner. PATCH equals PUT: omitted fields keep their values.
    private static func zones(of owner: ZoneOwnerKind) -> [RoutedOperation<MembershipOperation>] {
        let (read, edit) = (owner.readingRight, owner.editingRight)
        let path = owner.path + "/zones"
        let (one, all) = owner.zoneNames
        return [
            .init(.get, path, .read(.zones(owner)), "list" + all, read),
            .init(.post, path, .change(.createZone(owner)), "create" + one, edit, canWait: true),
            .init(
                .post, path + "/import", .change(.importZones(owner)), "import" + all, edit,
                canWait: true, body: owner == .set ? .large : .usual),
            .init(.get, path + "/export", .read(.zoneFile(owner)), "export" + all, read),
            .init(.get, path + "/{zone}", .read(.zone(owner)), "read" + one, read),
            .init(
                .put, path + "/{zone}", .change(.updateZone(owner)), "update" + one, edit,
                canWait: true),
            .init(
                .patch, path + "/{zone}", .change(.updateZone(owner)), "patch" + one, edit,
                canWait: true),
            .init(.delete, path + "/{zone}", .change(.removeZone(owner)), "remove" + one, edit),
            .init(
                .post, path + "/{zone}/mail", .change(.mailZone(owner)), "mail" + one, read,
                canWait: true),
        ]
    }

    /// Texts that zones of an owner send.
    private static func messages(
        of owner: ZoneOwnerKind
    ) -> [RoutedOperation<MembershipOperation>] {
        let (read, edit) = (owner.readingRight, owner.editingRight)
        let (all, one) = (owner.path + "/messages", owner.path + "/messages/{message}")
        let name = owner == .circle ? "CircleMessage" : "PrivateMessage"
        return [
            .init(.get, all, .read(.messages(owner)), "list\(name)s", read),
            .init(
                .post, all, .change(.createMessage(owner)), "create\(name)", edit, canWait: true),
            .init(.get, one, .read(.message(owner)), "read\(name)", read),
            .init(.put, one, .change(.updateMessage(owner)), "update\(name)", edit, canWait: true),
            .init(
                .patch, one, .change(.updateMessage(owner)), "patch\(name)", edit, canWait: true),
            .init(.delete, one, .change(.removeMessage(owner)), "remove\(name)", edit),
            .init(
                .put, one + "/confirmed", .change(.confirmMessage(owner)), "confirm\(name)",
                .right(.administer), canWait: true),
            .init(
                .post, one + "/code", .change(.sendCode(owner)), "send\(name)Code", edit,
                canWait: true),
            .init(
                .post, one + "/confirmation", .change(.enterCode(owner)), "enter\(name)Code", edit,
                canWait: true),
        ]
    }
}

extension ZoneOwnerKind {
    fileprivate var path: String {
        switch self {
        case .circle: "/v1/circles/{circle}"
        case .person: "/v1/people/{person}"
        case .set: "/v1/sets/{set}"
        }
    }

    /// The part of an operation's name for one zone, and for all.
    fileprivate var zoneNames: (one: String, all: String) {
        switch self {
        case .circle: ("Zone", "Zones")
        case .person: ("PrivateZone", "PrivateZones")
        case .set: ("ZoneOfSet", "ZonesOfSet")
        }
    }

    fileprivate var readingRight: Operation.Access {
        switch self {
        case .circle: .right(.readZones)
        case .person: .right(.readOwnZones)
        case .set: .right(.readSets)
        }
    }

    fileprivate var editingRight: Operation.Access {
        switch self {
        case .circle: .right(.editZones)
        case .person: .right(.editPrivateZones)
        case .set: .right(.administer)
        }
    }
}
