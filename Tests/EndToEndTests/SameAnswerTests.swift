import Foundation
import Parsing
import TestSupport
import Testing

extension `The suite` {
    /// Missing resources and resources that the caller may not see get equal responses. So probing
    /// does not reveal what exists.
    @Suite struct `A request for resources of others` {
        /// Operations with an id in their path. The paths of phones and gateways have a token or a
        /// name instead.
        private static func operations() throws -> [Contract.Operation] {
            try Contract().operations.filter { operation in
                operation.path.contains("{") && !operation.path.contains("{token}")
                    && !operation.path.contains("{gateway}")
            }
        }

        private static let zone: JSON = [
            "type": "Feature", "properties": ["name": "Home", "radius": 100],
            "geometry": ["type": "Point", "coordinates": [101.7, 3.1]],
        ]

        /// A body that the operation accepts. Its effect must not depend on the owner of the id, so
        /// one body per last path component is enough.
        private static func body(of operation: Contract.Operation, bob: String) -> JSON? {
            guard ["POST", "PUT", "PATCH"].contains(operation.method) else { return nil }
            let end = operation.path.split(separator: "/").last.map(String.init) ?? ""
            return switch end {
            case "{person}" where operation.path.contains("members"): ["role": "member"]
            case "{person}", "{circle}", "{set}": ["name": "Name"]
            case "{device}": ["name": "phone"]
            case "devices": ["name": "phone", "platform": "ios"]
            case "wards": ["name": "Ward", "wardUntil": "2040-01-01T00:00:00Z"]
            case "{consent}": ["agreed": true]
            case "members": ["person": .string(bob), "role": "member"]
            case "{zone}" where operation.path.contains("zone-opt-outs"): nil
            case "{zone}" where operation.path.contains("zone-acceptances"): nil
            case "pin", "duress-pin": ["pin": "4711"]
            case "never-notify": ["people": [.string(bob)], "circles": []]
            case "zones", "{zone}": zone
            case "import": ["type": "FeatureCollection", "features": [zone]]
            case "mail": ["to": "somebody@example.test"]
            case "messages", "{message}": ["number": "+15550001009"]
            case "confirmation" where operation.path.contains("messages"): ["code": "123456"]
            case "verification", "activation": ["code": "123456"]
            case "mqtt-topic": ["topic": "owntracks/somebody/phone"]
            case "extension": ["minutes": 10]
            case "notes": ["text": "Note", "time": "2026-01-01T00:00:00Z"]
            case "encryption-key": ["key": "secret of the phone"]
            case "live-links": ["recipient": "Aunt"]
            case "drill-schedule": ["day": 1, "time": "10:00"]
            default: operation.method == "POST" ? [:] : nil
            }
        }

        private static let prefixes = [
            "person": "per", "contact": "con", "circle": "cir", "device": "dev", "zone": "zon",
            "set": "set",
            "message": "msg", "emergency": "emg", "journey": "jny", "watch": "wat",
            "notification": "ntf", "photo": "pho", "credential": "crd", "id": "qua",
            "draft": "drf", "suggestion": "sug", "session": "crd", "invitation": "inv",
            "consent": "cst",
        ]

        /// The path with these ids, and unknown ids for the rest.
        private func filled(_ path: String, _ ids: [String: String]) -> String {
            var filled = path.replacing("{action}", with: "close")
            for (name, prefix) in Self.prefixes {
                let nothing = prefix + "_" + String(repeating: "7", count: 26)
                filled = filled.replacing("{\(name)}", with: ids[name] ?? nothing)
            }
            return filled
        }

        @Test func `gets the response for a missing resource`() async throws {
            try await Household.run { home in
                let admin = home.admin
                let person = try admin.call("POST", "/v1/people", ["name": "Dora"])
                let dora = try person.text("id")
                let token = try admin.activate(person)
                let own = API(http: home.suite.http, token: token)
                let circle = try own.call("POST", "/v1/circles", ["name": "Others"]).text("id")
                let zoneID = try own.call("POST", "/v1/circles/\(circle)/zones", Self.zone).text(
                    "id")
                let created = try admin.call(
                    "POST", "/v1/people/\(dora)/devices", ["name": "phone", "platform": "ios"])
                let device = try created.member("device").text("id")
                let emergency = try own.call("POST", "/v1/emergencies", ["countdown": 0])
                    .text("id")
                let journey = try own.call("POST", "/v1/people/\(dora)/journeys", [:]).text("id")
                let watch = try own.send("POST", "/v1/watches", ["minutes": 60])
                var ids = [
                    "person": dora, "circle": circle, "zone": zoneID, "device": device,
                    "emergency": emergency, "journey": journey,
                ]
                if let id = watch.json["id"]?.string { ids["watch"] = id }
                ids["set"] = try admin.call("POST", "/v1/sets", ["name": "Schools"]).text("id")
                let message = try own.call(
                    "POST", "/v1/circles/\(circle)/messages", ["number": "+15550001008"])
                ids["message"] = try message.text("id")
                ids["invitation"] =
                    try own.call("POST", "/v1/circles/\(circle)/invitations", [:]).text("id")
                let credential = try own.call("POST", "/v1/people/\(dora)/credentials", [:])
                ids["credential"] = try credential.member("credential").text("id")
                let operations = try Self.operations()
                #expect(operations.count > 100)
                let (bob, circleOfBob) = (home.bob, home.circle)
                for operation in operations {
                    let body = Self.body(of: operation, bob: bob.id)
                    // Ids of others in paths below the caller's own circle or person.
                    for own in [
                        [:], ["circle": circleOfBob], ["person": bob.id],
                        ["circle": circleOfBob, "person": bob.id],
                    ] {
                        try expectAlike(
                            operation, body, ids.merging(own) { $1 }, own, as: bob.api)
                    }
                }
            }
        }

        /// Compares the responses of two paths.
        private func expectAlike(
            _ operation: Contract.Operation, _ body: JSON?, _ ids: [String: String],
            _ nothing: [String: String], as api: API
        ) throws {
            let (path, other) = (filled(operation.path, ids), filled(operation.path, nothing))
            // Callers can read their own resources and all sets.
            let isOfSet = path.hasPrefix("/v1/sets")
            let isReading = operation.method == "GET" || path.hasSuffix("/mail")
            guard path != other, !isOfSet || !isReading else { return }
            let there = try api.send(operation.method, path, body)
            let absent = try api.send(operation.method, other, body)
            #expect(
                there.status == absent.status && there.text == absent.text,
                "\(operation.id): \(there.status) \(there.text), \(absent.status) \(absent.text)")
            #expect(
                !(200..<300).contains(there.status) || isOpen(operation),
                "\(operation.id): \(there.text)")
            // A wrong code is a wrong value.
            #expect(
                ![400, 405, 415].contains(there.status) || operation.id == "activatePerson",
                "\(operation.id): \(there.text)")
            for name in Set(there.headers.keys).union(absent.headers.keys)
            where name != "x-request-id" && name != "date" {
                #expect(
                    there.headers[name] == absent.headers[name], "\(operation.id): \(name)")
            }
        }

        /// Whether an operation also succeeds for an unknown id, because its goal is already
        /// reached.
        private func isOpen(_ operation: Contract.Operation) -> Bool {
            operation.method == "DELETE"
                && ["zone-opt-outs", "sets", "suggested-zones"].contains(
                    where: operation.path.contains)
        }
    }
}
