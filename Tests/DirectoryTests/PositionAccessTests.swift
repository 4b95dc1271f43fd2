import Directory
import Model
import Testing

/// Who may see a position now, compared with a slow and obvious oracle in all small worlds.
@Suite struct `Access to a position` {
    private static let sharings: [Sharing] = [
        .on, .off, .pausedUntil(now), .pausedUntil(now + .seconds(1)),
    ]
    /// Nil = not a member.
    private static let viewerRoles: [Role?] = [nil, .member, .guardian, .admin]

    /// A list of the person: nobody, the viewer, or the circle.
    private enum Exclusion: CaseIterable { case nobody, viewer, circle }

    /// The rule, one sentence after the other (domain.md §1 and §4).
    private func oracle(
        isOperator: Bool, isOwn: Bool, role: Role?, seePositions: Bool, sharing: Sharing,
        precision: Precision, ownCall: Bool, exclusion: Exclusion
    ) -> PositionDetail {
        if isOwn { return .exact }
        if ownCall, !isOperator, exclusion == .nobody { return .exact }
        var isShared = false
        switch sharing {
        case .on: isShared = true
        case .off: isShared = false
        case .pausedUntil(let end): isShared = now >= end
        }
        guard isShared else { return .nothing }
        if !isOperator {
            if role == nil { return .nothing }
            if role == .member, !seePositions { return .nothing }
        }
        return precision == .exact ? .exact : .zone
    }

    @Test func `is the same as the oracle's in every world`() {
        var worlds = 0
        for sharing in Self.sharings {
            for precision in Precision.allCases {
                for role in Self.viewerRoles {
                    for bits in 0..<4 {
                        for exclusion in Exclusion.allCases {
                            check(
                                sharing, precision, role, seePositions: bits & 1 != 0,
                                ownCall: bits & 2 != 0, exclusion)
                            worlds += 1
                        }
                    }
                }
            }
        }
        #expect(worlds == 4 * 2 * 4 * 4 * 3)
    }

    private func check(
        _ sharing: Sharing, _ precision: Precision, _ role: Role?, seePositions: Bool,
        ownCall: Bool, _ exclusion: Exclusion
    ) {
        var subject = member(1, sharing: sharing)
        subject.precision = precision
        let members = [subject] + (role.map { [member(2, $0)] } ?? [])
        let list = NeverNotifyList(
            person: person(1), people: exclusion == .viewer ? [person(2)] : [],
            circles: exclusion == .circle ? [circle(1)] : [])
        let world = replica([
            aPerson(1), aPerson(2), aCircle(1, members, seePositions: seePositions),
            .neverNotifyChanged(list),
        ])
        guard let known = world.circle(circle(1)) else { return }
        for viewer in [Principal.operator, .person(person(1)), .person(person(2))] {
            // Recipients are members.
            let isRecipient = ownCall && (viewer.person == nil || role != nil)
            let detail = PositionAccess(of: viewer, in: known, world, at: now)
                .detail(of: subject, sharesByOwnCall: isRecipient)
            let expected = oracle(
                isOperator: viewer == .operator, isOwn: viewer.person == person(1), role: role,
                seePositions: seePositions, sharing: sharing, precision: precision,
                ownCall: isRecipient, exclusion: exclusion)
            #expect(
                detail == expected,
                "\(viewer) \(sharing) \(precision) \(String(describing: role)) \(exclusion)")
        }
    }

    @Test func `begins at the end of a pause`() {
        #expect(member(1).exactlyShared(from: now) == now)
        #expect(member(1, sharing: .off).exactlyShared(from: now) == nil)
        let end = now + .seconds(60)
        #expect(member(1, sharing: .pausedUntil(end)).exactlyShared(from: now) == end)
        #expect(member(1, sharing: .pausedUntil(.zero)).exactlyShared(from: now) == now)
        var zones = member(1)
        zones.precision = .zone
        #expect(zones.exactlyShared(from: now) == nil)
    }
}

/// Zones by name, of a person who shares zones only.
@Suite struct `The name of a zone` {
    private static let place = Coordinate(latitudeE7: 30_000_000, longitudeE7: 1_010_000_000)

    private func zone(
        _ number: UInt64, radius: Int32 = 20_000, owner: ZoneOwner = .circle(circle(1)),
        drawn: Timestamp? = nil, by: PersonID? = nil, active: Bool = true
    ) -> Zone {
        Zone(
            id: DirectoryTests.zone(number), owner: owner, name: "Z\(number)", active: active,
            shape: .circle(center: Self.place, radiusCentimetres: radius),
            prepared: PreparedGeometry(
                origin: Self.place, coefficients: [1, 1_105_740_000_000, 1_111_640_000_000],
                radiusCentimetres: radius, polygons: [], inradiusCentimetres: radius,
                reachCentimetres: radius), drawn: drawn, drawnBy: by)
    }

    private func accepts(
        _ zone: Zone, optOuts: [ZoneID] = [], acceptances: [ZoneAcceptance] = []
    ) -> Bool {
        let world = replica([
            .personChanged(
                Person(
                    id: person(1), name: "Anna", zoneOptOuts: optOuts,
                    zoneAcceptances: acceptances)),
            aCircle(1, [member(1), member(2)]), .zoneChanged(zone),
        ])
        guard let known = world.circle(circle(1)), let member = known.member(person(1)) else {
            return false
        }
        return ZoneNaming(in: world).mayName(zone, of: member, in: known)
    }

    @Test func `is known for zones that the person accepted by joining`() {
        #expect(accepts(zone(1)), "drawn before drawing was recorded")
        #expect(accepts(zone(1, drawn: now)), "there when they joined")
        #expect(!accepts(zone(1, drawn: now + .seconds(1), by: person(2))), "drawn later")
        #expect(accepts(zone(1, drawn: now + .seconds(1), by: person(1))), "by themselves")
    }

    @Test func `is known for zones that the person accepted explicitly, as they were drawn`() {
        let later = zone(1, drawn: now + .seconds(10), by: person(2))
        let id = later.id
        #expect(accepts(later, acceptances: [ZoneAcceptance(zone: id, at: now + .seconds(10))]))
        #expect(!accepts(later, acceptances: [ZoneAcceptance(zone: id, at: now + .seconds(9))]))
        #expect(
            !accepts(
                later,
                acceptances: [ZoneAcceptance(zone: DirectoryTests.zone(2), at: .distantFuture)]
            ))
    }

    @Test func `is not known for small zones, opt-outs and zones of others`() {
        #expect(!accepts(zone(1, radius: 9_999)))
        #expect(accepts(zone(1, radius: 10_000)))
        #expect(!accepts(zone(1), optOuts: [DirectoryTests.zone(1)]))
        #expect(!accepts(zone(1, owner: .circle(circle(2)))))
        #expect(!accepts(zone(1, owner: .person(person(1)))), "private zones are never named")
        #expect(!accepts(zone(1, owner: .set(ZoneSetID(ID128(high: 6, low: 1))))))
    }
}
