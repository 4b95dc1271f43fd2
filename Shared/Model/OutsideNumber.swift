/// Conversions for numbers from outside: text of a query, cursor, header or file, and doubles of a
/// JSON body.
///
/// A number from outside may be anything, and integer arithmetic stops the process when it
/// overflows. So every such number enters through here: its range is stated where it is read, and
/// no range exceeds ±2⁵³. Sums and differences of such numbers cannot overflow 64 bits, nor can
/// products with a thousand.
///
/// ```swift
/// guard let index = OutsideNumber.integer(parts[3], in: 0...OutsideNumber.most) else { … }
/// let centimetres = Int32(nearest: metres * 100)
/// ```
public enum OutsideNumber {
    /// 2⁵³, the largest number up to which a double counts every integer.
    public static let most = 1 << 53

    /// Reads decimal digits with an optional sign.
    ///
    /// - Parameter range: what is allowed, within ±``most``
    /// - Returns: nil for any other text and outside the range
    public static func integer(_ text: some StringProtocol, in range: ClosedRange<Int>) -> Int? {
        invariant(range.lowerBound >= -most && range.upperBound <= most, "the range is bounded")
        guard let number = Int(text), range.contains(number) else { return nil }
        return number
    }

    /// Reads hexadecimal digits as bits; nothing is computed with them.
    public static func bits<Bits: FixedWidthInteger & UnsignedInteger>(
        hexadecimal text: some StringProtocol, _ type: Bits.Type = Bits.self
    ) -> Bits? {
        Bits(text, radix: 16)
    }
}

extension FixedWidthInteger {
    /// The integer nearest to a number from outside.
    ///
    /// No number stops the process: the result is clamped to the range of the type, and of types
    /// of 64 bits to ±2⁵³. NaN gives 0.
    public init(
        nearest number: Double, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
    ) {
        let most = Double(OutsideNumber.most)
        let bounded = Swift.max(-most, Swift.min(number, most)).rounded(rule)
        self = number.isNaN ? 0 : Self(clamping: Int64(bounded))
    }
}
