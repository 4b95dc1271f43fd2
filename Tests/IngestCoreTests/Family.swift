import Directory
import Model

/// Anna (1) with phone 1, Ben (2) with phone 2 and guardian Cho (3) with phone 3 in circle 1 with
/// zone 1; Dan (4) with phone 4 and Anna in circle 2; Eve (5) with phone 5 alone.
let family: [EventBody] =
    (1...5).flatMap { number in [aPerson(number), aDevice(number, of: number)] }
    + [
        aCircle(1, [member(1, .admin), member(2), member(3, .guardian)]),
        aCircle(2, [member(4, .admin), member(1)]),
        aZone(1, of: .circle(circle(1))),
    ]

func aPerson(_ number: UInt64, name: String? = nil, leading: DeviceID? = nil) -> EventBody {
    .personChanged(
        Person(
            id: person(number),
            name: name ?? ["Anna", "Ben", "Cho", "Dan", "Eve"][Int(number) - 1],
            primaryDevice: leading))
}

func aDevice(_ number: UInt64, of owner: UInt64) -> EventBody {
    .deviceChanged(Device(id: device(number), person: person(owner), name: "phone"))
}

func member(
    _ number: UInt64, _ role: Role = .member, invited: Bool = false, sharing: Sharing = .on,
    precision: Precision = .exact, tracker: String? = nil
) -> Membership {
    Membership(
        person: person(number), role: role, joined: invited ? nil : start, sharing: sharing,
        precision: precision, trackerID: tracker ?? "P\(number)")
}

func aCircle(
    _ number: UInt64, _ members: [Membership], seePositions: Bool = true, sets: [UInt64] = []
) -> EventBody {
    .circleChanged(
        Circle(
            id: circle(number), name: "C\(number)", members: members,
            membersSeePositions: seePositions, sets: sets.map { zoneSet($0) }))
}

func aZone(_ number: UInt64, of owner: ZoneOwner, version: Int64 = 1) -> EventBody {
    let center = Coordinate(latitudeE7: 30_000_000, longitudeE7: 1_010_000_000)
    return .zoneChanged(
        Zone(
            id: zone(number), owner: owner, name: "Z\(number)",
            shape: .circle(center: center, radiusCentimetres: 10_000),
            prepared: PreparedGeometry(
                origin: center, coefficients: [1], radiusCentimetres: 10_000, polygons: [],
                inradiusCentimetres: 10_000, reachCentimetres: 10_000), version: version))
}
