import Model
import Parsing

/// GPSLogger's custom URL, with the names of `%ALL`, of Home Assistant or of OsmAnd, in the query,
/// in a form or in one object of JSON. Speeds are metres a second.
///
/// A failed message is tried again three times and then dropped; whole files are sent again, so the
/// same point may come any number of times. The answer is empty.
public enum GPSLogger {
    /// `time` has milliseconds, `timeoffset` the same time with an offset; `timestamp` is in whole
    /// seconds. A template may send any of them alone.
    private static let timeNames = ["time", "timeoffset", "timestamp"]

    /// Reads one message. A value of the query goes before one of the body.
    ///
    /// - Parameters:
    ///   - received: stands in for a missing time.
    ///   - sosWord: an annotation with this word is a panic. Empty: none is.
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
        // The point was taken for the sake of its annotation: its time is that of the call, and
        // names the call when the file is sent again.
        var raised: Timestamp?
        let said = values.time(timeNames)
        if Quantity.isCall(values["desc"]?.string, word: sosWord) { raised = said ?? received }
        var reading = Reading()
        reading.take(
            fix ?? (raised == nil ? .failure(Unusable(reason: .missingPosition)) : nil),
            battery: Quantity.battery(values.number("batt", "battery")),
            charging: Quantity.truth(values["ischarging", "is_charging", "charging", "charge"]),
            at: said ?? received, raised: raised, content: said == nil ? values.digest : nil)
        return reading
    }
}
