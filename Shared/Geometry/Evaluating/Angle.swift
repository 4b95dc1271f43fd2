/// Trigonometry for angles in 10⁻⁷ degrees that uses only addition, subtraction and multiplication.
///
/// The last bit of the C library's sine differs between processors and versions. Two evaluators
/// that read the same stream must get the same result.
enum Angle {
    /// 360°.
    static let turn: Int64 = 3_600_000_000
    /// 180°.
    static let halfTurn: Int64 = 1_800_000_000

    private static let quarterTurn: Int64 = 900_000_000
    private static let radiansPerUnit = 3.141_592_653_589_793_238_46 / 1_800_000_000

    /// Normalizes an angle to −180° (inclusive) … 180° (exclusive).
    static func wrapped(_ angleE7: Int64) -> Int64 {
        var rest = (angleE7 + halfTurn) % turn
        if rest < 0 { rest += turn }
        return rest - halfTurn
    }

    /// Sine and cosine, each with an error below 2 × 10⁻¹⁶.
    static func sineCosine(_ angleE7: Int64) -> (sine: Double, cosine: Double) {
        let angle = wrapped(angleE7)
        // Reduces the angle to the nearest quarter turn plus at most ±45°.
        let shifted = angle + quarterTurn / 2
        let quarter = shifted >= 0 ? shifted / quarterTurn : (shifted + 1) / quarterTurn - 1
        let rest = Double(angle - quarter * quarterTurn) * radiansPerUnit
        let sine = sineNearZero(rest)
        let cosine = cosineNearZero(rest)
        switch quarter & 3 {
        case 0: return (sine, cosine)
        case 1: return (cosine, -sine)
        case 2: return (-sine, -cosine)
        default: return (-cosine, sine)
        }
    }

    /// Taylor series x − x³/3! + x⁵/5! …, for |x| ≤ π/4.
    private static func sineNearZero(_ x: Double) -> Double {
        let s = x * x
        var sum = 1 / 355_687_428_096_000.0
        sum = sum * s - 1 / 1_307_674_368_000.0
        sum = sum * s + 1 / 6_227_020_800.0
        sum = sum * s - 1 / 39_916_800.0
        sum = sum * s + 1 / 362_880.0
        sum = sum * s - 1 / 5040.0
        sum = sum * s + 1 / 120.0
        sum = sum * s - 1 / 6.0
        return x + x * s * sum
    }

    /// Taylor series 1 − x²/2! + x⁴/4! …, for |x| ≤ π/4.
    private static func cosineNearZero(_ x: Double) -> Double {
        let s = x * x
        var sum = -1 / 6_402_373_705_728_000.0
        sum = sum * s + 1 / 20_922_789_888_000.0
        sum = sum * s - 1 / 87_178_291_200.0
        sum = sum * s + 1 / 479_001_600.0
        sum = sum * s - 1 / 3_628_800.0
        sum = sum * s + 1 / 40_320.0
        sum = sum * s - 1 / 720.0
        sum = sum * s + 1 / 24.0
        return 1 - s / 2 + s * s * sum
    }
}
