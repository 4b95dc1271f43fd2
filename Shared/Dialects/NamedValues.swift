import Hashing
import Model
import Parsing

/// Values by their names: what a query, a form or one object of JSON says about one fix.
///
/// An empty value is none: templates leave it for what the phone does not know.
struct NamedValues {
    /// Values beyond these are not looked at: no phone sends so many.
    static let countMax = 256

    private var values: [String: JSON] = [:]

    /// Of equal names the first counts.
    init(_ query: Query) {
        for item in query.items.prefix(NamedValues.countMax) where !item.value.isEmpty {
            if values[item.name] == nil { values[item.name] = .string(item.value) }
        }
    }

    /// The values of a query, then the members of an object.
    init(_ query: Query, _ members: [JSON.Member]) {
        self.init(query)
        for member in members.prefix(NamedValues.countMax) {
            guard member.value != .null, member.value != "" else { continue }
            if values[member.key] == nil { values[member.key] = member.value }
        }
    }

    /// The same for the same values in any order, whoever they are said to come from.
    var digest: ID128 {
        let said = values.filter { !PhoneIdentity.names.contains($0.key) }
        return Hash.blake2b128(
            JSON.object(said.sorted { $0.key < $1.key }.map { JSON.Member($0.key, $0.value) })
                .serialized())
    }

    /// The first of these names that there is.
    subscript(_ names: String...) -> JSON? {
        for name in names { if let value = values[name] { return value } }
        return nil
    }

    /// The first of these values that is a time; nil if none is.
    func time(_ names: [String]) -> Timestamp? {
        for name in names { if let time = Quantity.time(values[name]) { return time } }
        return nil
    }

    /// A number, or a text that is one.
    func number(_ names: String...) -> Double? {
        for name in names { if let value = values[name]?.numberOrNumericString { return value } }
        return nil
    }

    /// The fix; nil where there is no sign of a position, as in a heartbeat.
    ///
    /// - Parameters:
    ///   - speed: metres a second.
    ///   - accuracy: metres.
    ///   - received: stands in for a missing time.
    ///   - timeNames: under which the time may stand, the best one first.
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
        guard Quantity.truth(self["valid"]) ?? true else {
            return .failure(Unusable(reason: .invalidFix))
        }
        let said = time(timeNames)
        if said == nil, timeNames.contains(where: { values[$0] != nil }) {
            return .failure(Unusable(reason: .badTime))
        }
        let time = said ?? received
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
