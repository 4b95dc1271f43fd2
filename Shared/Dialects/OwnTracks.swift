import Model
import Parsing

/// OwnTracks in HTTP mode: what its apps post.
///
/// The apps re-send until they hear success and then forget, so nothing here fails: what cannot be
/// used is a ``Rejection`` for the quarantine, and the answer is an array all the same.
public enum OwnTracks {
    /// Reads one posted body.
    ///
    /// - Parameters:
    ///   - received: stands in for a fix without `tst`, as OwnTracks' own recorder does it.
    ///   - sosWord: a `poi` or `tag` with this word (any case, blanks around it ignored) is a
    ///     panic; iOS has no other way to raise one. Empty: none is.
    public static func read(
        _ body: [UInt8], received: Timestamp, sosWord: String
    ) -> Reading {
        if body.isEmpty { return .nothing }
        guard let json = try? JSON.parse(body) else { return .rejected(.notJSON) }
        guard case .object = json, let type = json["_type"]?.string else {
            return .rejected(.notAnObject)
        }
        switch type {
        case "location": return location(json, received: received, sosWord: sosWord)
        case "lwt", "status", "card": return .nothing
        case "encrypted": return .rejected(.encrypted)
        default: return .rejected(.otherType)
        }
    }

    private static func location(
        _ json: JSON, received: Timestamp, sosWord: String
    ) -> Reading {
        let isPanic = isPanic(json, word: sosWord)
        let battery = Quantity.battery(json["batt"]?.numberOrNumericString)
        let messageID = messageID(json)
        var reading = Reading()
        var usable: Fix?
        switch fix(json, received: received) {
        case .failure(let unusable):
            reading.rejections.append(Rejection(index: 0, reason: unusable.reason))
        case .success(let fix):
            usable = fix
            reading.observations.append(
                Observation(
                    fix: fix, trigger: isPanic ? .panic : trigger(json["t"]?.string),
                    battery: battery, charging: charging(json["bs"]?.numberOrNumericString),
                    messageID: messageID))
        }
        if isPanic {
            // A cached fix can be hours older than the call: its time says nothing about it.
            let created = Quantity.time(json["created_at"]?.numberOrNumericString)
            reading.panics.append(
                Panic(
                    messageID: messageID, raised: created ?? received, fix: usable,
                    battery: battery))
        }
        return reading
    }

    private static func fix(_ json: JSON, received: Timestamp) -> Result<Fix, Unusable> {
        let time: Timestamp
        if let said = json["tst"], said != .null {
            guard let value = Quantity.time(said.numberOrNumericString) else {
                return .failure(Unusable(reason: .badTime))
            }
            time = value
        } else {
            time = received
        }
        return Quantity.position(latitude: json["lat"], longitude: json["lon"]).map { position in
            let kilometresPerHour = json["vel"]?.numberOrNumericString
            return Fix(
                time: time, position: position,
                accuracyCentimetres: Quantity.accuracy(json["acc"]?.numberOrNumericString),
                altitudeCentimetres: Quantity.altitude(json["alt"]?.numberOrNumericString),
                speedCentimetresPerSecond: Quantity.speed(kilometresPerHour.map { $0 / 3.6 }),
                courseDegrees: Quantity.course(json["cog"]?.numberOrNumericString))
        }
    }

    /// `_id` has 32 bits only, too few for the years of a device; with `tst` it is one message.
    private static func messageID(_ json: JSON) -> String? {
        guard let id = Quantity.messageID(json["_id"]?.string) else { return nil }
        guard let time = json["tst"]?.numberOrNumericString else { return id }
        return "\(id)@\(time)"
    }

    private static func isPanic(_ json: JSON, word: String) -> Bool {
        guard !word.isEmpty else { return false }
        return ["poi", "tag"].contains { key in
            guard let text = json[key]?.string else { return false }
            let start = text.drop { $0.isWhitespace }
            guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return false }
            return start[...end].lowercased() == word.lowercased()
        }
    }

    /// Letters that are new to us are ordinary reports.
    private static func trigger(_ letter: String?) -> Trigger {
        switch letter {
        case "p", "r": .ping
        case "u": .manual
        case "c", "C", "b", "e", "v", "m": .significant
        default: .periodic
        }
    }

    /// 1 unplugged, 2 charging, 3 full; anything else is unknown.
    private static func charging(_ state: Double?) -> Bool? {
        switch state {
        case 1: false
        case 2, 3: true
        default: nil
        }
    }
}
