import Hashing
import Model
import Parsing

/// Reads the JSON of Traccar Client 9 and related apps: `{"location":{…},"device_id":…}`.
///
/// A location has its values under `coords` or directly; the battery is inside it or beside it.
/// `location` may be a list. An object without `location`, and each object of an array
/// (`uploadJson` of Traccar's SDK), is read as named values of OsmAnd's protocol.
///
/// `_` repeats the message as a query and is ignored.
public enum TraccarJSON {
    /// Maximum locations that are read from one message.
    static let locationsMax = 2000

    /// Whether a body looks like JSON, regardless of its content type.
    public static func isJSON(_ body: [UInt8]) -> Bool {
        let first = body.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    static func read(
        _ query: Query, _ body: [UInt8], received: Timestamp, unit: OsmAnd.SpeedUnit,
        from first: Int
    ) -> Reading {
        let json: JSON
        do throws(ParseError) {
            json = try JSON.parse(body, valuesMax: JSON.bodyValuesMax)
        } catch {
            return .rejected(QuarantineReason(error))
        }
        if case .array(let list) = json {
            return read(list, query, received: received, unit: unit, from: first)
        }
        guard case .object(let members) = json else { return .rejected(.notAnObject) }
        switch json["location"] {
        case .object:
            return read([json["location"] ?? .null], of: json, received: received, from: 0)
        case .array(let list): return read(list, of: json, received: received, from: first)
        default:
            var reading = Reading()
            OsmAnd.append(
                NamedValues(query, members), received: received, unit: unit, into: &reading)
            return reading
        }
    }

    /// Reads an array of flat objects.
    private static func read(
        _ list: [JSON], _ query: Query, received: Timestamp, unit: OsmAnd.SpeedUnit,
        from first: Int
    ) -> Reading {
        guard list.isEmpty || list.contains(where: { $0.object != nil }) else {
            return .rejected(.notAnObject)
        }
        var reading = Reading()
        let end = first + locationsMax
        for (index, json) in list.prefix(end).enumerated().dropFirst(first) {
            guard case .object(let members) = json else {
                reading.append(
                    .failure(Unusable(reason: .notAnObject)), index: index,
                    payload: json.serialized())
                continue
            }
            OsmAnd.append(
                NamedValues(query, members), received: received, unit: unit, index: index,
                payload: json.serialized(), into: &reading)
        }
        if list.count > end { reading.append(.failure(Unusable(reason: .tooMany)), index: end) }
        return reading
    }

    private static func read(
        _ list: [JSON], of json: JSON, received: Timestamp, from first: Int
    ) -> Reading {
        var reading = Reading()
        let end = first + locationsMax
        for (index, location) in list.prefix(end).enumerated().dropFirst(first) {
            guard case .object = location else {
                reading.append(
                    .failure(Unusable(reason: .notAnObject)), index: index,
                    payload: location.serialized())
                continue
            }
            append(location, of: json, received: received, index: index, into: &reading)
        }
        if list.count > end { reading.append(.failure(Unusable(reason: .tooMany)), index: end) }
        return reading
    }

    private static func append(
        _ location: JSON, of json: JSON, received: Timestamp, index: Int,
        into reading: inout Reading
    ) {
        let battery = location["battery"] ?? json["battery"]
        let level = battery?["level"]?.numberOrNumericString
        let alarms = [location["alarm"], location["extras"]?["alarm"], json["alarm"]]
        let triggers = alarms.compactMap(AlarmWords.trigger(inAlarm:))
        let percent = Quantity.battery(level.map { $0 * 100 })
        let charging = Quantity.bool(battery?["is_charging"])
        let fix = fix(location, received: received)
        let time = Quantity.time(location["timestamp"]) ?? received
        if fix == nil {
            reading.record(PhoneBattery(percent: percent, charging: charging, time: time))
        }
        reading.append(
            fix, as: trigger(location["event"]?.string), battery: percent, charging: charging,
            at: time,
            alarm: triggers.first(where: \.isOwnCall) ?? triggers.first, raised: received,
            content: digest(of: location), index: index,
            payload: location.serialized())
    }

    /// Excludes `_`, which contains the device's name.
    private static func digest(of location: JSON) -> ID128 {
        let members = (location.object ?? []).filter { $0.key != "_" }
        return Hash.blake2b128(JSON.object(members).serialized())
    }

    /// Returns nil without coordinates, as in a heartbeat.
    private static func fix(_ location: JSON, received: Timestamp) -> Result<Fix, Unusable>? {
        let coordinates = location["coords"] ?? location
        let pair = ["latitude", "longitude"].map { coordinates[$0] ?? .null }
        guard pair != [.null, .null] else { return nil }
        var time = received
        if let timestamp = location["timestamp"], timestamp != .null {
            guard let value = Quantity.time(timestamp) else {
                return .failure(Unusable(reason: .badTime))
            }
            time = value
        }
        func number(_ name: String) -> Double? { coordinates[name]?.numberOrNumericString }
        let position = Quantity.position(latitude: pair[0], longitude: pair[1])
            .usable(from: .tracker, accuracy: number("accuracy"))
        return position.map { position in
            Fix(
                time: time, position: position,
                accuracyCentimetres: Quantity.accuracy(number("accuracy")),
                altitudeCentimetres: Quantity.altitude(number("altitude")),
                speedCentimetresPerSecond: Quantity.speed(number("speed")),
                courseDegrees: Quantity.course(number("heading")))
        }
    }

    private static func trigger(_ event: String?) -> Trigger {
        switch event {
        case "motionchange", "geofence": .significant
        case "heartbeat": .ping
        default: .periodic
        }
    }
}
