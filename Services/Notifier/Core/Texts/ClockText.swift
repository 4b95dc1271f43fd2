import Model

/// Formats times and ages for people.
enum ClockText {
    /// "10:20" in the reader's time zone, "10:20 UTC" if that is unknown. Includes the date if it
    /// is not the day of `now`.
    static func time(_ time: Timestamp, now: Timestamp, offsetSeconds: Int?) -> String {
        let shift = Int64(offsetSeconds ?? 0)
        let local = time.seconds + shift
        let day = floorDivide(local, 86_400)
        let ofDay = local - day * 86_400
        var text = "\(pad(ofDay / 3600)):\(pad(ofDay / 60 % 60))"
        if day != floorDivide(now.seconds + shift, 86_400) {
            let date = CivilDate(daysSinceEpoch: day)
            text = "\(date.year)-\(pad(date.month))-\(pad(date.day)) \(text)"
        }
        return offsetSeconds == nil ? text + " UTC" : text
    }

    static func ago(_ age: Duration, in phrases: any Phrasebook) -> String {
        let minutes = max(0, age.milliseconds / 60_000)
        return phrases.ago(
            days: minutes / 1440, hours: minutes / 60 % 24, minutes: minutes % 60)
    }

    private static func pad(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : (value - divisor + 1) / divisor
    }
}

/// Formats coordinates with five decimals, about one metre.
package enum PlaceText {
    static func degrees(_ valueE7: Int32) -> String {
        let rounded = (abs(Int64(valueE7)) + 50) / 100
        let fraction = String(rounded % 100_000)
        let zeros = String(repeating: "0", count: 5 - fraction.count)
        return "\(valueE7 < 0 && rounded > 0 ? "-" : "")\(rounded / 100_000).\(zeros)\(fraction)"
    }

    package static func coordinates(_ position: Coordinate) -> String {
        "\(degrees(position.latitudeE7)), \(degrees(position.longitudeE7))"
    }

    /// A map link with `{lat}` and `{lon}` replaced.
    static func link(_ position: Coordinate, map: String) -> String {
        var out = ""
        var rest = Substring(map)
        while let open = rest.firstIndex(of: "{") {
            out += rest[..<open]
            rest = rest[open...]
            if rest.hasPrefix("{lat}") {
                out += degrees(position.latitudeE7)
                rest = rest.dropFirst(5)
            } else if rest.hasPrefix("{lon}") {
                out += degrees(position.longitudeE7)
                rest = rest.dropFirst(5)
            } else {
                out += "{"
                rest = rest.dropFirst()
            }
        }
        return out + rest
    }
}

/// Sanitises external text for one line of a message.
enum PlainText {
    /// Replaces control characters and line breaks by single spaces, and truncates.
    static func line(_ text: String, charactersMax: Int) -> String {
        var out = ""
        for character in text {
            let isBlank =
                character.isWhitespace
                || character.unicodeScalars.contains {
                    $0.properties.generalCategory == .control
                        || $0.properties.generalCategory == .format
                }
            if isBlank {
                if !out.isEmpty, out.last != " " { out += " " }
            } else {
                out.append(character)
            }
        }
        if out.last == " " { out.removeLast() }
        return cut(out, charactersMax)
    }

    static func cut(_ text: String, _ charactersMax: Int) -> String {
        guard text.count > charactersMax else { return text }
        return text.prefix(max(1, charactersMax - 1)) + "."
    }
}
