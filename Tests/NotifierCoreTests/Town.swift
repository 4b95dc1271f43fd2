import Model
import NotifierCore

/// People, circles and zones of the tests.
enum Town {
    static let aisha = person(1, "Aisha", sms: "+60111000001", mail: "aisha@example.org")
    static let budi = person(2, "Budi", sms: "+60111000002", mail: "budi@example.org")
    static let citra = person(3, "Citra", sms: "+60111000003", mail: nil)
    static let dewi = person(4, "Dewi", sms: "+60111000004", mail: nil)
    static let eko = person(5, "Eko", sms: "+60111000005", mail: nil)
    static let people = [aisha, budi, citra, dewi, eko]

    static let familyID = CircleID(ID128(high: 3, low: 1))
    static let teamID = CircleID(ID128(high: 3, low: 2))

    /// Budi is guardian, Citra admin, Dewi member; Eko has not accepted the invitation.
    static let family = Circle(
        id: familyID, name: "Family",
        members: [
            member(aisha, .member, "AI"), member(budi, .guardian, "BU"),
            member(citra, .admin, "CI"), member(dewi, .member, "DE"),
            Membership(person: eko.id, role: .guardian, joined: nil, trackerID: "EK"),
        ])

    static let school = zone(1, "School", radiusMetres: 150)
    static let kiosk = zone(2, "Kiosk", radiusMetres: 30)

    static let place = Coordinate(latitude: 3.139, longitude: 101.6869)!

    static func member(_ person: Person, _ role: Role, _ tracker: String) -> Membership {
        Membership(person: person.id, role: role, joined: .zero, trackerID: tracker)
    }

    static func person(_ number: UInt64, _ name: String, sms: String?, mail: String?) -> Person {
        var contacts: [ContactPoint] = []
        for (channel, address) in [(Channel.sms, sms), (.email, mail)] {
            guard let address else { continue }
            let id = ContactID(ID128(high: number, low: UInt64(contacts.count)))
            contacts.append(
                ContactPoint(
                    id: id, channel: channel, address: address, rank: contacts.count,
                    verified: .zero))
        }
        return Person(
            id: PersonID(ID128(high: 1, low: number)), name: name,
            timeZone: "Asia/Kuala_Lumpur", contacts: contacts)
    }

    static func zone(_ number: UInt64, _ name: String, radiusMetres: Int32) -> Zone {
        let centimetres = radiusMetres * 100
        return Zone(
            id: ZoneID(ID128(high: 4, low: number)), owner: .circle(familyID), name: name,
            shape: .circle(center: place, radiusCentimetres: centimetres),
            prepared: PreparedGeometry(
                origin: place, coefficients: [], radiusCentimetres: centimetres, polygons: [],
                inradiusCentimetres: centimetres, reachCentimetres: centimetres))
    }

    static func crossing(
        _ zone: Zone = school, inside: Bool = true, at time: Timestamp = World.start
    ) -> ZoneCrossing {
        ZoneCrossing(
            person: aisha.id, device: DeviceID(.zero), zone: zone.id, zoneName: zone.name,
            zoneKind: .safe, circle: familyID, before: inside ? .outside : .inside,
            after: inside ? .inside : .outside, fix: fix(at: time),
            distanceCentimetres: -5000, marginCentimetres: 2000, reason: .insideBeyondMargin,
            report: ReportID(.zero))
    }

    static func fix(at time: Timestamp) -> Fix {
        Fix(time: time, position: place, accuracyCentimetres: 1200)
    }

    static func emergency(_ number: UInt64) -> EmergencyID {
        EmergencyID(ID128(high: 9, low: number))
    }

    /// Aisha presses the button.
    static func signal(
        _ number: UInt64 = 1, at time: Timestamp = World.start, countdown: Duration = .seconds(10),
        trigger: EmergencyTrigger = .panic
    ) -> EmergencySignal {
        EmergencySignal(
            id: emergency(number), person: aisha.id, trigger: trigger, raised: time,
            received: time, countdownEnds: time + countdown, fix: fix(at: time), battery: 34)
    }

    static func change(
        _ number: UInt64 = 1, _ state: EmergencyState = .open, signal: UInt64? = nil,
        trigger: EmergencyTrigger = .panic, by: PersonID? = nil, late: Bool = false,
        raised: Timestamp = World.start, reopened: Bool = false,
        joined: EmergencyTrigger? = .panic, joinedRaised: Timestamp? = nil
    ) -> EmergencyChange {
        EmergencyChange(
            emergency: emergency(number), person: aisha.id, state: state, trigger: trigger,
            signal: emergency(signal ?? number), raised: raised, countdownEnds: raised,
            fix: fix(at: raised), battery: 34, by: by, late: late, reopened: reopened,
            joinedTrigger: signal == nil || signal == number ? nil : joined,
            joinedRaised: joinedRaised)
    }

    static func command(
        _ request: UInt64, by principal: Principal, emergency number: UInt64 = 1
    ) -> Command {
        Command(request: request, emergency: emergency(number), principal: principal)
    }
}
