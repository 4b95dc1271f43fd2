/// Bounded conversions of untrusted numbers: text of a query, cursor, header or file, and doubles
/// of a JSON body.
///
/// Integer arithmetic stops the process on overflow, so untrusted numbers need bounds. Every
/// conversion states its range, which never exceeds ±2⁵³: sums and differences of such numbers, and
/// their products with 1000, cannot overflow 64 bits.
///
/// ```swift
/// guard let index = UntrustedNumber.integer(parts[3], in: 0...UntrustedNumber.most) else { … }
/// let centimetres = Int32(nearest: metres * 100)
/// ```
public enum UntrustedNumber {
    /// 2⁵³: doubles represent all integers up to this one exactly.
    public static let most = 1 << 53

    /// Parses decimal digits with an optional sign.
    ///
    /// - Parameter range: the allowed range, within ±``most``
    /// - Returns: nil for any other text and outside the range
    @inlinable public static func integer(
        _ text: some StringProtocol, in range: ClosedRange<Int>
    ) -> Int? {
        invariant(range.lowerBound >= -most && range.upperBound <= most, "the range is bounded")
        guard let number = Int(text), range.contains(number) else { return nil }
        return number
    }

    /// Parses hexadecimal digits as a bit pattern.
    public static func bits<Bits: FixedWidthInteger & UnsignedInteger>(
        hexadecimal text: some StringProtocol, _ type: Bits.Type = Bits.self
    ) -> Bits? {
        Bits(text, radix: 16)
    }
}

extension FixedWidthInteger {
    /// Rounds an untrusted number to an integer.
    ///
    /// The result is clamped to the range of the type, and for 64-bit types to ±2⁵³. NaN gives 0.
    /// Inlinable: every fix needs several conversions, and generic arithmetic is slow.
    @inlinable public init(
        nearest number: Double, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
    ) {
        let most = 0x1p53
        let bounded = Swift.max(-most, Swift.min(number, most)).rounded(rule)
        self = number.isNaN ? 0 : Self(clamping: Int64(bounded))
    }
}
