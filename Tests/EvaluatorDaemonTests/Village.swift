import Geometry
import Model

/// Twenty people of many partitions around a school.
struct Village {
    private static let circle = CircleID(ID128(high: 1, low: 1))
    private static let middle = Coordinate(latitudeE7: 31_390_000, longitudeE7: 1_016_869_000)
    let people = (1...20).map { PersonID(ID128(high: 2, low: $0)) }

    func configure(_ coordinator: FakeCoordinator) throws {
        let shape = ZoneShape.circle(center: Self.middle, radiusCentimetres: 20_000)
        let zone = Zone(
            id: ZoneID(ID128(high: 4, low: 1)), owner: .circle(Self.circle), name: "School",
            shape: shape, prepared: try prepare(shape))
        for person in people {
            try coordinator.append(
                .inputCircle(ConfiguredCircle(circle: Self.circle, zones: [ConfiguredZone(zone)])),
                of: person)
            try coordinator.append(
                .inputPerson(
                    ConfiguredPerson(
                        person: person, primaryDevice: nil, circles: [Self.circle], zones: [])),
                of: person)
        }
    }

    /// Everybody leaves and enters: from the second round on two events each.
    func walk(_ coordinator: FakeCoordinator, rounds: Range<Int64>) throws {
        for round in rounds {
            for (north, second) in [(Int32(40_000), Int64(0)), (0, 60)] {
                for person in people {
                    let position = Coordinate(
                        latitudeE7: Self.middle.latitudeE7 + north,
                        longitudeE7: Self.middle.longitudeE7)
                    let time = Timestamp(seconds: round * 120 + second)
                    let fix = Fix(
                        time: time, position: position, accuracyCentimetres: 1000,
                        speedCentimetresPerSecond: 700)
                    let id = ReportID(
                        ID128(high: person.raw.low, low: UInt64(round * 120 + second)))
                    let device = DeviceID(ID128(high: 3, low: person.raw.low))
                    try coordinator.append(
                        .inputReport(
                            Report(
                                id: id, person: person, device: device, fix: fix, received: time)),
                        of: person)
                }
            }
        }
    }

    /// Entered in the first round, then exited and entered in each.
    func isComplete(_ coordinator: FakeCoordinator, rounds: Int) -> Bool {
        people.allSatisfy { person in
            let kinds = coordinator.events(of: person).filter { $0.body.person == person }.map(
                \.kind)
            let more = Array(repeating: [EventKind.zoneExited, .zoneEntered], count: rounds - 1)
            return kinds == [.zoneEntered] + more.flatMap { $0 }
        }
    }
}

extension EventBody {
    fileprivate var person: PersonID? {
        switch self {
        case .zoneEntered(let crossing), .zoneExited(let crossing),
            .zonePresenceEstablished(let crossing):
            crossing.person
        default: nil
        }
    }
}
