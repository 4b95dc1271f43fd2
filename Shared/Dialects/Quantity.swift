import Model
import Parsing

/// Why part of a payload has no usable fix.
struct Unusable: Error {
    let reason: QuarantineReason
}

/// Kind of client that sends a position.
enum PositionSource {
    /// A tracker app, which may send 0 for an unknown latitude or longitude.
    case tracker
    /// A client of Jaga's own format, which omits unknown values.
    case own
}

extension Result where Success == Coordinate, Failure == Unusable {
    /// Rejects positions that mean "no position": 0° N 0° E, from tracker apps a latitude or
    /// longitude of exactly 0, and any position with a negative accuracy.
    ///
    /// - Parameter accuracy: horizontal accuracy as sent; nil = not sent
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

/// Converts phones' values to those of the model. An invalid optional value becomes unknown and
/// never invalidates the position.
enum Quantity {
    /// Accepts numbers and numeric strings. Absent and `null` values are missing, others are bad.
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

    /// Accepts numbers and numeric strings of a JSON view. Absent and `null` values are missing,
    /// others are bad.
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

    /// Metres per second to centimetres per second; nil below zero or beyond 2,000 m/s.
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

    /// Converts a time: seconds since 1970, from 2³¹ on milliseconds; RFC 3339; or a date and time
    /// without an offset, in UTC. Returns nil for anything else and for times before 1970.
    static func time(_ value: JSON?) -> Timestamp? {
        if let text = value?.string, let time = Timestamp(text), time > .zero { return time }
        if let number = value?.numberOrNumericString {
            return time(number < 2_147_483_648 ? number : number / 1000)
        }
        guard let text = value?.string else { return nil }
        // In a query, the plus of an offset arrives as a blank unless the phone escapes it.
        let withPlus = String(text.prefix(19)) + text.dropFirst(19).replacing(" ", with: "+")
        let time = Timestamp(withPlus) ?? Timestamp(withPlus + "Z")
        return time.flatMap { $0 > .zero ? $0 : nil }
    }

    /// Converts a Boolean, a number, or the words "true" and "false"; nil for anything else.
    static func bool(_ value: JSON?) -> Bool? {
        switch value {
        case .bool(let value): return value
        case .string(let text) where text.lowercased() == "true": return true
        case .string(let text) where text.lowercased() == "false": return false
        default: return value?.numberOrNumericString.map { $0 != 0 }
        }
    }

    /// A client's id of a message, 1 to 128 bytes; nil otherwise.
    static func messageID(_ text: String?) -> String? {
        guard let text, (1...128).contains(text.utf8.count) else { return nil }
        return text
    }
}
