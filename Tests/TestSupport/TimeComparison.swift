import Glibc

/// Whether two actions take times from the same distribution: the rank-sum test of Mann and
/// Whitney, with its normal approximation.
public struct TimeComparison: CustomStringConvertible, Sendable {
    /// Medians in microseconds.
    public let medians: (Double, Double)
    /// Two-sided probability of such a difference by chance.
    public let probability: Double
    public let count: Int

    /// Below this probability times are distinguishable.
    public static let probabilityMin = 0.01

    public var isEqual: Bool { probability > Self.probabilityMin }

    public var description: String {
        "\(count) pairs, medians \(Int(medians.0)) and \(Int(medians.1)) µs, "
            + "p = \((probability * 1000).rounded() / 1000)"
    }

    /// - Parameters: times in microseconds, as many of each
    public init(_ one: [Double], _ other: [Double]) {
        count = min(one.count, other.count)
        medians = (one.sorted()[one.count / 2], other.sorted()[other.count / 2])
        let all = (one.map { ($0, true) } + other.map { ($0, false) }).sorted { $0.0 < $1.0 }
        var (sum, index) = (0.0, 0)
        while index < all.count {
            var end = index
            while end < all.count, all[end].0 == all[index].0 { end += 1 }
            let rank = Double(index + end + 1) / 2
            sum += rank * Double(all[index..<end].count { $0.1 })
            index = end
        }
        let (n, m) = (Double(one.count), Double(other.count))
        let mean = n * (n + m + 1) / 2
        let deviation = (n * m * (n + m + 1) / 12).squareRoot()
        probability = erfc(abs(sum - mean) / deviation / 2.0.squareRoot())
    }

    /// Measures two actions in turn, in random order, until a round finds no difference. A true
    /// difference is found in each of the rounds; three rounds by chance once in a million runs.
    public static func untilEqual(
        pairs: Int = 1_000, rounds: Int = 3, _ one: () throws -> Void, and other: () throws -> Void
    ) rethrows -> TimeComparison {
        let clock = ContinuousClock()
        func time(_ action: () throws -> Void) rethrows -> Double {
            let time = try clock.measure(action)
            return Double(time.components.attoseconds) / 1e12
                + Double(time.components.seconds) * 1e6
        }
        var comparison: TimeComparison
        var left = rounds
        repeat {
            var (ones, others): ([Double], [Double]) = ([], [])
            for _ in 0..<pairs {
                if Bool.random() {
                    ones.append(try time(one))
                    others.append(try time(other))
                } else {
                    others.append(try time(other))
                    ones.append(try time(one))
                }
            }
            comparison = TimeComparison(ones, others)
            left -= 1
        } while !comparison.isEqual && left > 0
        return comparison
    }
}
