import Glibc
import TestSupport

/// The true position of a person for each second, on a flat earth around the zone's centre.
struct TruthWay {
    struct LocalPoint {
        var north: Double
        var east: Double

        func metres(to other: LocalPoint) -> Double {
            let (north, east) = (other.north - north, other.east - east)
            return (north * north + east * east).squareRoot()
        }
    }

    /// Metres from the centre.
    private(set) var spots: [LocalPoint] = []
    /// Metres a second.
    private(set) var speeds: [Double] = []
    /// The stay or the path to it of each second; paths are odd.
    private(set) var legs: [Int] = []
    private let kind: TruthClass
    private let radius: Double

    init(
        _ kind: TruthClass, radius: Double, seconds: Int, _ random: inout SeededGenerator
    ) {
        self.kind = kind
        self.radius = radius
        var here = place(&random)
        var leg = 0
        while spots.count < seconds {
            let stay = Int.random(in: 600...5400, using: &random)
            for _ in 0..<stay { add(here, 0, leg) }
            let next = place(&random)
            go(from: here, to: next, leg + 1, &random)
            here = next
            leg += 2
        }
        spots.removeLast(spots.count - seconds)
        speeds.removeLast(speeds.count - seconds)
        legs.removeLast(legs.count - seconds)
    }

    /// Distance beyond the edge, metres; negative inside.
    func beyond(at second: Int) -> Double {
        let localPoint = spots[second]
        return (localPoint.north * localPoint.north + localPoint.east * localPoint.east)
            .squareRoot() - radius
    }

    private mutating func add(_ localPoint: LocalPoint, _ speed: Double, _ leg: Int) {
        spots.append(localPoint)
        speeds.append(speed)
        legs.append(leg)
    }

    private func place(_ random: inout SeededGenerator) -> LocalPoint {
        let draw = Int.random(in: 0..<100, using: &random)
        let angle = Double.random(in: 0...(2 * .pi), using: &random)
        let weights = kind.weights
        let distance: Double
        if draw < weights.inside {
            distance = radius * 0.97 * Double.random(in: 0...1, using: &random).squareRoot()
        } else if draw < weights.inside + weights.edge {
            distance = radius + .random(in: 5...60, using: &random)
        } else if kind == .train {
            distance = radius + .random(in: 10_000...60_000, using: &random)
        } else {
            distance = radius + .random(in: 300...3000, using: &random)
        }
        return LocalPoint(north: distance * cos(angle), east: distance * sin(angle))
    }

    /// A straight path that begins and ends at rest.
    private mutating func go(
        from start: LocalPoint, to end: LocalPoint, _ leg: Int, _ random: inout SeededGenerator
    ) {
        let whole = start.metres(to: end)
        guard whole > 0 else { return }
        let fastest: Double =
            if kind == .train, whole > 5000 {
                .random(in: 50...95, using: &random)
            } else if whole < 1000 {
                .random(in: 1.1...1.8, using: &random)
            } else {
                .random(in: 4...16, using: &random)
            }
        let acceleration = kind == .train ? 0.6 : 1.2
        var gone = 0.0
        var speed = 0.0
        while gone < whole {
            let left = whole - gone
            speed = min(
                speed + acceleration, fastest, max(0.8, (2 * acceleration * left).squareRoot()))
            gone = min(whole, gone + speed)
            let share = gone / whole
            add(
                LocalPoint(
                    north: start.north + (end.north - start.north) * share,
                    east: start.east + (end.east - start.east) * share),
                speed, leg)
        }
    }
}
