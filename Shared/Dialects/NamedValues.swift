import Hashing
import Model
import Parsing

/// Named values of one fix, from a query, a form or one JSON object.
///
/// Empty values count as missing: templates leave them for what the phone does not know.
struct NamedValues {
    /// Maximum values that are read.
    static let countMax = 256

    private var values: [String: JSON] = [:]

    /// Reads the values of a query. The first of several values with the same name counts.
    init(_ query: Query) {
        for item in query.items.prefix(NamedValues.countMax) where !item.value.isEmpty {
            if values[item.name] == nil { values[item.name] = .string(item.value) }
        }
    }

    /// Reads the values of a query, then the members of an object.
    init(_ query: Query, _ members: [JSON.Member]) {
        self.init(query)
        for member in members.prefix(NamedValues.countMax) {
            guard member.value != .null, member.value != "" else { continue }
            if values[member.key] == nil { values[member.key] = member.value }
        }
    }

    /// Digest of the values, independent of their order and of the sender's identity.
    var digest: ID128 {
        let content = values.filter { !PhoneIdentity.names.contains($0.key) }
        return Hash.blake2b128(
            JSON.object(content.sorted { $0.key < $1.key }.map { JSON.Member($0.key, $0.value) })
                .serialized())
    }

    /// The first of these names that has a value.
    subscript(_ names: String...) -> JSON? {
        for name in names { if let value = values[name] { return value } }
        return nil
    }

    /// The first of these values that is a time; nil if none is.
    func time(_ names: [String]) -> Timestamp? {
        for name in names { if let time = Quantity.time(values[name]) { return time } }
        return nil
    }

    /// The first of these values that is a number or a numeric text.
    func number(_ names: String...) -> Double? {
        for name in names { if let value = values[name]?.numberOrNumericString { return value } }
        return nil
    }

    /// The fix, or nil if the message has no position, as in a heartbeat.
    ///
    /// - Parameters:
    ///   - speed: metres per second
    ///   - accuracy: metres
    ///   - received: replaces a missing time
    ///   - timeNames: names of the time, in order of preference
    func fix(
        speed: Double?, accuracy: Double?, received: Timestamp,
        timeNames: [String] = ["timestamp", "time"]
    ) -> Result<Fix, Unusable>? {
        var latitude = self["lat", "latitude"]
        var longitude = self["lon", "longitude"]
        if latitude == nil, longitude == nil, let pair = self["location"]?.string {
            let parts = pair.split(separator: ",", omittingEmptySubsequences: false)
            latitude = .string(String(parts[0]))
            longitude = parts.count == 2 ? .string(String(parts[1])) : nil
        }
        guard latitude != nil || longitude != nil else { return nil }
        guard Quantity.bool(self["valid"]) ?? true else {
            return .failure(Unusable(reason: .invalidFix))
        }
        let reported = time(timeNames)
        if reported == nil, timeNames.contains(where: { values[$0] != nil }) {
            return .failure(Unusable(reason: .badTime))
        }
        let time = reported ?? received
        let position = Quantity.position(latitude: latitude, longitude: longitude)
            .usable(from: .tracker, accuracy: accuracy)
        return position.map { position in
            Fix(
                time: time, position: position, accuracyCentimetres: Quantity.accuracy(accuracy),
                altitudeCentimetres: Quantity.altitude(number("altitude", "alt")),
                speedCentimetresPerSecond: Quantity.speed(speed),
                courseDegrees: Quantity.course(number("bearing", "heading", "dir", "direction")))
        }
    }
}
