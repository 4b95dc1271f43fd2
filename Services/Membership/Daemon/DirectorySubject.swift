import Model

extension EventBody {
    /// The id of the entity that a directory event is about.
    var directorySubject: ID128 {
        switch self {
        case .personChanged(let value): value.id.raw
        case .deviceChanged(let value): value.id.raw
        case .credentialChanged(let value): value.id.raw
        case .circleChanged(let value): value.id.raw
        case .zoneChanged(let value): value.id.raw
        case .setChanged(let value): value.id.raw
        case .messageChanged(let value): value.id.raw
        case .personRemoved(let value): value.person.raw
        case .deviceRemoved(let value): value.device.raw
        case .credentialRemoved(let value): value.credential.raw
        case .circleRemoved(let value): value.circle.raw
        case .zoneRemoved(let value): value.zone.raw
        case .setRemoved(let value): value.set.raw
        case .messageRemoved(let value): value.message.raw
        default: fatalError("broken invariant: \(kind.type) is an event of the directory")
        }
    }
}
