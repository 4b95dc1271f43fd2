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
    ///
    /// - Parameter first: features before this one are passed over, and so is `current` then.
    public static func read(_ body: [UInt8], from first: Int = 0) -> Reading {
        do throws(ParseError) {
            return try JSONView.read(body, valuesMax: JSON.bodyValuesMax) { read($0, from: first) }
        } catch {
            return .rejected(QuarantineReason(error))
        }
    }

    private static func read(_ json: JSONView, from first: Int) -> Reading {
        guard let list = json["locations"]?.elements else { return .rejected(.notAnObject) }
        var reading = Reading()
        let end = first + featuresMax
        reading.observations.reserveCapacity(min(list.count, featuresMax) + 1)
        for (index, feature) in list.prefix(end).enumerated() where index >= first {
            take(feature, index: index, into: &reading)
        }
        if first == 0, let current = json["current"], !current.isNull {
            take(current, index: list.count, into: &reading)
        }
        if list.count > end { reading.take(.failure(Unusable(reason: .tooMany)), index: end) }
        return reading
    }

    private static func take(_ feature: JSONView, index: Int, into reading: inout Reading) {
        guard let properties = feature["properties"], properties.isObject else {
            reading.take(
                .failure(Unusable(reason: .notAnObject)), index: index,
                payload: feature.json.serialized())
            return
        }
        let coordinates = feature["geometry"]?["coordinates"]?.elements
        let level = properties["battery_level"]?.number
        let battery = Quantity.battery(level.map { $0 * 100 })
        let charging = charging(properties["battery_state"])
        guard isFix(properties, hasPlace: coordinates != nil) else {
            guard let time = Quantity.time(properties["timestamp"]?.json) else { return }
            return reading.take(PhoneBattery(percent: battery, charging: charging, time: time))
        }
        let fix = fix(coordinates, properties)
        var payload: [UInt8]?
        if case .failure = fix { payload = feature.json.serialized() }
        reading.take(
            fix, battery: battery, charging: charging,
            at: Quantity.time(properties["timestamp"]?.json), index: index, payload: payload)
    }

    /// News of the app and summaries of trips are no fixes, whatever place they name; a visit is
    /// one where it has a place.
    private static func isFix(_ properties: JSONView, hasPlace: Bool) -> Bool {
        guard properties["type"]?.isNull ?? true else { return false }
        guard let action = properties["action"], !action.isNull else { return true }
        return action.isText("visit") && hasPlace
    }

    /// When the phone was there. A visit is told minutes after arriving, or after leaving: then the
    /// phone is elsewhere by now.
    private static func time(_ properties: JSONView) -> Timestamp? {
        func time(_ value: JSONView?) -> Timestamp? { Quantity.time(value?.json) }
        let said = { time(properties["timestamp"]) }
        guard let action = properties["action"], !action.isNull else { return said() }
        return time(properties["departure_date"]) ?? time(properties["arrival_date"]) ?? said()
    }

    private static func fix(
        _ coordinates: JSONView.Elements?, _ properties: JSONView
    ) -> Result<Fix, Unusable> {
        guard let time = time(properties) else { return .failure(Unusable(reason: .badTime)) }
        var coordinates = coordinates
        let longitude = coordinates?.next()
        let latitude = coordinates?.next()
        let accuracy = properties["horizontal_accuracy"]?.number
        let position = Quantity.position(latitude: latitude, longitude: longitude)
            .usable(from: .tracker, accuracy: accuracy)
        let isAltitudeKnown = (properties["vertical_accuracy"]?.number ?? 0) >= 0
        return position.map { position in
            Fix(
                time: time, position: position,
                accuracyCentimetres: Quantity.accuracy(accuracy),
                altitudeCentimetres: isAltitudeKnown
                    ? Quantity.altitude(properties["altitude"]?.number) : nil,
                speedCentimetresPerSecond: speed(properties),
                courseDegrees: Quantity.course(properties["course"]?.number))
        }
    }

    /// Nought where it is not known, but the phone is sure that it stands still.
    private static func speed(_ properties: JSONView) -> Int32? {
        if let speed = Quantity.speed(properties["speed"]?.number) { return speed }
        guard var motion = properties["motion"]?.elements, motion.count == 1 else { return nil }
        return motion.next()?.isText("stationary") == true ? 0 : nil
    }

    private static func charging(_ state: JSONView?) -> Bool? {
        guard let state else { return nil }
        if state.isText("unplugged") { return false }
        return state.isText("charging") || state.isText("full") ? true : nil
    }
}
