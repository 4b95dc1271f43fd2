import Hashing
import Model
import Parsing

/// Reads Overland's batches of GeoJSON, `{"locations":[Feature…],"current":Feature?}`.
///
/// The app keeps its whole batch unless the answer is `{"result":"ok"}`, so reading never fails: an
/// unusable feature becomes a ``Rejection``.
public enum Overland {
    /// Maximum features that are read from one message. The app sends at most 1,000.
    public static let featuresMax = 2000

    /// Reads one batch.
    ///
    /// `current` is the newest point of a phone with a long queue and is read like any other
    /// report. The queued points that follow are then late, and the same point is a duplicate.
    /// `trip` is ignored because it repeats the points.
    ///
    /// The app itself raises no emergency. Other senders of this format, and Home Assistant, name a
    /// trigger in the property `alarm` of a feature, with or without a position.
    ///
    /// - Parameters:
    ///   - received: time of an emergency without a timestamp
    ///   - first: index of the first feature to read; `current` is read only if this is 0
    public static func read(
        _ body: [UInt8], received: Timestamp, from first: Int = 0
    ) -> Reading {
        do throws(ParseError) {
            return try JSONView.read(body, valuesMax: JSON.bodyValuesMax) {
                read($0, received: received, from: first)
            }
        } catch {
            return .rejected(QuarantineReason(error))
        }
    }

    private static func read(
        _ json: JSONView, received: Timestamp, from first: Int
    ) -> Reading {
        guard let list = json["locations"]?.elements else { return .rejected(.notAnObject) }
        var reading = Reading()
        let end = first + featuresMax
        reading.observations.reserveCapacity(min(list.count, featuresMax) + 1)
        for (index, feature) in list.prefix(end).enumerated() where index >= first {
            append(feature, received: received, index: index, into: &reading)
        }
        if first == 0, let current = json["current"], !current.isNull {
            append(current, received: received, index: list.count, into: &reading)
        }
        if list.count > end { reading.append(.failure(Unusable(reason: .tooMany)), index: end) }
        return reading
    }

    private static func append(
        _ feature: JSONView, received: Timestamp, index: Int, into reading: inout Reading
    ) {
        guard let properties = feature["properties"], properties.isObject else {
            reading.append(
                .failure(Unusable(reason: .notAnObject)), index: index,
                payload: feature.json.serialized())
            return
        }
        let coordinates = feature["geometry"]?["coordinates"]?.elements
        let level = properties["battery_level"]?.number
        let battery = Quantity.battery(level.map { $0 * 100 })
        let charging = charging(properties["battery_state"])
        let time = Quantity.time(properties["timestamp"]?.json)
        let alarm = AlarmWords.trigger(inAlarm: properties["alarm"]?.json)
        let isFix =
            isFix(properties, hasPosition: coordinates != nil)
            && (alarm == nil || coordinates != nil)
        guard isFix else {
            reading.append(
                nil, battery: battery, alarm: alarm, raised: min(time ?? received, received),
                content: time == nil ? Hash.blake2b128(feature.json.serialized()) : nil)
            guard let time else { return }
            return reading.record(PhoneBattery(percent: battery, charging: charging, time: time))
        }
        let fix = fix(coordinates, properties)
        var payload: [UInt8]?
        if case .failure = fix { payload = feature.json.serialized() }
        reading.append(
            fix, battery: battery, charging: charging, at: time, alarm: alarm,
            raised: min(time ?? received, received),
            content: time == nil ? Hash.blake2b128(feature.json.serialized()) : nil, index: index,
            payload: payload)
    }

    /// App events and trip summaries are not fixes, even if they have a position. A visit with a
    /// position is one.
    private static func isFix(_ properties: JSONView, hasPosition: Bool) -> Bool {
        guard properties["type"]?.isNull ?? true else { return false }
        guard let action = properties["action"], !action.isNull else { return true }
        return action.isText("visit") && hasPosition
    }

    /// When the phone was at the position. The app reports a visit minutes after arrival or
    /// departure, so the visit's own dates take precedence.
    private static func time(_ properties: JSONView) -> Timestamp? {
        func time(_ value: JSONView?) -> Timestamp? { Quantity.time(value?.json) }
        let reported = { time(properties["timestamp"]) }
        guard let action = properties["action"], !action.isNull else { return reported() }
        return time(properties["departure_date"]) ?? time(properties["arrival_date"]) ?? reported()
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

    /// 0 if the speed is unknown but the phone is certain that it is stationary.
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

extension PhoneProtocol {
    /// Overland. The app keeps its batch and repeats it until the answer is `{"result":"ok"}`.
    public static let overland = PhoneProtocol(
        "overland",
        paths: [
            Path("/overland", takesToken: true),
            // Dawarich's path, which some apps have built in.
            Path("/api/v1/overland/batches"),
        ], bodyBytesMax: batchBodyBytesMax, answersPolicy: .always,
        provesResponseReceived: true, apps: [.overland],
        part: Part(
            start: #"{"locations":["#, end: "]}",
            isPart: { reading in
                reading.rejections.first.map { $0.reason == .notAnObject && $0.payload == nil }
                    ?? false
            }), isMessage: { $0["locations"]?.elements != nil },
        answer: { Overland.answer(policy: $0.policy) },
        read: { payload, context in
            Overland.read(payload.body, received: context.received, from: context.first)
        })
}

extension PhoneSetup.App {
    public static let overland = PhoneSetup.App(
        "overland", platforms: [.ios, .other],
        link: { setup in
            let query = Query([
                .init("url", setup.url + "/overland"), .init("token", setup.token),
                .init("device_id", setup.deviceName), .init("unique_id", "yes"),
            ])
            return "overland://setup?" + query.encoded
        },
        entries: {
            [
                .init(field: "url", value: $0.url + "/overland"),
                .init(field: "access token", value: $0.token),
            ]
        })
}
