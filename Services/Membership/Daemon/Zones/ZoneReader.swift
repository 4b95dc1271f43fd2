import Directory
import DirectoryViews
import MembershipCore
import Model
import Parsing
import Web

/// A zone with its sort key.
private struct ListedZone {
    let zone: Zone
    /// Sorts by active, category, priority and id. Hexadecimal digits, so that it can be a cursor.
    let key: String

    init(_ zone: Zone) {
        self.zone = zone
        let priority = String(zone.priority)
        let padding = String(repeating: "0", count: max(0, 6 - priority.utf8.count))
        let text =
            (zone.active ? "0" : "1") + zone.category + "\u{1}" + padding + priority
            + zone.id.description
        let digits = Array("0123456789abcdef".utf8)
        let bytes = text.utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        key = String(decoding: bytes, as: UTF8.self)
    }
}

/// Requests for zones, sets and messages.
extension Reader {
    func zones(of owner: ZoneOwner) throws(Problem) -> Response {
        try allowReading(of: owner)
        return try page(directory.zones(of: owner)) { View.zone($0) }
    }

    func zone(of owner: ZoneOwner) throws(Problem) -> Response {
        try allowReading(of: owner)
        let id = try parameters.id("zone", ZoneID.self)
        guard let zone = directory.zone(id), zone.owner == owner else {
            throw .notFound("there is no such zone")
        }
        return .entity(View.zone(zone), version: zone.version)
    }

    /// All zones that apply to a person, with owner and recipients.
    func applicableZones() throws(Problem) -> Response {
        let person = try knownPerson(for: .readOwnZones)
        var zones = directory.zones(of: person.id)
        for circle in directory.circles(of: person.id) { zones += directory.zones(of: circle) }
        for set in directory.sets(applyingTo: person.id) { zones += directory.zones(of: set) }
        return try page(zones) { view($0, applyingTo: person) }
    }

    private func page(_ zones: [Zone], _ view: (Zone) -> JSON) throws(Problem) -> Response {
        let listed = zones.map(ListedZone.init).sorted { $0.key < $1.key }
        return try Page(listed, of: request, id: \.key).response { view($0.zone) }
    }

    private func view(_ zone: Zone, applyingTo person: Person) -> JSON {
        [
            "zone": View.zone(zone), "ownerName": .string(ownerName(of: zone)),
            "optedOut": .bool(person.zoneOptOuts.contains(zone.id)),
            "accepted": .bool(isAccepted(zone, by: person.id)),
            "recipients": .array(recipients(of: person.id, zone)),
            "texted": .array(
                zone.messages.compactMap { directory.message($0) }.map { message in
                    [
                        "number": .string(message.number),
                        "recipientName": .string(message.recipientName),
                        "mode": .string(message.mode.rawValue),
                        "confirmed": .bool(message.confirmed != nil),
                    ]
                }),
        ]
    }

    /// Whether the person accepted a zone in every circle that it belongs to.
    private func isAccepted(_ zone: Zone, by person: PersonID) -> Bool {
        let circles = directory.circles(of: person).compactMap(directory.circle).filter {
            switch zone.owner {
            case .circle(let id): $0.id == id
            case .set(let id): $0.sets.contains(id)
            case .person: false
            }
        }
        return zone.owner == .person(person)
            || circles.allSatisfy { circle in
                circle.member(person).map { ZoneNaming(in: directory).accepts(zone, $0) } ?? false
            }
    }

    private func ownerName(of zone: Zone) -> String {
        switch zone.owner {
        case .circle(let id): directory.circle(id)?.name ?? ""
        case .person(let id): name(of: id)
        case .set(let id): directory.set(id)?.name ?? ""
        }
    }

    /// Members who are notified about the person in this zone, circle by circle; none for a private
    /// zone.
    private func recipients(of person: PersonID, _ zone: Zone) -> [JSON] {
        let circles: [CircleID]
        switch zone.owner {
        case .circle(let id): circles = [id]
        case .person: circles = []
        case .set(let id):
            circles = directory.circles(of: person).filter {
                directory.circle($0)?.sets.contains(id) ?? false
            }
        }
        let audience = zone.audience ?? .standard
        return circles.compactMap(directory.circle).flatMap { circle in
            circle.members.filter { member in
                guard member.person != person, let subject = circle.member(person) else {
                    return false
                }
                return audience.roles.contains(circle.role(of: member, over: subject))
                    || audience.people.contains(member.person)
            }.map { member -> JSON in
                [
                    "person": .string(member.person.description),
                    "name": .string(name(of: member.person)),
                    "circle": .string(circle.id.description),
                ]
            }
        }
    }

    // MARK: Sets

    func sets() throws(Problem) -> Response {
        try allow(.readSets, on: .suite)
        let page = try Page(directory.sortedSets, of: request, id: \.id.description)
        return page.response { View.set($0, zones: directory.zones.count(of: .set($0.id))) }
    }

    func set() throws(Problem) -> Response {
        let id = try parameters.id("set", ZoneSetID.self)
        try allowReading(of: .set(id))
        guard let set = directory.set(id) else { throw .notFound("there is no such set") }
        return .entity(
            View.set(set, zones: directory.zones.count(of: .set(id))), version: set.version)
    }

    // MARK: Messages

    func messages(of owner: ZoneOwner) throws(Problem) -> Response {
        try allowReading(of: owner)
        let page = try Page(directory.messages(of: owner), of: request, id: \.id.description)
        return page.response { view($0) }
    }

    func message(of owner: ZoneOwner) throws(Problem) -> Response {
        try allowReading(of: owner)
        let id = try parameters.id("message", MessageID.self)
        guard let message = directory.message(id), message.owner == owner else {
            throw .notFound("there is no such message")
        }
        return .entity(view(message), version: message.version)
    }

    private func view(_ message: ZoneMessage) -> JSON {
        View.message(message, codeExpires: codes.expiry(of: message, at: now))
    }

    func allowReading(of owner: ZoneOwner) throws(Problem) {
        let (action, target) = RightsTarget.reading(zonesOf: owner)
        try allow(action, on: target)
        guard directory.knows(owner) else { throw .notFound("there is no such \(owner.kind)") }
    }
}
