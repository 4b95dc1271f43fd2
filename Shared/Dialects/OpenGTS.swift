import Model
import Parsing

/// Reads requests of OpenGTS' HTTP protocol.
///
/// `gprmc` holds an NMEA 0183 sentence; altitude and battery are separate values. After any 2xx
/// answer the phone deletes the message. The answer is empty.
public enum OpenGTS {
    /// Status code of the panic button.
    private static let panic = 0xF841

    /// Reads one message. Values in the query take precedence over values in the body.
    ///
    /// - Parameter received: time of an emergency
    public static func read(_ query: Query, _ body: [UInt8], received: Timestamp) -> Reading {
        read(NamedValues(query.with(form: body)), received: received)
    }

    static func read(_ values: NamedValues, received: Timestamp) -> Reading {
        let accuracy = values.number("acc", "accuracy")
        var fix = values["gprmc"]?.string.map { RMCSentence.read($0, accuracy: accuracy) }
        if case .success(var value) = fix {
            value.altitudeCentimetres = Quantity.altitude(values.number("alt"))
            value.accuracyCentimetres = Quantity.accuracy(accuracy)
            fix = .success(value)
        }
        let alarm: EmergencyTrigger? = isPanic(values["code"]) ? .panic : nil
        var reading = Reading()
        reading.append(
            fix ?? (alarm == nil ? .failure(Unusable(reason: .missingPosition)) : nil),
            battery: Quantity.battery(values.number("batt", "battery")), at: received,
            alarm: alarm, raised: received, content: values.digest)
        return reading
    }

    /// Whether a code, in decimal or as `0x` and hexadecimal digits, is ``panic``.
    private static func isPanic(_ code: JSON?) -> Bool {
        guard let text = code?.string else { return false }
        let isHexadecimal = text.lowercased().hasPrefix("0x")
        return isHexadecimal
            ? UntrustedNumber.bits(hexadecimal: text.dropFirst(2), UInt32.self) == UInt32(panic)
            : UntrustedNumber.integer(text, in: 0...UntrustedNumber.most) == panic
    }
}

extension PhoneProtocol {
    /// OpenGTS. After any 2xx answer the phone deletes the message.
    public static let openGTS = PhoneProtocol(
        "opengts", paths: [Path("/gprmc/Data", ["GET", "POST"])], readsQuery: true
    ) { OpenGTS.read($0.query, $0.body, received: $1.received) }
}

/// Reads the "recommended minimum" sentence of NMEA 0183:
/// `$GPRMC,hhmmss,A,ddmm.mmmm,N,dddmm.mmmm,E,knots,degrees,ddmmyy,…*CS`.
///
/// The checksum is ignored: HTTP protects the sentence in transit, and some clients compute the
/// checksum incorrectly.
enum RMCSentence {
    /// Reads one sentence.
    ///
    /// - Parameter accuracy: metres, sent beside the sentence; nil = not sent
    static func read(_ text: String, accuracy: Double?) -> Result<Fix, Unusable> {
        let body = text.drop { $0 == "$" }.prefix { $0 != "*" }
        let fields = body.split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count >= 10, fields[0].hasSuffix("RMC") else {
            return .failure(Unusable(reason: .otherType))
        }
        guard fields[2] == "A" else {
            return .failure(Unusable(reason: .invalidFix))
        }
        guard let time = time(date: fields[9], time: fields[1]) else {
            return .failure(Unusable(reason: .badTime))
        }
        guard let latitude = degrees(fields[3], fields[4], "N", "S"),
            let longitude = degrees(fields[5], fields[6], "E", "W"),
            let position = Coordinate(latitude: latitude, longitude: longitude)
        else { return .failure(Unusable(reason: .badPosition)) }
        return Result.success(position).usable(from: .tracker, accuracy: accuracy).map { position in
            Fix(
                time: time, position: position,
                speedCentimetresPerSecond: Quantity.speed(
                    number(fields[7]).map { $0 * OsmAnd.SpeedUnit.knots.factor }),
                courseDegrees: Quantity.course(number(fields[8])))
        }
    }

    /// Parses `ddmmyy` and `hhmmss` or `hhmmss.sss`, in UTC.
    private static func time(date: Substring, time: Substring) -> Timestamp? {
        guard date.utf8.count == 6, time.utf8.count >= 6,
            (Array(date.utf8) + Array(time.utf8)).allSatisfy({ (46...57).contains($0) })
        else { return nil }
        func pair(_ text: Substring, _ index: Int) -> Substring {
            text.dropFirst(2 * index).prefix(2)
        }
        let fraction = time.dropFirst(6)
        return Timestamp(
            "20\(pair(date, 2))-\(pair(date, 1))-\(pair(date, 0))"
                + "T\(pair(time, 0)):\(pair(time, 1)):\(pair(time, 2))\(fraction)Z")
    }

    /// Converts degrees and minutes in one number, with the letter of the hemisphere.
    private static func degrees(
        _ text: Substring, _ half: Substring, _ positive: Substring, _ negative: Substring
    ) -> Double? {
        guard half == positive || half == negative, let value = number(text), value >= 0 else {
            return nil
        }
        let whole = (value / 100).rounded(.down)
        let minutes = value - whole * 100
        guard minutes < 60 else { return nil }
        return (half == negative ? -1 : 1) * (whole + minutes / 60)
    }

    private static func number(_ text: Substring) -> Double? {
        JSON.string(String(text)).numberOrNumericString
    }
}
