import Model
import Web

/// The operation that a method and path select.
enum Route: Sendable {
    case read(Reading)
    case change(Changing)

    enum Reading: Sendable {
        case people, person, devices, device, setup
        case circles, circle, members, member
        case zones(ZoneOwnerKind)
        case zone(ZoneOwnerKind)
        case zoneFile(ZoneOwnerKind)
        case applicableZones
        case sets, set
        case messages(ZoneOwnerKind)
        case message(ZoneOwnerKind)
        case rights
    }

    enum Changing: Sendable {
        case createPerson, updatePerson, removePerson
        case createDevice, updateDevice, removeDevice, rotateCredential, setUpDevice
        case createCredential, removeCredential
        case createCircle, updateCircle, removeCircle
        case addMember, updateMember, removeMember
        case createZone(ZoneOwnerKind)
        case updateZone(ZoneOwnerKind)
        case removeZone(ZoneOwnerKind)
        case importZones(ZoneOwnerKind)
        case mailZone(ZoneOwnerKind)
        case mailSet
        case optOut, optIn
        case createSet, updateSet, removeSet, subscribe, unsubscribe
        case createMessage(ZoneOwnerKind)
        case updateMessage(ZoneOwnerKind)
        case removeMessage(ZoneOwnerKind)
        case confirmMessage(ZoneOwnerKind)
        case sendCode(ZoneOwnerKind)
        case enterCode(ZoneOwnerKind)
        case rotateOperatorToken
        case rotateMonitorToken, removeMonitorToken

        /// Whether the change is rejected while the disk is nearly full. Additions and edits of
        /// zones and circles can wait; removals, new secrets and changes of sharing cannot.
        var canWait: Bool {
            switch self {
            case .createPerson, .createDevice, .createCredential, .createCircle, .updateCircle,
                .addMember, .createZone, .importZones, .updateZone, .optIn, .createSet,
                .updateSet,
                .subscribe, .createMessage, .updateMessage, .confirmMessage, .sendCode, .enterCode,
                .mailZone, .mailSet:
                true
            case .updatePerson, .updateDevice, .updateMember, .removePerson, .removeDevice,
                .rotateCredential, .setUpDevice, .removeCredential, .removeCircle, .removeMember,
                .removeZone,
                .optOut, .removeSet, .unsubscribe, .removeMessage, .rotateOperatorToken,
                .rotateMonitorToken, .removeMonitorToken:
                false
            }
        }
    }

    static let router = Router<Route>(ofPeopleAndCircles + ofZones + ofMessages)

    private static let ofPeopleAndCircles: [(Method, String, Route)] = [
        (.get, "/v1/people", .read(.people)),
        (.post, "/v1/people", .change(.createPerson)),
        (.get, "/v1/people/{person}", .read(.person)),
        (.put, "/v1/people/{person}", .change(.updatePerson)),
        (.delete, "/v1/people/{person}", .change(.removePerson)),
        (.get, "/v1/people/{person}/devices", .read(.devices)),
        (.post, "/v1/people/{person}/devices", .change(.createDevice)),
        (.get, "/v1/people/{person}/devices/{device}", .read(.device)),
        (.put, "/v1/people/{person}/devices/{device}", .change(.updateDevice)),
        (.delete, "/v1/people/{person}/devices/{device}", .change(.removeDevice)),
        (
            .post, "/v1/people/{person}/devices/{device}/credential",
            .change(.rotateCredential)
        ),
        (.get, "/v1/devices/{device}/setup", .read(.setup)),
        (.post, "/v1/devices/{device}/setup", .change(.setUpDevice)),
        (.post, "/v1/people/{person}/credentials", .change(.createCredential)),
        (
            .delete, "/v1/people/{person}/credentials/{credential}",
            .change(.removeCredential)
        ),
        (.get, "/v1/circles", .read(.circles)),
        (.post, "/v1/circles", .change(.createCircle)),
        (.get, "/v1/circles/{circle}", .read(.circle)),
        (.put, "/v1/circles/{circle}", .change(.updateCircle)),
        (.delete, "/v1/circles/{circle}", .change(.removeCircle)),
        (.get, "/v1/circles/{circle}/members", .read(.members)),
        (.post, "/v1/circles/{circle}/members", .change(.addMember)),
        (.get, "/v1/circles/{circle}/members/{person}", .read(.member)),
        (.put, "/v1/circles/{circle}/members/{person}", .change(.updateMember)),
        (.delete, "/v1/circles/{circle}/members/{person}", .change(.removeMember)),
        (.get, "/v1/rights", .read(.rights)),
        (.post, "/v1/admin/token", .change(.rotateOperatorToken)),
        (.post, "/v1/admin/monitoring-token", .change(.rotateMonitorToken)),
        (.delete, "/v1/admin/monitoring-token", .change(.removeMonitorToken)),
    ]
}
