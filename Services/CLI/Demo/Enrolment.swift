import Model
import Parsing
import Web

/// Creates people, devices, circles and zones through the public API.
struct Enrolment {
    let api: API

    struct NewPerson {
        var name: String
        var locale = "en"
        var timeZone = "UTC"
        var phone: String?
        var mail: String?
        /// Whether the operator vouches for the contact points.
        var isVouched = true
    }

    /// - Returns: the new person's id, and the code with which they activate their account; it is
    ///   shown only once
    func person(_ person: NewPerson) throws -> (id: String, activationCode: String) {
        var contacts: [JSON] = []
        if let phone = person.phone {
            contacts.append([
                "channel": "sms", "address": .string(phone), "rank": 0,
                "vouched": .bool(person.isVouched),
            ])
        }
        if let mail = person.mail {
            contacts.append([
                "channel": "email", "address": .string(mail), "rank": 1,
                "vouched": .bool(person.isVouched),
            ])
        }
        let made = try api.post(
            "/v1/people",
            [
                "name": .string(person.name), "locale": .string(person.locale),
                "timeZone": .string(person.timeZone), "contacts": .array(contacts),
            ])
        return (
            try text("id", in: made, of: "/v1/people"),
            try text("code", in: made["activation"], of: "/v1/people")
        )
    }

    /// Lines that tell how a new person gets in.
    static func activationLines(_ person: (id: String, activationCode: String)) -> [String] {
        [
            "activation code, for 7 days: \(person.activationCode)",
            "use it with: jaga person activate \(person.id)",
        ]
    }

    /// - Returns: the new device's id and its token, which is shown only once
    func device(
        _ name: String, of person: String, client: String = "owntracks"
    ) throws -> (id: DeviceID, token: String) {
        let path = "/v1/people/\(person)/devices"
        let made = try api.post(path, ["name": .string(name), "client": .string(client)])
        guard let id = DeviceID(try text("id", in: made["device"], of: path)) else {
            throw CommandError(
                "\(path): the response has no device",
                hint: "check that jaga and the suite have the same version")
        }
        return (id, try text("token", in: made["credential"], of: path))
    }

    /// - Returns: the new circle's id
    func circle(_ name: String) throws -> String {
        try text("id", in: try api.post("/v1/circles", ["name": .string(name)]), of: "/v1/circles")
    }

    /// Adds a person to a circle; they join at once.
    ///
    /// - Returns: the person's tracker id in the circle
    func join(_ person: String, to circle: String, as role: Role) throws -> String {
        let path = "/v1/circles/\(circle)/members"
        let whole = try api.post(
            path, ["person": .string(person), "role": .string(role.rawValue)])
        let member = whole["members"]?.array?.first { $0["person"]?.string == person }
        return try text("trackerID", in: member, of: path)
    }

    /// Creates a zone from a GeoJSON geometry and its properties besides the name.
    func zone(_ name: String, geometry: JSON, _ properties: JSON, in circle: String) throws {
        let all = [JSON.Member("name", .string(name))] + (properties.object ?? [])
        _ = try api.post(
            "/v1/circles/\(circle)/zones",
            ["type": "Feature", "geometry": geometry, "properties": .object(all)])
    }

    private func text(_ key: String, in json: JSON?, of path: String) throws(CommandError) -> String
    {
        guard let text = json?[key]?.string else {
            throw CommandError(
                "\(path): the response has no \(key)",
                hint: "check that jaga and the suite have the same version")
        }
        return text
    }
}
