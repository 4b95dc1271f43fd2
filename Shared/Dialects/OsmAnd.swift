import Model
import Parsing

/// Reads OsmAnd's protocol of named values, which Traccar Client, OsmAnd and scripts use.
///
/// Values are in the query, in a form, or in JSON (see ``TraccarJSON``). After a 2xx answer the
/// phone deletes the message; until then it retries it before all later ones. The answer is empty.
public enum OsmAnd {
    /// Unit of a phone's `speed`. Traccar Client sends knots, OsmAnd metres per second.
    ///
    /// The phone's set-up address can specify `speedUnit=ms`, `kmh` or `kn`. Without it, the unit
    /// follows the app that the device is registered with.
    public enum SpeedUnit: String, Sendable {
        case knots = "kn"
        case metresPerSecond = "ms"
        case kilometresPerHour = "kmh"

        /// The unit that a device's app uses.
        public init(client: String) {
            self = client.lowercased() == "osmand" ? .metresPerSecond : .knots
        }

        /// Metres per second of one unit.
        var factor: Double {
            switch self {
            case .knots: 1852 / 3600
            case .metresPerSecond: 1
            case .kilometresPerHour: 1 / 3.6
            }
        }
    }

    /// Reads one message. Values in the query take precedence over values in the body.
    ///
    /// A message without a position is a heartbeat and reports the battery state. It can also raise
    /// an emergency.
    ///
    /// - Parameters:
    ///   - received: replaces a missing time; also the time of an emergency
    ///   - unit: unit of speeds, unless the message specifies one
    ///   - first: index of the first location to read from a list
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
        append(values, received: received, unit: unit, into: &reading)
        return reading
    }

    /// Appends one message to a reading.
    ///
    /// An emergency has no id: the accompanying time is that of a fix and can be equal for two
    /// emergencies.
    ///
    /// - Parameters:
    ///   - unit: unit of speeds, unless the message specifies one
    ///   - index: index of the message in its batch
    ///   - payload: the message itself
    static func append(
        _ values: NamedValues, received: Timestamp, unit: SpeedUnit, index: Int = 0,
        payload: [UInt8]? = nil, into reading: inout Reading
    ) {
        let specified = values["speedUnit"]?.string.flatMap { SpeedUnit(rawValue: $0) }
        // The OsmAnd app sends its accuracy in metres as `hdop`. From other trackers `hdop` is a
        // dimensionless factor.
        let isOsmAndApp = unit == .metresPerSecond || specified == .metresPerSecond
        let speed = values.number("speed").map { $0 * (specified ?? unit).factor }
        let fix = values.fix(
            speed: speed,
            accuracy: values.number("accuracy", "acc")
                ?? (isOsmAndApp ? values.number("hdop") : nil),
            received: received)
        let battery = Quantity.battery(values.number("batt", "battery"))
        let charging = Quantity.bool(values["charge", "charging"])
        let time = Quantity.time(values["timestamp", "time"]) ?? received
        reading.append(
            fix, battery: battery, charging: charging, at: time,
            alarm: AlarmWords.trigger(inAlarm: values["alarm"]), raised: received,
            content: values.digest,
            index: index, payload: payload)
        if fix == nil {
            reading.record(PhoneBattery(percent: battery, charging: charging, time: time))
        }
    }
}

extension PhoneProtocol {
    /// Traccar Client, OsmAnd and scripts. After a 2xx answer the phone deletes the message; until
    /// then it retries it before all later ones.
    public static let osmAnd = PhoneProtocol(
        "osmand",
        paths: [Path("/", ["GET", "POST"]), Path("/osmand", ["GET", "POST"], takesToken: true)],
        readsQuery: true, apps: [.traccar, .osmAnd],
        // Empty payloads are not quarantined, unless they were part of a batch.
        part: Part(
            start: #"{"location":"#, end: "}",
            isPart: { $0.observations.isEmpty && $0.panics.isEmpty && $0.rejections.isEmpty }),
        read: { payload, context in
            OsmAnd.read(
                payload.query, payload.body, received: context.received,
                unit: OsmAnd.SpeedUnit(client: context.registeredApp), from: context.first)
        })
}

extension PhoneSetup.App {
    public static let traccar = PhoneSetup.App(
        "traccar",
        link: { setup in
            // Traccar's scanner uses origin and path as the server and the query as settings.
            let query = Query([
                .init("id", setup.token), .init("interval", "180"), .init("buffer", "true"),
            ])
            return setup.url + "/osmand?" + query.encoded
        },
        entries: {
            [
                .init(field: "server url", value: $0.url + "/osmand"),
                .init(field: "device identifier", value: $0.token),
            ]
        })
    public static let osmAnd = PhoneSetup.App(
        "osmand",
        entries: {
            [
                .init(
                    field: "web address",
                    value: "\($0.url)/osmand/\($0.token)?speedUnit=ms&lat={0}&lon={1}"
                        + "&timestamp={2}&hdop={3}&altitude={4}&speed={5}&bearing={6}")
            ]
        })
}

extension Query {
    /// The values of this query, followed by those of a form.
    func with(form body: [UInt8]) -> Query {
        Query(items + Query(encoded: String(decoding: body, as: UTF8.self)).items)
    }
}
