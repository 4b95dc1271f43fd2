import Model
import Parsing

/// Overland: batches of GeoJSON, `{"locations":[Feature…],"current":Feature?}`.
///
/// The app keeps its whole batch for any answer but `{"result":"ok"}`, so nothing here fails: what
/// is good counts, what cannot be used is a ``Rejection``.
public enum Overland {
    /// Features in one message; more are put aside. The app sends 1,000 at most.
    public static let featuresMax = 2000

    /// Reads one batch.
    ///
    /// `current`, the newest point of a phone whose queue is long, is a report like the others:
    /// what comes later of the queue is late then, and the same point is a duplicate. `trip` says
    /// nothing that the points do not.
    public static func read(_ body: [UInt8]) -> Reading {
        guard let json = try? JSON.parse(body) else { return .rejected(.notJSON) }
        guard let list = json["locations"]?.array else { return .rejected(.notAnObject) }
        var reading = Reading()
        reading.observations.reserveCapacity(min(list.count, featuresMax) + 1)
        for (index, feature) in list.prefix(featuresMax).enumerated() {
            take(feature, index: index, into: &reading)
        }
        if list.count > featuresMax {
            reading.take(.failure(Unusable(reason: .tooMany)), index: featuresMax)
        }
        if let current = json["current"], current != .null {
            take(current, index: list.count, into: &reading)
        }
        return reading
    }

    private static func take(_ feature: JSON, index: Int, into reading: inout Reading) {
        guard case .object? = feature["properties"], let properties = feature["properties"] else {
            reading.take(
                .failure(Unusable(reason: .notAnObject)), index: index,
                payload: feature.serialized())
            return
        }
        let hasPlace = feature["geometry"]?["coordinates"]?.array != nil
        guard let time = time(properties, hasPlace: hasPlace) else { return }
        let fix = fix(feature, properties, time: time)
        let level = properties["battery_level"]?.numberOrNumericString
        reading.take(
            fix, battery: Quantity.battery(level.map { $0 * 100 }),
            charging: charging(properties["battery_state"]?.string), index: index,
            payload: fix.isFailure ? feature.serialized() : nil)
    }

    /// What says when the phone was there; nil for news of the app and summaries of trips, which
    /// are no fixes, whatever place they name.
    private static func time(_ properties: JSON, hasPlace: Bool) -> JSON? {
        guard properties["type"] == nil || properties["type"] == .null else { return nil }
        guard let action = properties["action"], action != .null else {
            return properties["timestamp"] ?? .null
        }
        guard action == "visit", hasPlace else { return nil }
        // Told minutes after arriving, or after leaving: then the phone is elsewhere by now.
        for key in ["departure_date", "arrival_date", "timestamp"] {
            if let time = properties[key], Quantity.time(time) != nil { return time }
        }
        return nil
    }

    private static func fix(
        _ feature: JSON, _ properties: JSON, time: JSON
    ) -> Result<Fix, Unusable> {
        guard let time = Quantity.time(time) else { return .failure(Unusable(reason: .badTime)) }
        let coordinates = feature["geometry"]?["coordinates"]
        func number(_ name: String) -> Double? { properties[name]?.numberOrNumericString }
        let isAltitudeKnown = (number("vertical_accuracy") ?? 0) >= 0
        var speed = number("speed").flatMap { $0 >= 0 ? $0 : nil }
        if speed == nil, properties["motion"] == ["stationary"] { speed = 0 }
        return Quantity.position(latitude: coordinates?[1], longitude: coordinates?[0]).map {
            Fix(
                time: time, position: $0,
                accuracyCentimetres: Quantity.accuracy(number("horizontal_accuracy")),
                altitudeCentimetres: isAltitudeKnown
                    ? Quantity.altitude(number("altitude")) : nil,
                speedCentimetresPerSecond: Quantity.speed(speed),
                courseDegrees: Quantity.course(number("course")))
        }
    }

    private static func charging(_ state: String?) -> Bool? {
        switch state {
        case "charging", "full": true
        case "unplugged": false
        default: nil
        }
    }
}

extension Result {
    fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}
