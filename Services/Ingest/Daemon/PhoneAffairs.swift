import Dialects
import Directory
import IngestCore
import Model
import Parsing
import Store
import Web

// What people do about their phones: zones drawn on them, their keys, and asking where they are.
extension IngestService {
    func handlePhone(
        _ request: Request, _ route: Endpoint, _ parameters: Parameters, by principal: Principal
    ) throws {
        let person = try parameters.id("person", PersonID.self)
        switch route {
        case .locate:
            guard try !isRepeated(request, by: principal, status: 202) else { return }
            try take(
                .locate(LocateRequest(request: request.id, principal: principal, person: person)))
        case .dropOffer:
            try require(.readOwnZones, on: person, by: principal)
            let offer = try parameters.id("offer", OfferID.self)
            try database.run(
                "UPDATE offer SET waits = 0 WHERE id = ? AND person = ? AND waits = 1",
                .id(offer), .id(person))
            guard database.lastChanges == 1 else {
                throw Problem.notFound("no zone with this id is offered")
            }
            outside.answer(request.id, Response(status: 204))
        case .setKey, .dropKey: try changeKey(request, route, parameters, of: person, by: principal)
        default:
            try require(.readOwnZones, on: person, by: principal)
            outside.answer(request.id, .json(try offers(of: person)))
        }
    }

    /// - Throws: 403 with the reason
    private func require(
        _ action: Action, on person: PersonID, by principal: Principal
    ) throws(Problem) {
        let decision = outside.replica.decide(
            principal, action, on: .person(person), at: outside.now)
        if let denial = decision.denial { throw .denied(denial.explanation) }
    }

    /// The passphrase comes in and never goes out again.
    private func changeKey(
        _ request: Request, _ route: Endpoint, _ parameters: Parameters, of person: PersonID,
        by principal: Principal
    ) throws {
        try require(.editDevices, on: person, by: principal)
        let device = try parameters.id("device", DeviceID.self)
        guard outside.replica.device(device)?.person == person else {
            throw Problem.notFound("the person has no such device")
        }
        if case .dropKey = route {
            try deviceKeys.remove(of: device)
        } else {
            guard let passphrase = try request.json()["passphrase"]?.string,
                let key = OwnTracks.Key(passphrase: passphrase)
            else {
                throw Problem.invalid(
                    "this is no passphrase that the apps take", field: "passphrase",
                    hint: "send 1 to \(OwnTracks.Key.passphraseBytesMax) bytes")
            }
            try deviceKeys.set(key, of: device, at: outside.now)
        }
        outside.answer(request.id, Response(status: 204))
    }

    /// Youngest first; `zone` can be created as it is.
    private func offers(of person: PersonID) throws -> [UInt8] {
        let items: [JSON] = try database.all(
            """
            SELECT id, device, name, latitude, longitude, radius, offered FROM offer
            WHERE person = ? AND waits = 1 ORDER BY number DESC
            """, .id(person)
        ) { row in
            let center = Coordinate(
                latitudeE7: Int32(clamping: row.int64(3)),
                longitudeE7: Int32(clamping: row.int64(4)))
            let offer: OfferID = row.id(0)
            let device: DeviceID = row.id(1)
            return [
                "id": .string(offer.description), "device": .string(device.description),
                "offered": .string(row.time(6).description),
                "zone": [
                    "type": "Feature",
                    "geometry": [
                        "type": "Point",
                        "coordinates": [.number(center.longitude), .number(center.latitude)],
                    ],
                    "properties": ["name": .string(row.text(2)), "radius": .integer(row.int64(5))],
                ],
            ]
        }
        return JSON.object([.init("items", .array(items)), .init("next", .null)]).serialized()
    }
}

extension Answers {
    static func body(of view: LocateView) -> JSON {
        [
            "person": .string(view.person.description), "asked": .string(view.asked.description),
            "heard": view.heard.map { .string($0.description) } ?? .null,
            "until": .string(view.until.description),
        ]
    }
}
