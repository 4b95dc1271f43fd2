import Model
import Parsing

/// Why a part of a payload is no fix.
struct Unusable: Error {
    let reason: QuarantineReason
}

/// Who sends a position.
enum PositionSource {
    /// A tracker app. Such apps send 0 for a latitude or longitude that they do not have.
    case tracker
    /// A client of Jaga's own JSON, which leaves out what it does not have.
    case own
}

extension Result where Success == Coordinate, Failure == Unusable {
    /// Rejects positions that mean "no position": 0° N 0° E, from tracker apps a latitude or
    /// longitude of exactly 0, and any position with a negative accuracy.
    ///
    /// - Parameter accuracy: horizontal, as sent; nil = not sent.
    func usable(from source: PositionSource, accuracy: Double?) -> Self {
        flatMap { position in
            if position.isZero || source == .tracker && position.hasZero {
                return .failure(Unusable(reason: .zeroPosition))
            }
            if let accuracy, accuracy < 0 {
                return .failure(Unusable(reason: .negativeAccuracy))
            }
            return .success(position)
        }
    }
}

/// Values of phones made into those of the model. A wrong extra is unknown: it never costs a phone
/// its position.
enum Quantity {
    /// Takes numbers and numbers in strings; absent and `null` are missing, the rest is bad.
    static func position(latitude: JSON?, longitude: JSON?) -> Result<Coordinate, Unusable> {
        guard let latitude, latitude != .null, let longitude, longitude != .null else {
            return .failure(Unusable(reason: .missingPosition))
        }
        guard let north = latitude.numberOrNumericString,
            let east = longitude.numberOrNumericString,
            let position = Coordinate(latitude: north, longitude: east)
        else { return .failure(Unusable(reason: .badPosition)) }
        return .success(position)
    }

    /// The same of a text that is looked at where it lies.
    static func position(
        latitude: JSONView?, longitude: JSONView?
    ) -> Result<Coordinate, Unusable> {
        guard let latitude, !latitude.isNull, let longitude, !longitude.isNull else {
            return .failure(Unusable(reason: .missingPosition))
        }
        guard let north = latitude.number, let east = longitude.number,
            let position = Coordinate(latitude: north, longitude: east)
        else { return .failure(Unusable(reason: .badPosition)) }
        return .success(position)
    }

    /// Metres to centimetres; 0 = unknown for zero, negative and absent values, at most 100 km.
    static func accuracy(_ metres: Double?) -> Int32 {
        guard let metres, metres > 0 else { return 0 }
        return Int32(nearest: min(metres, 100_000) * 100, .up)
    }

    /// Whole metres, rounded up; 0 = unknown for zero, negative and absent values.
    static func altitudeAccuracy(_ metres: Double?) -> UInt16 {
        guard let metres, metres > 0 else { return 0 }
        return UInt16(nearest: min(metres, 65_535), .up)
    }

    /// Metres to centimetres; nil beyond ±100 km.
    static func altitude(_ metres: Double?) -> Int32? {
        guard let metres, metres >= -100_000, metres <= 100_000 else { return nil }
        return Int32(nearest: metres * 100)
    }

    /// Metres a second to centimetres a second; nil below zero or beyond 2,000 m/s.
    static func speed(_ metresPerSecond: Double?) -> Int32? {
        guard let metresPerSecond, metresPerSecond >= 0, metresPerSecond <= 2000 else { return nil }
        return Int32(nearest: metresPerSecond * 100)
    }

    /// Degrees 0 to 360 to whole degrees 0 to 359; nil for anything else.
    static func course(_ degrees: Double?) -> Int32? {
        guard let degrees, degrees >= 0, degrees <= 360 else { return nil }
        return Int32(nearest: degrees) % 360
    }

    /// Percent, rounded; nil outside 0 to 100.
    static func battery(_ percent: Double?) -> UInt8? {
        guard let percent, percent >= 0, percent <= 100 else { return nil }
        return UInt8(nearest: percent)
    }

    /// Seconds since 1970, from 1 s to the end of the year 9999; nil for anything else.
    static func time(_ seconds: Double?) -> Timestamp? {
        guard let seconds, seconds >= 1, seconds < 253_402_300_800 else { return nil }
        return Timestamp(milliseconds: Int64(nearest: seconds * 1000))
    }

    /// Metres to whole metres from 1 m to 100 km; nil for anything else.
    static func radius(_ metres: Double?) -> Int32? {
        guard let metres, metres > 0, metres <= 100_000 else { return nil }
        return max(1, Int32(nearest: metres))
    }

    /// A time as phones write it: seconds since 1970, from 2³¹ on milliseconds; RFC 3339; or a date
    /// and a time without an offset, which are UTC. Nil for anything else and before 1970.
    static func time(_ value: JSON?) -> Timestamp? {
        if let text = value?.string, let time = Timestamp(text), time > .zero { return time }
        if let number = value?.numberOrNumericString {
            return time(number < 2_147_483_648 ? number : number / 1000)
        }
        guard let text = value?.string else { return nil }
        // In a query the plus of an offset arrives as a blank unless the phone escapes it.
        let withPlus = String(text.prefix(19)) + text.dropFirst(19).replacing(" ", with: "+")
        let time = Timestamp(withPlus) ?? Timestamp(withPlus + "Z")
        return time.flatMap { $0 > .zero ? $0 : nil }
    }

    /// True or false, also as a number or in words; nil for anything else.
    static func truth(_ value: JSON?) -> Bool? {
        switch value {
        case .bool(let truth): return truth
        case .string(let text) where text.lowercased() == "true": return true
        case .string(let text) where text.lowercased() == "false": return false
        default: return value?.numberOrNumericString.map { $0 != 0 }
        }
    }

    /// Whether a note is the word that calls for help: in any case, blanks around it ignored.
    static func isCall(_ note: String?, word: String) -> Bool {
        guard let note, !word.isEmpty else { return false }
        let start = note.drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return false }
        return start[...end].lowercased() == word.lowercased()
    }

    /// A client's own name for a message: 1 to 128 bytes, else nil.
    static func messageID(_ text: String?) -> String? {
        guard let text, (1...128).contains(text.utf8.count) else { return nil }
        return text
    }
}
