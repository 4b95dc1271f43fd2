import Model
import Parsing

/// OsmAnd's protocol of named values, as Traccar Client, OsmAnd and scripts send it: in the query,
/// in a form, or as JSON (see ``TraccarJSON``).
///
/// Any answer of 2xx makes the phone forget the message, and nothing else does: it is sent again
/// before all later ones. The answer is empty.
public enum OsmAnd {
    /// What a phone's `speed` is measured in. Traccar Client sends knots, OsmAnd metres a second;
    /// the address that a phone is given says `speedUnit=ms`, `kmh` or `kn`, else it is as the app
    /// does for which the device is registered.
    public enum SpeedUnit: String, Sendable {
        case knots = "kn"
        case metresPerSecond = "ms"
        case kilometresPerHour = "kmh"

        /// Of a device, by the app that it is registered with.
        public init(client: String) {
            self = client.lowercased() == "osmand" ? .metresPerSecond : .knots
        }

        /// What one of it is in metres a second.
        var factor: Double {
            switch self {
            case .knots: 1852 / 3600
            case .metresPerSecond: 1
            case .kilometresPerHour: 1 / 3.6
            }
        }
    }

    /// Reads one message. A value of the query goes before one of the body.
    ///
    /// A message without a position is a heartbeat and says how full the battery is, unless it
    /// calls for help, too.
    ///
    /// - Parameters:
    ///   - received: stands in for a missing time, and is when help was called for.
    ///   - unit: of its speeds, where the message does not say.
    ///   - first: of a list of locations, those before this one are passed over.
    public static func read(
        _ query: Query, _ body: [UInt8], received: Timestamp, unit: SpeedUnit = .knots,
        from first: Int = 0
    ) -> Reading {
        if TraccarJSON.isJSON(body) {
            return TraccarJSON.read(query, body, received: received, unit: unit, from: first)
        }
        let values = NamedValues(query.with(form: body))
        if values["gprmc"] != nil { return OpenGTS.read(values, received: received) }
        return read(values, received: received, unit: unit)
    }

    private static func read(
        _ values: NamedValues, received: Timestamp, unit: SpeedUnit
    ) -> Reading {
        var reading = Reading()
        take(values, received: received, unit: unit, into: &reading)
        return reading
    }

    /// Adds one message to a reading.
    ///
    /// - Parameters:
    ///   - unit: of speeds, where the message does not say.
    ///   - index: place of the message in its batch, and `payload` the message itself.
    static func take(
        _ values: NamedValues, received: Timestamp, unit: SpeedUnit, index: Int = 0,
        payload: [UInt8]? = nil, into reading: inout Reading
    ) {
        let said = values["speedUnit"]?.string.flatMap { SpeedUnit(rawValue: $0) }
        // The OsmAnd app sends its accuracy in metres as hdop. From a tracker hdop is a factor
        // without a unit, and says nothing about metres.
        let isOsmAndApp = unit == .metresPerSecond || said == .metresPerSecond
        let speed = values.number("speed").map { $0 * (said ?? unit).factor }
        let fix = values.fix(
            speed: speed,
            accuracy: values.number("accuracy", "acc")
                ?? (isOsmAndApp ? values.number("hdop") : nil),
            received: received)
        let battery = Quantity.battery(values.number("batt", "battery"))
        let charging = Quantity.truth(values["charge", "charging"])
        let time = Quantity.time(values["timestamp", "time"]) ?? received
        reading.take(
            fix, battery: battery, charging: charging, at: time,
            raised: isCall(values["alarm"]) ? received : nil, content: values.digest,
            index: index, payload: payload)
        if fix == nil {
            reading.take(PhoneBattery(percent: battery, charging: charging, time: time))
        }
    }

    /// A cry for help. It has no id: the time that comes along is that of a fix, which may be the
    /// same for two calls.
    ///
    /// Several alarms of one moment stand in one value, with commas between them.
    static func isCall(_ alarm: JSON?) -> Bool {
        alarm?.string?.split(separator: ",").contains { Quantity.isCall(String($0), word: "sos") }
            ?? false
    }
}

extension Query {
    /// Its values, then those of a form.
    func with(form body: [UInt8]) -> Query {
        Query(items + Query(encoded: String(decoding: body, as: UTF8.self)).items)
    }
}
