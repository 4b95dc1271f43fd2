import Model

/// Parses and formats the numbers of files.
enum Decimal {
    /// Parses digits with optional sign, decimal point and exponent. Returns nil for any other
    /// text, for infinite numbers and for a decimal comma.
    static func read(_ text: some StringProtocol) -> Double? {
        let isPlain = text.utf8.allSatisfy { (48...57).contains($0) || "+-.eE".utf8.contains($0) }
        guard isPlain, let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// Converts metres to centimetres, rounded. Returns nil beyond ±20,000 km, half the
    /// circumference of the earth.
    static func centimetres(_ metres: Double) -> Int32? {
        guard abs(metres) <= 20_000_000 else { return nil }
        return Int32(nearest: metres * 100)
    }

    /// Formats centimetres as metres: `60`, `60.5`, `-0.25`.
    static func metres(_ centimetres: Int32) -> String { text(Int64(centimetres), digits: 2) }

    /// Formats degrees without trailing zeros: `10.5`.
    static func degrees(e7: Int32) -> String { text(Int64(e7), digits: 7) }

    /// Formats a number of units of 10⁻ⁿ.
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

/// Checks a position's latitude and longitude.
enum Degrees {
    /// Why the numbers are not a position.
    struct Fault: Error {
        var isLatitude: Bool
        var message: String
        var hint: String
    }

    /// The position of two numbers in degrees.
    ///
    /// - Parameter order: the format's order of the two numbers, for the hint
    /// - Throws: ``Fault`` if a number is out of range
    static func position(
        latitude: Double, longitude: Double, order: String
    ) throws(Fault) -> Coordinate {
        if let position = Coordinate(latitude: latitude, longitude: longitude) { return position }
        let isLatitude = !(abs(latitude) <= 90)
        let isSwapped = abs(latitude) <= 180 && abs(longitude) <= 90
        throw Fault(
            isLatitude: isLatitude,
            message: isLatitude
                ? "the latitude is not between -90 and 90 degrees"
                : "the longitude is not between -180 and 180 degrees",
            hint: isLatitude
                ? isSwapped
                    ? "The two numbers look swapped: \(order)."
                    : "Give -90 to 90 degrees in WGS 84; \(order)."
                : "Use -180 to 180 degrees; subtract 360 beyond 180: 180.01 is -179.99. Edges take "
                    + "the shorter way, also across the antimeridian; \(order).")
    }
}
