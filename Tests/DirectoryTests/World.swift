import Directory
import Model

/// Readable ids: the n-th of its kind.
func person(_ number: UInt64) -> PersonID { PersonID(ID128(high: 1, low: number)) }
func device(_ number: UInt64) -> DeviceID { DeviceID(ID128(high: 2, low: number)) }
func credential(_ number: UInt64) -> CredentialID { CredentialID(ID128(high: 3, low: number)) }
func circle(_ number: UInt64) -> CircleID { CircleID(ID128(high: 4, low: number)) }
func zone(_ number: UInt64) -> ZoneID { ZoneID(ID128(high: 5, low: number)) }

let now = Timestamp(seconds: 1_800_000_000)

func aPerson(_ number: UInt64, plan: Plan = .trial, leading: DeviceID? = nil) -> EventBody {
    .personChanged(
        Person(id: person(number), name: "P\(number)", plan: plan, primaryDevice: leading))
}

func aDevice(_ number: UInt64, of owner: UInt64, platform: Platform = .other) -> EventBody {
    .deviceChanged(
        Device(id: device(number), person: person(owner), name: "D\(number)", platform: platform))
}

func aCredential(
    _ number: UInt64, hash: String, of owner: UInt64?, device number2: UInt64? = nil
) -> EventBody {
    .credentialChanged(
        Credential(
            id: credential(number), hash: hash, person: owner.map(person),
            device: number2.map(device), created: now))
}

func member(
    _ number: UInt64, _ role: Role = .member, invited: Bool = false, sharing: Sharing = .on
) -> Membership {
    Membership(
        person: person(number), role: role, joined: invited ? nil : now, sharing: sharing,
        trackerID: "p\(number)")
}

func aCircle(
    _ number: UInt64, _ members: [Membership], seePositions: Bool = true, editZones: Bool = true,
    escalation: [EscalationTier] = []
) -> EventBody {
    .circleChanged(
        Circle(
            id: circle(number), name: "C\(number)", members: members, escalation: escalation,
            membersSeePositions: seePositions, guardiansEditZones: editZones))
}

func aZone(_ number: UInt64, of owner: ZoneOwner) -> EventBody {
    let center = Coordinate(latitudeE7: 30_000_000, longitudeE7: 1_010_000_000)
    return .zoneChanged(
        Zone(
            id: zone(number), owner: owner, name: "Z\(number)",
            shape: .circle(center: center, radiusCentimetres: 10_000),
            prepared: PreparedGeometry(
                origin: center, coefficients: [1], radiusCentimetres: 10_000, polygons: [],
                inradiusCentimetres: 10_000, reachCentimetres: 10_000)))
}

func replica(_ events: [EventBody]) -> Replica {
    var replica = Replica()
    for event in events { replica.apply(event) }
    return replica
}

/// Two people, each with a device and credentials, a circle of both, and one of the first person
/// only.
let family: [EventBody] = [
    aPerson(1, leading: device(1)), aPerson(2),
    aDevice(1, of: 1, platform: .ios), aDevice(2, of: 2, platform: .android),
    aCredential(1, hash: "h1", of: 1, device: 1), aCredential(2, hash: "h2", of: 2, device: 2),
    aCredential(3, hash: "h3", of: 1), aCredential(4, hash: "h4", of: nil),
    aCircle(
        1, [member(1, .admin), member(2)],
        escalation: [EscalationTier(roles: [.admin], people: [person(1), person(2)])]),
    aCircle(2, [member(1, .admin), member(2, invited: true)]),
    aZone(1, of: .circle(circle(1))), aZone(2, of: .person(person(1))),
    aZone(3, of: .circle(circle(2))),
]
