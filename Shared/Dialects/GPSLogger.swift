import Model
import Parsing

/// Reads requests of GPSLogger's custom URL.
///
/// Values have the names of `%ALL`, Home Assistant or OsmAnd, and are in the query, in a form or in
/// one JSON object. Speeds are in metres per second.
///
/// The app retries a failed message three times and then drops it. It also resends whole files, so
/// the same point can arrive any number of times. The answer is empty.
public enum GPSLogger {
    /// `time` has milliseconds, `timeoffset` adds an offset, `timestamp` has whole seconds. A
    /// template may contain only one of them.
    private static let timeNames = ["time", "timeoffset", "timestamp"]

    /// Reads one message. Values in the query take precedence over values in the body.
    ///
    /// - Parameters:
    ///   - received: replaces a missing time
    ///   - sosWord: an annotation that begins with this word is an emergency request; empty = none
    ///     is. Home Assistant and scripts name a trigger in `alarm`, too.
    public static func read(
        _ query: Query, _ body: [UInt8], received: Timestamp, sosWord: String
    ) -> Reading {
        let values: NamedValues
        if TraccarJSON.isJSON(body) {
            let json: JSON
            do throws(ParseError) {
                json = try JSON.parse(body, valuesMax: JSON.bodyValuesMax)
            } catch {
                return .rejected(QuarantineReason(error))
            }
            guard case .object(let members) = json else { return .rejected(.notAnObject) }
            values = NamedValues(query, members)
        } else {
            values = NamedValues(query.with(form: body))
        }
        let kilometresPerHour = values.number("spd_kph").map { $0 / 3.6 }
        let fix = values.fix(
            speed: values.number("spd", "speed") ?? kilometresPerHour,
            accuracy: values.number("acc", "accuracy"), received: received,
            timeNames: timeNames)
        // GPSLogger records a point with its annotation, so the point's time is that of the
        // request. The time also identifies the request when the file is resent.
        let reported = values.time(timeNames)
        let alarm =
            AlarmWords.trigger(inAlarm: values["alarm"])
            ?? AlarmWords.trigger(inNote: values["desc"]?.string, word: sosWord)
        var reading = Reading()
        reading.append(
            fix ?? (alarm == nil ? .failure(Unusable(reason: .missingPosition)) : nil),
            battery: Quantity.battery(values.number("batt", "battery")),
            charging: Quantity.bool(values["ischarging", "is_charging", "charging", "charge"]),
            at: reported ?? received, alarm: alarm, raised: reported ?? received,
            content: reported == nil ? values.digest : nil)
        return reading
    }
}

extension PhoneProtocol {
    /// GPSLogger. The app retries a message three times, then drops it; it resends whole files.
    public static let gpsLogger = PhoneProtocol(
        "gpslogger",
        // The HTTP method is a setting of the app.
        paths: [Path("/log/gpslogger", ["GET", "POST", "PUT", "PATCH"], takesToken: true)],
        readsQuery: true, apps: [.gpsLogger]
    ) { payload, context in
        GPSLogger.read(
            payload.query, payload.body, received: context.received, sosWord: context.sosWord)
    }
}

extension PhoneSetup.App {
    public static let gpsLogger = PhoneSetup.App(
        "gpslogger", platforms: [.android, .other],
        link: { setup in
            let query = Query([.init("format", "properties"), .init("token", setup.token)])
            return "gpslogger://properties/\(setup.url)/v1/devices/\(setup.device)/setup?"
                + query.encoded
        },
        entries: {
            [.init(field: "url", value: $0.gpsLoggerURL), .init(field: "method", value: "GET")]
        })
}

extension PhoneSetup {
    /// GPSLogger's profile (`.properties`). Points recorded offline are kept.
    public var properties: String {
        """
        current_profile_name=Jaga
        log_customurl_enabled=true
        log_customurl_url=\(gpsLoggerURL)
        log_customurl_method=GET
        log_customurl_discard_offline_locations_enabled=false

        """
    }

    fileprivate var gpsLoggerURL: String { "\(url)/log/gpslogger/\(token)?%ALL" }
}
