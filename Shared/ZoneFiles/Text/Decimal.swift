import Model

/// Numbers as files tell and get them.
enum Decimal {
    /// Digits with an optional sign, point and exponent. Nil for anything else: also for an
    /// infinite number, and for a decimal comma.
    static func read(_ text: some StringProtocol) -> Double? {
        let isPlain = text.utf8.allSatisfy { (48...57).contains($0) || "+-.eE".utf8.contains($0) }
        guard isPlain, let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// Metres as centimetres, rounded; nil beyond ±20,000 km, the way around half the earth.
    static func centimetres(_ metres: Double) -> Int32? {
        guard abs(metres) <= 20_000_000 else { return nil }
        return Int32(nearest: metres * 100)
    }

    /// Centimetres as metres: `60`, `60.5`, `-0.25`.
    static func metres(_ centimetres: Int32) -> String { text(Int64(centimetres), digits: 2) }

    /// Degrees with as many digits as they need: `10.5`.
    static func degrees(e7: Int32) -> String { text(Int64(e7), digits: 7) }

    /// A whole number of units of 10⁻ⁿ.
    private static func text(_ value: Int64, digits: Int) -> String {
        var scale: Int64 = 1
        for _ in 0..<digits { scale *= 10 }
        let magnitude = Int64(value.magnitude)
        let whole = (value < 0 ? "-" : "") + String(magnitude / scale)
        var fraction = String(magnitude % scale + scale).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return fraction.isEmpty ? whole : whole + "." + fraction
    }
}

/// A position as two numbers, and what is wrong with them.
enum Degrees {
    /// What is wrong: a sentence and what to do.
    struct Fault: Error {
        var isLatitude: Bool
        var message: String
        var hint: String
    }

    /// - Parameter order: how the format has them, for the hint
    static func position(
        latitude: Double, longitude: Double, order: String
    ) throws(Fault) -> Coordinate {
        if let position = Coordinate(latitude: latitude, longitude: longitude) { return position }
        let isLatitude = !(abs(latitude) <= 90)
        let isSwapped = abs(latitude) <= 180 && abs(longitude) <= 90
        throw Fault(
            isLatitude: isLatitude,
            message: isLatitude
                ? "a latitude goes from -90 to 90 degrees"
                : "a longitude goes from -180 to 180 degrees",
            hint: isLatitude
                ? isSwapped
                    ? "the two look swapped: \(order)" : "give degrees of WGS 84; \(order)"
                : "take 360 off beyond 180, so 180.01 is -179.99: an edge goes the short way, also "
                    + "over the antimeridian; \(order)")
    }
}
