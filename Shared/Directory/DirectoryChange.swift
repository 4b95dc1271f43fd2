import Model

/// A change of one entity of the directory.
///
/// Whatever depends on the kind of change switches over these cases instead of over all events.
enum DirectoryChange: Hashable, Sendable {
    case person(Person)
    case device(Device)
    case credential(Credential)
    case set(ZoneSet)
    case circle(Circle)
    case message(ZoneMessage)
    case zone(Zone)
    case neverNotify(NeverNotifyList)
    case pin(PersonPIN)
    case personRemoved(PersonID)
    case deviceRemoved(DeviceID)
    case credentialRemoved(CredentialID)
    case setRemoved(ZoneSetID)
    case circleRemoved(CircleID)
    case messageRemoved(MessageID)
    case zoneRemoved(ZoneID)

    /// Nil for an event that changes no entity of the directory.
    init?(_ body: EventBody) {
        switch body {
        case .personChanged(let person): self = .person(person)
        case .deviceChanged(let device): self = .device(device)
        case .credentialChanged(let credential): self = .credential(credential)
        case .setChanged(let set): self = .set(set)
        case .circleChanged(let circle): self = .circle(circle)
        case .messageChanged(let message): self = .message(message)
        case .zoneChanged(let zone): self = .zone(zone)
        case .neverNotifyChanged(let list): self = .neverNotify(list)
        case .pinChanged(let pin): self = .pin(pin)
        case .personRemoved(let removal): self = .personRemoved(removal.person)
        case .deviceRemoved(let removal): self = .deviceRemoved(removal.device)
        case .credentialRemoved(let removal): self = .credentialRemoved(removal.credential)
        case .setRemoved(let removal): self = .setRemoved(removal.set)
        case .circleRemoved(let removal): self = .circleRemoved(removal.circle)
        case .messageRemoved(let removal): self = .messageRemoved(removal.message)
        case .zoneRemoved(let removal): self = .zoneRemoved(removal.zone)
        default: return nil
        }
    }

    /// The event that records the change.
    var body: EventBody {
        switch self {
        case .person(let person): .personChanged(person)
        case .device(let device): .deviceChanged(device)
        case .credential(let credential): .credentialChanged(credential)
        case .set(let set): .setChanged(set)
        case .circle(let circle): .circleChanged(circle)
        case .message(let message): .messageChanged(message)
        case .zone(let zone): .zoneChanged(zone)
        case .neverNotify(let list): .neverNotifyChanged(list)
        case .pin(let pin): .pinChanged(pin)
        case .personRemoved(let id): .personRemoved(PersonRemoval(person: id))
        case .deviceRemoved(let id): .deviceRemoved(DeviceRemoval(device: id))
        case .credentialRemoved(let id): .credentialRemoved(CredentialRemoval(credential: id))
        case .setRemoved(let id): .setRemoved(SetRemoval(set: id))
        case .circleRemoved(let id): .circleRemoved(CircleRemoval(circle: id))
        case .messageRemoved(let id): .messageRemoved(ZoneMessageRemoval(message: id))
        case .zoneRemoved(let id): .zoneRemoved(ZoneRemoval(zone: id))
        }
    }
}

extension EventBody {
    /// Whether the event may revoke something in a directory: a right, a contact point or a
    /// membership. Removals may, and so may changes of known entities.
    ///
    /// A service that skipped such an event would grant rights or notify people wrongly.
    public func mayRevoke(in directory: Replica) -> Bool {
        switch DirectoryChange(self) {
        case .personRemoved, .deviceRemoved, .credentialRemoved, .circleRemoved, .zoneRemoved,
            .setRemoved, .messageRemoved, .neverNotify, .pin:
            true
        case .person(let person): directory.person(person.id) != nil
        case .device(let device): directory.device(device.id) != nil
        case .credential(let credential): directory.credential(credential.id) != nil
        case .circle(let circle): directory.circle(circle.id) != nil
        case .message(let message): directory.message(message.id) != nil
        // More zones grant nobody a right, and a change of one revokes none.
        case .zone, .set, nil: false
        }
    }
}
