import API
import Dialects
import Directory
import IngestCore
import Model
import Parsing
import Store
import Web

/// Requests about phones: suggested zones, encryption keys and location requests.
struct DeviceRequests {
    let runner: CoreRunner

    private var host: any IngestHost { runner.host }
    private var database: Database { runner.database }

    func handle(
        _ request: Request, _ operation: DeviceOperation, _ parameters: Parameters,
        by principal: Principal
    ) throws {
        let person = try parameters.id("person", PersonID.self)
        switch operation {
        case .locate:
            guard try !runner.replies.isRepeated(request, by: principal, status: 202) else {
                return
            }
            try runner.handle(
                .locate(
                    LocateRequest(
                        request: request.id, principal: principal, person: person,
                        reason: try request.accessReason(
                            isRequired: principal.needsReason(toRead: person, in: host.replica)))))
        case .listSuggestions:
            try require(.readOwnZones, on: person, by: principal)
            host.answer(request.id, .json(try suggestions(of: person)))
        case .removeSuggestion:
            try require(.readOwnZones, on: person, by: principal)
            let suggestion = try parameters.id("suggestion", SuggestionID.self)
            try database.run(
                "UPDATE suggestion SET waits = 0 WHERE id = ? AND person = ? AND waits = 1",
                .id(suggestion), .id(person))
            guard database.lastChanges == 1 else {
                throw Problem.notFound("there is no suggested zone with this id")
            }
            host.answer(request.id, Response(status: 204))
        case .setKey:
            let device = try device(of: person, parameters, by: principal)
            try runner.keys.set(try key(in: request), of: device, at: host.now)
            host.answer(request.id, Response(status: 204))
        case .removeKey:
            try runner.keys.remove(of: try device(of: person, parameters, by: principal))
            host.answer(request.id, Response(status: 204))
        }
    }

    /// - Throws: 403 with the reason
    private func require(
        _ action: Action, on person: PersonID, by principal: Principal
    ) throws(Problem) {
        let decision = host.replica.decide(
            principal, action, on: .person(person), at: host.now)
        if let denial = decision.denial { throw .denied(denial.explanation) }
    }

    /// The device whose key a request changes.
    ///
    /// - Throws: 403 or 404
    private func device(
        of person: PersonID, _ parameters: Parameters, by principal: Principal
    ) throws(Problem) -> DeviceID {
        try require(.editDevices, on: person, by: principal)
        let device = try parameters.id("device", DeviceID.self)
        guard host.replica.device(device)?.person == person else {
            throw .notFound("the person has no device with this id")
        }
        return device
    }

    /// The key of the passphrase in a request. No response ever contains it.
    private func key(in request: Request) throws -> OwnTracks.Key {
        guard let passphrase = try request.json()["passphrase"]?.string,
            let key = OwnTracks.Key(passphrase: passphrase)
        else {
            throw Problem.invalid(
                "this is not a passphrase that the apps accept", field: "passphrase",
                hint: "send 1 to \(OwnTracks.Key.passphraseBytesMax) bytes")
        }
        return key
    }

    /// Newest first; `zone` can be sent to membership as it is.
    private func suggestions(of person: PersonID) throws -> [UInt8] {
        let items: [JSON] = try database.all(
            """
            SELECT id, device, name, latitude, longitude, radius, suggested FROM suggestion
            WHERE person = ? AND waits = 1 ORDER BY number DESC
            """, .id(person)
        ) { row in
            let center = Coordinate(
                latitudeE7: Int32(clamping: row.int64(3)),
                longitudeE7: Int32(clamping: row.int64(4)))
            let suggestion: SuggestionID = row.id(0)
            let device: DeviceID = row.id(1)
            return [
                "id": .string(suggestion.description), "device": .string(device.description),
                "suggested": .string(row.time(6).description),
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

extension Responses {
    static func body(of view: LocateView) -> JSON {
        [
            "person": .string(view.person.description),
            "asked": .string(view.requested.description),
            "lastSeen": view.lastSeen.map { .string($0.description) } ?? .null,
            "until": .string(view.until.description),
        ]
    }
}
