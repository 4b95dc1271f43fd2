import Glibc
import Model
import ZoneFiles

extension Track {
    /// Assumed speed between points without usable times, m/s.
    static let walkingSpeed = 1.4

    /// Seconds since the first point, for each point.
    ///
    /// A step takes the recorded time. If a time is missing or not ascending, it takes as long as
    /// walking. Steps are limited to `gapSecondsMax`.
    func offsets(gapSecondsMax: Double) -> [Double] {
        var offset = 0.0
        var offsets: [Double] = []
        for index in points.indices {
            if index > 0 {
                let step = recordedStep(to: index) ?? walkedStep(to: index)
                offset += min(step, gapSecondsMax)
            }
            offsets.append(offset)
        }
        return offsets
    }

    /// Whether every step has a usable time.
    var isTimed: Bool { (1..<max(1, points.count)).allSatisfy { recordedStep(to: $0) != nil } }

    private func recordedStep(to index: Int) -> Double? {
        guard let before = points[index - 1].time, let after = points[index].time, after > before
        else { return nil }
        return Double((after - before).milliseconds) / 1000
    }

    private func walkedStep(to index: Int) -> Double {
        let metres = Track.metres(points[index - 1].position, points[index].position)
        return max(1, metres / Track.walkingSpeed)
    }

    /// Approximate distance on a sphere.
    static func metres(_ a: Coordinate, _ b: Coordinate) -> Double {
        let radians = Double.pi / 180
        let x =
            (b.longitude - a.longitude) * radians
            * cos((a.latitude + b.latitude) / 2 * radians)
        let y = (b.latitude - a.latitude) * radians
        return 6_371_000 * (x * x + y * y).squareRoot()
    }
}
